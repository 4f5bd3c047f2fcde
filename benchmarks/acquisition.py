"""What looking for evidence costs, on a local web whose every answer takes 100 ms. Prints JSON.

    python benchmarks/acquisition.py               # all three parts, a few minutes
    python benchmarks/acquisition.py --claims 20   # fewer claims, rough

fetching: pages fetched and read per second by the open-web fetcher, against what its places and the delay allow (five
places and 100 ms: fifty a second). Names lead to one local server; every check is on, of addresses, robots.txt, sizes.
claims: a hundred claims through all stages, ten at a time, against an empty knowledge base: how many settle as they
should, and how many searches and pages one that settles takes.
budgets: the sample town's claims with 002's value of information deciding how many pages are read, and with as many
as the fixed budget allows; what is saved, and whether the verdicts are as good.
Exits with 1 if fetching with five places reaches less than 0.8 of its limit.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpcore
import httpx

import samples
from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from agents.evidence.documents import Document
from agents.evidence.fetched import read_fetched
from agents.evidence.web import Manners, OpenWebFetcher, WebPolicy
from agents.evidence.web.dialling import TcpDialler
from agents.results import Send
from agents.services import Services
from benchmarks.acquiring.world import SITES, cases
from streams.bootstrap import open_services
from streams.embedded.sample_web import serve
from streams.embedded.samples import load_knowledge_base, trusting_the_town
from streams.settings import Settings
from streams.topology import STAGES

SERVER = Path(__file__).resolve().parent / "acquiring" / "server.py"
DELAY = 0.1
PLACES = (5, 10, 20)
AT_ONCE = 10
"""Jobs in flight: what one stage of a worker holds in hand, or a little less."""
LEAST = 0.8
BY_TOPIC = {stage.reads.name: stage for stage in STAGES}


@asynccontextmanager
async def local_web(count: int) -> AsyncIterator[int]:
    """The port of a local web in a process of its own."""
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(sys.executable, str(SERVER), str(DELAY), str(count), stdout=pipe)
    assert server.stdout is not None
    try:
        async with asyncio.timeout(60):
            port = int(await server.stdout.readline())
        yield port
    finally:
        server.terminate()
        await server.wait()


@dataclass(frozen=True, slots=True)
class Local:
    """Resolver and dialler: every name has a public address, and every call ends at one local port."""

    port: int

    async def addresses(self, host: str, port: int) -> list[str]:  # noqa: ARG002 - the protocol's
        return ["93.184.216.34"]

    async def dial(self, address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:  # noqa: ARG002 - the port says so
        return await TcpDialler().dial("127.0.0.1", self.port, timeout_s)


async def fetching(port: int, count: int) -> list[dict[str, float]]:
    """Pages per second with so many places, and the share of the limit that this is."""
    urls = [story.url.replace("https:", "http:") for case in cases(count) for story in case.stories]
    trust = httpx.create_ssl_context(trust_env=False)
    rows = []
    for places in PLACES:
        policy = WebPolicy(max_concurrent=places, manners=Manners(interval=0.0))
        fetcher = OpenWebFetcher(policy, resolver=Local(port), dialler=Local(port), ssl_context=trust)

        async def read(url: str, fetcher: OpenWebFetcher = fetcher) -> bool:
            return isinstance(await read_fetched(await fetcher.fetch(url), url), Document)

        # Each site's robots.txt is read once, before the clock runs.
        await asyncio.gather(*(read(next(one for one in urls if f"//site{n}." in one)) for n in range(SITES)))
        began, worked = time.perf_counter(), time.process_time()
        done = sum(await asyncio.gather(*map(read, urls)))
        took = time.perf_counter() - began
        limit = places / DELAY
        rows.append(
            {
                "places": places,
                "pages": done,
                "pages_per_second": round(done / took, 1),
                "limit": limit,
                "share_of_limit": round(done / took / limit, 3),
                "cpu_ms_per_page": round(1_000 * (time.process_time() - worked) / done, 1),
            }
        )
    return rows


async def travel(submission: Submission, services: Services) -> VerdictPackage:
    """One claim, and what it fans out into, through every handler, as the topics would carry it."""
    waiting = deque([Send("claims", submission.job_id, submission)])
    while (send := waiting.popleft()).to != "verdicts":
        waiting.extend((await BY_TOPIC[send.to].handle(send.value, services)).sends)
    return VerdictPackage.model_validate_json(send.value)


async def judged(submissions: Sequence[Submission], services: Services, at_once: int) -> list[VerdictPackage]:
    """All of them, so many at a time."""
    gate = asyncio.Semaphore(at_once)

    async def one(submission: Submission) -> VerdictPackage:
        async with gate:
            return await travel(submission, services)

    return list(await asyncio.gather(*map(one, submissions)))


async def claims(port: int, count: int, folder: Path) -> dict[str, Any]:
    """A hundred claims, nothing known beforehand."""
    all_cases = cases(count)
    settings = Settings(
        data_dir=folder, embedded=True, embedder="static", match_claims=False, sample_web_url=f"http://127.0.0.1:{port}"
    )
    async with open_services(settings) as services:
        began, worked = time.perf_counter(), time.process_time()
        asked = [Submission(job_id=case.job_id, claim=case.claim) for case in all_cases]
        packages = await judged(asked, services, AT_ONCE)
        took, cpu = time.perf_counter() - began, time.process_time() - worked
    settled = [made for made in packages if made.loop.stop_reason in {"sufficient", "cache"}]
    right = sum(made.verdict == case.truth for made, case in zip(packages, all_cases, strict=True))
    pages = sum(len(made.loop.urls_processed) for made in packages)
    return {
        "claims": count,
        "seconds": round(took, 1),
        "claims_per_second": round(count / took, 2),
        "pages_per_second": round(pages / took, 1),
        "cpu_ms_per_page": round(1_000 * cpu / pages, 1) if pages else None,
        "right": right,
        "settled": len(settled),
        "searches_per_settled_claim": _mean([made.loop.count for made in settled]),
        "pages_per_settled_claim": _mean([len(made.loop.urls_processed) for made in settled]),
        "stop_reasons": dict(Counter(made.loop.stop_reason for made in packages)),
    }


async def budgets() -> dict[str, Any]:
    """The sample claims one after the other, each arm with stores of its own."""
    arms = {name: await _arm(fixed=name == "fixed") for name in ("fixed", "value_of_information")}
    saved = {
        name: round(1.0 - arms["value_of_information"][name] / arms["fixed"][name], 3) for name in ("pages", "searches")
    }
    return {**arms, "saved": saved}


async def _arm(*, fixed: bool) -> dict[str, Any]:
    corpus = samples.load()
    with tempfile.TemporaryDirectory() as folder:
        async with serve() as origin:
            base = Settings(
                data_dir=Path(folder), embedded=True, embedder="static", match_claims=False, sample_web_url=origin
            )
            settings = trusting_the_town(base)
            await load_knowledge_base(settings)
            async with open_services(settings) as services:
                chosen = _fixed(services) if fixed else services
                asked = [Submission(job_id=one.job_id, claim=one.claim, domain=one.domain) for one in corpus.claims]
                packages = await judged(asked, chosen, 1)
    right = sum(made.verdict.value == corpus.expected[made.job_id].verdict for made in packages)
    return {
        "claims": len(packages),
        "right": right,
        "searches": sum(made.loop.count for made in packages),
        "pages": sum(len(made.loop.urls_processed) for made in packages),
    }


def _fixed(services: Services) -> Services:
    """Every page that the budget allows is worth reading."""
    extract = services.policy.loop.extract
    always = replace(extract, min_extracts=extract.max_extracts)
    return replace(services, policy=replace(services.policy, loop=replace(services.policy.loop, extract=always)))


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 2) if values else None


async def main(count: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        async with local_web(count) as port:
            fetched = await fetching(port, count)
            verified = await claims(port, count, Path(folder))
    print(json.dumps({"delay_s": DELAY, "fetching": fetched, "claims": verified, "budgets": await budgets()}, indent=1))
    return 0 if fetched[0]["share_of_limit"] >= LEAST else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=100)
    raise SystemExit(asyncio.run(main(parser.parse_args().claims)))
