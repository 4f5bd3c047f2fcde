"""What the server adapters do without any server: names, keys, versions, shares of a batch, meanings of errors."""

from dataclasses import replace
from datetime import UTC, datetime

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.exceptions import ConfigurationError, IncompleteCommit, Neo4jError, ServiceUnavailable, SessionExpired
from weaviate.exceptions import (
    UnexpectedStatusCodeError,
    WeaviateConnectionError,
    WeaviateQueryError,
    WeaviateTimeoutError,
)

from storage.errors import StoreError, StoreFull, StoreMismatch, StoreRefused, StoreUnavailable
from storage.fusion import SearchPolicy
from storage.ports import Embedder, HybridQuery, Passage
from storage.servers.config import Neo4jServer, WeaviatePolicy, WeaviateServer
from storage.servers.neo4j import failures as neo4j_failures
from storage.servers.neo4j.keys import MAX_KEY_BYTES, key_of
from storage.servers.patience import within
from storage.servers.versions import require_version
from storage.servers.weaviate import failures as weaviate_failures
from storage.servers.weaviate.catalog import Generation, read_description
from storage.servers.weaviate.names import alias_of, collection_of, physical_of
from storage.servers.weaviate.objects import Prepared, prepare, valid_ids
from storage.servers.weaviate.searching import Halves, fused
from storage.servers.weaviate.writing import messages

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NEO4J = Neo4jServer("bolt://graph.example:7687", password="secret")
WEAVIATE = WeaviateServer("http://vectors.example:8080", api_key="secret")
UNIT = np.array([1, 0], dtype=np.float32)


def prepared(number: int, text: str = "text") -> Prepared:
    passage = Passage("facts", f"https://a.org/{number}", text, NOW)
    return Prepared(passage.id, passage, UNIT)


class TestNames:
    @given(st.text(min_size=1, max_size=40).filter(lambda name: name.isprintable()))
    def test_every_collection_is_known_again_by_its_alias(self, name: str) -> None:
        assert collection_of("Space", alias_of("Space", name)) == name

    @given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
    def test_two_collections_never_share_an_alias_not_even_without_case(self, one: str, other: str) -> None:
        try:
            aliases = alias_of("Space", one).lower(), alias_of("Space", other).lower()
        except StoreRefused:
            return
        assert (aliases[0] == aliases[1]) == (one == other)

    def test_plain_names_stay_readable(self) -> None:
        assert alias_of("Veristream", "static_gk") == "Veristream_static_gk"
        assert physical_of("Veristream", "facts", "abc") == "Veristream_facts_abc"

    def test_a_foreign_alias_stands_for_nothing(self) -> None:
        assert collection_of("Space", "Other_facts") is None
        assert collection_of("Space", "Space_x_not hexadecimal") is None

    def test_a_name_too_long_for_the_server_is_refused(self) -> None:
        with pytest.raises(StoreRefused, match="too long for Weaviate"):
            alias_of("Space", "ż" * 80)


class TestKeys:
    @given(st.text(max_size=3000))
    def test_a_key_always_fits_into_an_index_entry(self, text: str) -> None:
        assert len(key_of(text).encode()) <= MAX_KEY_BYTES

    def test_short_texts_are_their_own_keys_and_long_ones_stay_apart(self) -> None:
        assert key_of("short") == "short"
        assert key_of("x" * 5000) != key_of("x" * 5001)


class TestVersions:
    @pytest.mark.parametrize("found", ["5.26.30", "5.26.0", "2025.01.0", "6.0"])
    def test_new_enough(self, found: str) -> None:
        require_version("Neo4j", found, (5, 26), "reason")

    @pytest.mark.parametrize("found", ["5.25.1", "4.4.12", "", "dev"])
    def test_too_old_or_unknown(self, found: str) -> None:
        with pytest.raises(StoreMismatch, match=r"Neo4j .* is too old: reason; upgrade to 5\.26 or newer"):
            require_version("Neo4j", found, (5, 26), "reason")


class TestBatches:
    def test_messages_hold_every_item_once_and_neither_too_many_nor_too_much(self) -> None:
        policy = WeaviatePolicy(batch_objects=3, batch_bytes=10_000)
        items = [prepared(n, "x" * (4_000 if n % 5 == 0 else 10)) for n in range(20)]
        shares = list(messages(items, policy))
        assert [item.id for share in shares for item in share] == [item.id for item in items]
        assert max(len(share) for share in shares) == 3
        assert all(len(share) == 1 or sum(item.size for item in share) <= 10_000 for share in shares)

    def test_an_item_larger_than_a_message_travels_alone(self) -> None:
        shares = list(messages([prepared(0), prepared(1, "x" * 9_000), prepared(2)], WeaviatePolicy(batch_bytes=5_000)))
        assert [len(share) for share in shares] == [1, 1, 1]

    def test_of_a_passage_given_twice_the_last_one_counts(self) -> None:
        first = Passage("facts", "https://a.org", "text", NOW, title="old")
        [item] = prepare([(first, UNIT), (replace(first, title="new"), UNIT)], Embedder("e", 2))["facts"]
        assert item.passage.title == "new"

    def test_ids_that_no_object_can_have_are_left_out(self) -> None:
        good = prepared(1).id
        assert valid_ids([good, "", "unknown", good.upper(), f"{{{good}}}"]) == [good]


class TestDescriptions:
    def test_a_generation_is_read_back_from_its_description(self) -> None:
        made = Generation("Space_facts_1", "facts", Embedder("e", 2), 12.5)
        assert read_description("Space_facts_1", made.described()) == made

    @pytest.mark.parametrize("text", [None, "", "a description", "[]", '{"veristream": 2}', '{"veristream": 1}'])
    def test_another_description_is_nobody_of_ours(self, text: str | None) -> None:
        assert read_description("Space_facts_1", text) is None


class TestFusing:
    def test_collections_are_scaled_together_and_an_id_is_found_once(self) -> None:
        news = Halves({("news", "a"): 0.9, ("news", "b"): 0.1}, {("news", "b"): 4.0})
        known = Halves({("known", "a"): 0.8, ("known", "c"): 0.5}, {("known", "c"): 1.0})
        query = HybridQuery("text", UNIT, limit=10)
        best, scores = fused([news, known], query, SearchPolicy())
        assert scores == {("news", "a"): 0.5, ("news", "b"): 0.5, ("known", "c"): pytest.approx(0.375)}
        assert best.said == {("news", "b"): 4.0, ("known", "c"): 1.0}

    def test_only_the_best_of_all_collections_take_part(self) -> None:
        halves = [Halves({(name, f"{name}{n}"): n / 10 for n in range(5)}, {}) for name in ("x", "y")]
        best, scores = fused(halves, HybridQuery("text", UNIT, limit=2), SearchPolicy(candidates=4))
        assert set(best.cosines.values()) == {0.4, 0.3}
        assert list(scores) == [("x", "x4"), ("y", "y4")]


def neo4j_error(code: str, message: str = "said the server") -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message=message)


class TestMeanings:
    @pytest.mark.parametrize(
        ("error", "kind", "says"),
        [
            (ServiceUnavailable("refused"), StoreUnavailable, "cannot be reached (refused)"),
            (SessionExpired("gone"), StoreUnavailable, "cannot be reached"),
            (IncompleteCommit("lost"), StoreUnavailable, "cannot be reached"),
            (OSError("broken pipe"), StoreUnavailable, "cannot be reached"),
            (ConfigurationError("no such option"), StoreMismatch, "cannot be used"),
            (neo4j_error("Neo.TransientError.Transaction.DeadlockDetected"), StoreUnavailable, "busy or restarting"),
            (neo4j_error("Neo.ClientError.Security.Unauthorized"), StoreMismatch, "refuses user 'neo4j'"),
            (neo4j_error("Neo.ClientError.Security.AuthenticationRateLimit"), StoreMismatch, "too many wrong"),
            (neo4j_error("Neo.ClientError.Database.DatabaseNotFound"), StoreMismatch, "has no database"),
            (neo4j_error("Neo.ClientError.Transaction.TransactionTimedOut"), StoreUnavailable, "ended the trans"),
            (neo4j_error("Neo.DatabaseError.General.UnknownError"), StoreUnavailable, "see its log"),
            (neo4j_error("Neo.DatabaseError.General.X", "No space left on device"), StoreFull, "no room left"),
            (neo4j_error("Neo.ClientError.Statement.SyntaxError"), StoreError, "said the server"),
        ],
    )
    def test_of_what_neo4j_reports(self, error: Exception, kind: type[StoreError], says: str) -> None:
        meaning = neo4j_failures.translated(error, NEO4J)
        assert type(meaning) is kind
        assert says in str(meaning)
        assert "secret" not in str(meaning)

    @pytest.mark.parametrize(
        ("error", "kind", "says"),
        [
            (WeaviateConnectionError("refused"), StoreUnavailable, "cannot be reached"),
            (WeaviateTimeoutError("slow"), StoreUnavailable, "cannot be reached"),
            (httpx.ReadError("reset"), StoreUnavailable, "cannot be reached"),
            (OSError("broken pipe"), StoreUnavailable, "cannot be reached"),
            (WeaviateQueryError("shard is shutting down", "GRPC"), StoreUnavailable, "cannot be reached"),
            (
                WeaviateQueryError("tried to browse non-existing index for X", "GRPC"),
                StoreUnavailable,
                "cannot be reached",
            ),
            (WeaviateQueryError("store is read-only", "GRPC"), StoreFull, "accepts no writes"),
            (WeaviateQueryError("vector lengths differ", "GRPC"), StoreError, "vector lengths differ"),
            (UnexpectedStatusCodeError("x", httpx.Response(401)), StoreMismatch, "refuses the API key"),
            (UnexpectedStatusCodeError("x", httpx.Response(403)), StoreMismatch, "refuses the API key"),
            (UnexpectedStatusCodeError("x", httpx.Response(503)), StoreUnavailable, "cannot be reached"),
            (UnexpectedStatusCodeError("x", httpx.Response(422)), StoreError, "422"),
        ],
    )
    def test_of_what_weaviate_reports(self, error: Exception, kind: type[StoreError], says: str) -> None:
        meaning = weaviate_failures.translated(error, WEAVIATE)
        assert type(meaning) is kind
        assert says in str(meaning)
        assert "secret" not in str(meaning)

    async def test_a_server_that_keeps_silent_is_unavailable(self) -> None:
        import asyncio

        with pytest.raises(StoreUnavailable, match=r"it gave no answer in 0\.01 s"):
            async with within(0.01, "it"):
                await asyncio.Event().wait()
