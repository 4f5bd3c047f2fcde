"""The composition root: settings in, connected services out. The only place that chooses adapters."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import httpx
from aiokafka import AIOKafkaProducer
from pydantic import SecretStr

from agents.claims.budget import LoopBudget
from agents.claims.matching.decision import DEFAULT as MATCHING
from agents.claims.matching.decision import MatchPolicy
from agents.evidence.credibility import SourceCredibility
from agents.evidence.ports import PageFetcher, WebSearch
from agents.evidence.routing import RoutedFetcher
from agents.evidence.sample_web import SamplePageFetcher, SampleWebSearch
from agents.evidence.search.chain import SearchChain
from agents.evidence.search.factcheck import FactCheckSearch
from agents.evidence.search.guard import DEFAULT_POLICIES, EXTRACTION, Guard
from agents.evidence.search.searxng import SearxngSearch
from agents.evidence.search.tavily import TavilySearch
from agents.evidence.search.values import Provider
from agents.evidence.search.wikipedia import WikipediaSearch
from agents.evidence.second_try import SecondTry
from agents.evidence.web.fetcher import OpenWebFetcher
from agents.language.cache import AnswerCache
from agents.language.calibration import SimilarityCalibration
from agents.language.config import LanguagePolicy
from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.embedders.static import StaticEmbedder
from agents.language.llm.asking import Asker, AskPolicy
from agents.language.model_files import model_folder
from agents.language.ports import Embedder, StanceModel
from agents.language.quota import Price, QuotaPolicy
from agents.language.rules.decompose import DecomposePolicy
from agents.language.rules.stance import LexicalStance
from agents.language.service import Language
from agents.services import Services
from scoring.policy import policy_named
from storage.embedded.keys import SqliteKeyRing
from storage.embedded.ledger import SqliteLedger
from storage.embedded.stores import LEDGER_FILE, open_embedded
from storage.ports import AnswerStore, KeyRing, Stores, VerdictLedger
from storage.ports import Embedder as EmbedderIdentity
from storage.servers.config import Neo4jServer, WeaviateServer
from streams.admission import Admission
from streams.kafka import client_options
from streams.settings import Settings, SettingsError

if TYPE_CHECKING:
    from agents.language.llm.openai_model import OpenAIModel
    from storage.servers.neo4j.connection import Neo4jConnection
    from streams.gateway.desk import Desk

Adapter = TypeVar("Adapter")

STANCE_FOLDER = "stance"


def utc_now() -> datetime:
    """The clock of the product."""
    return datetime.now(UTC)


async def open_ledger(settings: Settings) -> VerdictLedger:
    """The ledger that the settings name."""
    server = _neo4j(settings)
    if server is None:
        return await SqliteLedger.open(settings.data_dir / LEDGER_FILE)
    from storage.servers.neo4j.ledger import Neo4jLedger

    return await _on_neo4j(server, Neo4jLedger)


async def open_key_ring(settings: Settings) -> KeyRing:
    """The API keys, which live where the ledger lives."""
    server = _neo4j(settings)
    if server is None:
        return await SqliteKeyRing.open(settings.data_dir / LEDGER_FILE)
    from storage.servers.neo4j.api_keys import Neo4jKeyRing

    return await _on_neo4j(server, Neo4jKeyRing)


async def _on_neo4j(server: Neo4jServer, adapter: Callable[["Neo4jConnection"], Adapter]) -> Adapter:
    """An adapter alone on its connection."""
    from storage.servers.neo4j.connection import Neo4jConnection

    connection = await Neo4jConnection.open(server)
    opened = adapter(connection)
    await connection.close()  # the adapter holds a share of its own
    return opened


async def _open_stores(settings: Settings, embedder: Embedder) -> Stores:
    """Servers where one is named, embedded where none is. Their clients are loaded only when they are used."""
    identity = EmbedderIdentity(embedder.name, embedder.dimension)
    weaviate, neo4j = _weaviate(settings), _neo4j(settings)
    if weaviate is None and neo4j is None:
        return await open_embedded(settings.data_dir, identity)
    from storage.servers.stores import open_stores

    return await open_stores(identity, data_dir=settings.data_dir, weaviate=weaviate, neo4j=neo4j)


def _weaviate(settings: Settings) -> WeaviateServer | None:
    if settings.weaviate_url is None:
        return None
    key = _secret(settings.weaviate_api_key)
    return WeaviateServer(settings.weaviate_url, settings.weaviate_grpc_port, key, space=settings.store_space)


def _neo4j(settings: Settings) -> Neo4jServer | None:
    if settings.neo4j_url is None:
        return None
    password = _secret(settings.neo4j_password) or ""
    return Neo4jServer(settings.neo4j_url, settings.neo4j_user, password, space=settings.store_space)


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value is not None else None


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Everything a worker's handlers need, closed again at the end of the block."""
    async with AsyncExitStack() as stack:
        embedder = _embedder(settings, stack)
        stores = await _open_stores(settings, embedder)
        stack.push_async_callback(stores.close)
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=10.0))
        search, fetcher = _web(settings, client, stack)
        yield Services(
            ledger=stores.ledger,
            index=stores.index,
            graph=stores.graph,
            urls=stores.urls,
            answers=stores.answers,
            embedder=embedder,
            stance=open_stance(settings, stack),
            language=await _language(settings, stores.answers, stack),
            search=search,
            fetcher=fetcher,
            credibility=SourceCredibility.of(settings.credible_domains),
            policy=policy_named(settings.policy),
            budget=_budget(settings),
            matching=_matching(settings),
            clock=utc_now,
        )


def _web(
    settings: Settings, client: httpx.AsyncClient, stack: AsyncExitStack
) -> tuple[WebSearch | None, PageFetcher | None]:
    """The providers that the settings name, in their order; else the sample web where it is served; else none."""
    names = settings.search_providers or (("tavily",) if settings.tavily_api_key else ())
    if not names and settings.sample_web_url is not None:
        names = ("sample",)
    if not names or names == ("none",):
        return None, None
    providers = [_provider(name, settings, client) for name in names]
    tavily = next((one for one in providers if isinstance(one, TavilySearch)), None)
    if tavily is not None:
        stack.push_async_callback(tavily.aclose)
    return SearchChain.of(providers, DEFAULT_POLICIES, time.monotonic), _fetcher(settings, client, tavily)


def _provider(name: str, settings: Settings, client: httpx.AsyncClient) -> Provider:
    if name == "sample" and settings.sample_web_url is not None:
        return SampleWebSearch(client, settings.sample_web_url)
    if name == "tavily" and settings.tavily_api_key is not None:
        return TavilySearch(settings.tavily_api_key.get_secret_value())
    if name == "searxng" and settings.searxng_url is not None:
        return SearxngSearch(client, settings.searxng_url)
    if name == "wikipedia":
        return WikipediaSearch(client)
    if name == "factcheck" and settings.google_fact_check_api_key is not None:
        return FactCheckSearch(client, settings.google_fact_check_api_key.get_secret_value())
    needs = {
        "tavily": "TAVILY_API_KEY",
        "searxng": "VERISTREAM_SEARXNG_URL",
        "factcheck": "GOOGLE_FACT_CHECK_API_KEY",
        "sample": "`veristream up`, which serves the sample web",
    }
    if name in needs:
        raise SettingsError(f"VERISTREAM_SEARCH_PROVIDERS names {name}, which needs {needs[name]}")
    raise SettingsError(f"VERISTREAM_SEARCH_PROVIDERS: no provider {name!r}; choose from {', '.join(needs)}, wikipedia")


def _fetcher(settings: Settings, client: httpx.AsyncClient, tavily: TavilySearch | None) -> PageFetcher:
    open_web: PageFetcher = OpenWebFetcher()
    if tavily is not None:
        open_web = SecondTry(open_web, tavily, Guard(EXTRACTION, time.monotonic))
    if settings.sample_web_url is None:
        return open_web
    return RoutedFetcher(SamplePageFetcher(client, settings.sample_web_url), open_web)


def _embedder(settings: Settings, stack: AsyncExitStack) -> Embedder:
    """The one that the settings name."""
    if settings.embedder == "static":
        return StaticEmbedder()
    if settings.embedder == "bge-small":
        local = OnnxEmbedder(model_folder("bge-small-en-v1.5"))
        stack.callback(local.close)
        return local
    if settings.openai_api_key is None:
        raise SettingsError("VERISTREAM_EMBEDDER=openai needs OPENAI_API_KEY; unset one or set the other")
    from agents.language.embedders.openai import PROVISIONAL, EmbeddingEndpoint, OpenAIEmbedder

    fitted = settings.openai_calibration
    endpoint = EmbeddingEndpoint(
        api_key=settings.openai_api_key.get_secret_value(),
        base_url=settings.openai_base_url,
        calibration=PROVISIONAL if fitted is None else SimilarityCalibration(*fitted),
    )
    remote = OpenAIEmbedder(endpoint, rng=random.Random())  # noqa: S311 - jitter, not secrecy
    stack.push_async_callback(remote.close)
    return remote


def open_stance(settings: Settings, stack: AsyncExitStack) -> StanceModel:
    """The local model if it is there and wanted, else the rules. A damaged model is an error, never a silent change."""
    folder = _stance_folder(settings)
    if folder is None:
        return LexicalStance()
    from agents.language.stance import OnnxStance

    try:
        model = OnnxStance(folder)
    except (FileNotFoundError, ValueError) as error:
        raise SettingsError(f"{error}; or set VERISTREAM_STANCE=rules") from error
    stack.callback(model.close)
    return model


def stance_name(settings: Settings) -> str:
    """What answers for stances, without loading it: for those who only report."""
    folder = _stance_folder(settings)
    if folder is None:
        return LexicalStance.name
    from agents.language.stance.files import model_name

    return model_name(folder)


def _stance_folder(settings: Settings) -> Path | None:
    if settings.stance == "rules":
        return None
    if settings.stance_model is not None:
        return settings.stance_model
    try:
        return model_folder(STANCE_FOLDER)
    except FileNotFoundError as error:
        if settings.stance == "auto":
            return None
        raise SettingsError(
            "VERISTREAM_STANCE=model, but no stance model came with this package: "
            "name its folder in VERISTREAM_STANCE_MODEL, or set VERISTREAM_STANCE=rules"
        ) from error


async def _language(settings: Settings, answers: AnswerStore, stack: AsyncExitStack) -> Language:
    """The tasks, with a model to ask where a key is set."""
    policy = LanguagePolicy(
        decompose=DecomposePolicy(
            enabled=settings.decompose_enabled,
            min_claim_length=settings.decompose_min_claim_length,
            max_subclaims=settings.decompose_max_subclaims,
        ),
        use_model_for_claims=settings.decompose_use_llm,
        agreeing_sources=settings.llm_agreeing_sources,
    )
    if settings.openai_api_key is None:
        return Language(policy=policy)
    model = await stack.enter_async_context(open_model(settings))
    return Language(Asker(model, AnswerCache(answers, utc_now), _asking(settings)), policy)


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator["OpenAIModel"]:
    """The model that the settings name; its client is loaded only when it is used."""
    from agents.language.llm.openai_model import Endpoint, OpenAIModel

    if settings.openai_api_key is None:
        raise SettingsError("no language model is configured: set OPENAI_API_KEY")
    endpoint = Endpoint(
        api_key=settings.openai_api_key.get_secret_value(),
        base_url=settings.openai_base_url,
        model=settings.openai_model,
        models=settings.openai_models,
        api_version=settings.openai_api_version,
        max_concurrency=settings.llm_at_once,
    )
    model = OpenAIModel(endpoint, clock=time.monotonic, rng=random.Random())  # noqa: S311 - jitter, not secrecy
    try:
        yield model
    finally:
        await model.close()


def _asking(settings: Settings) -> AskPolicy:
    return AskPolicy(
        quota=QuotaPolicy(max_calls=settings.llm_max_calls, max_tokens=settings.llm_max_tokens),
        prices=tuple((name, Price(*price)) for name, price in settings.llm_prices.items()),
        cache_ttl=timedelta(hours=settings.llm_cache_hours),
    )


def _budget(settings: Settings) -> LoopBudget:
    return LoopBudget(
        queries=settings.query_budget,
        urls_per_query=settings.urls_per_query,
        pages=settings.pages_per_job,
        bytes=settings.bytes_per_job,
        deadline=timedelta(seconds=settings.job_deadline_seconds),
        parent_deadline=timedelta(seconds=settings.parent_deadline_seconds),
        per_query=settings.rag_top_k,
        candidates=settings.rerank_top_k,
        iterations=settings.agentic_loop_max_iter,
        trust_mode=settings.trust_mode,
    )


def _matching(settings: Settings) -> MatchPolicy:
    window = timedelta(hours=settings.match_window_hours)
    return MatchPolicy(
        enabled=settings.match_claims and bool(window), window=window, open_window=min(window, MATCHING.open_window)
    )


@asynccontextmanager
async def open_desk(settings: Settings) -> AsyncIterator["Desk"]:
    """Everything a gateway needs. A worker never loads its HTTP framework."""
    from streams.gateway.access import Guard
    from streams.gateway.desk import Desk
    from streams.gateway.hub import Hub

    async with AsyncExitStack() as stack:
        ledger = await open_ledger(settings)
        stack.push_async_callback(ledger.close)
        keys = await open_key_ring(settings)
        stack.push_async_callback(keys.close)
        producer = AIOKafkaProducer(**client_options(settings), acks="all", linger_ms=2)
        await producer.start()
        stack.push_async_callback(producer.stop)
        hub = Hub(settings)
        listening = asyncio.create_task(hub.run())
        stack.callback(listening.cancel)
        guard = Guard(settings, keys, time.monotonic)
        admission = Admission(ledger, settings, utc_now)
        yield Desk(settings, ledger, admission, producer, hub, guard)
