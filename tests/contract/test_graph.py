"""What every KnowledgeGraph must do."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from scoring.values import Triple
from storage.errors import StoreRefused
from storage.ports import ClaimRecord, Entity, Fact, GraphCounts, KnowledgeGraph, Stores
from tests.contract.hostile import HOSTILE, LONE_SURROGATE, SHORT_HOSTILE

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def fact(
    subject: str,
    relation: str,
    other: str,
    *,
    url: str = "https://a.org/1",
    confidence: float = 0.8,
    observed: datetime = NOW,
) -> Fact:
    return Fact(Triple(subject, relation, other), url, observed, confidence, domain="a.org", title="A page")


def triples(found: list[Fact]) -> set[tuple[str, str, str]]:
    return {(f.triple.subject, f.triple.relation, f.triple.object) for f in found}


class TestFacts:
    async def test_a_fact_comes_back_as_it_was_written(self, graph: KnowledgeGraph) -> None:
        written = Fact(
            Triple("Apollo 11", "landed on", "the Moon"),
            "https://nasa.gov/1",
            NOW,
            confidence=0.9,
            published=date(1969, 7, 21),
            domain="nasa.gov",
            title="Apollo",
            text="Apollo 11 landed on the Moon.",
            passage_id="passage",
        )
        assert await graph.upsert_facts([written]) == 1
        assert await graph.facts_from("https://nasa.gov/1") == [written]
        [found] = await graph.candidates(["Apollo 11"])
        assert found.fact == written

    async def test_writing_twice_is_writing_once(self, graph: KnowledgeGraph) -> None:
        facts = [fact("A", "knows", "B"), fact("B", "knows", "C")]
        assert await graph.upsert_facts(facts) == 2
        assert await graph.upsert_facts([*facts, *facts]) == 0
        assert await graph.counts() == GraphCounts(entities=3, facts=2, sources=1, claims=0)

    async def test_writing_again_updates_what_the_source_says(self, graph: KnowledgeGraph) -> None:
        first = fact("A", "knows", "B", confidence=0.2)
        later = replace(first, confidence=0.9, published=date(2025, 1, 1), text="A knows B.", title="New title")
        await graph.upsert_facts([first])
        await graph.upsert_facts([later])
        assert await graph.facts_from(first.url) == [later]

    async def test_two_sources_of_one_relation_are_two_facts_about_the_same_entities(
        self, graph: KnowledgeGraph
    ) -> None:
        await graph.upsert_facts([fact("A", "knows", "B"), fact("a ", "Knows", "b", url="https://b.org/1")])
        assert await graph.counts() == GraphCounts(entities=2, facts=2, sources=2, claims=0)

    async def test_a_page_is_deleted_with_its_facts(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_facts([fact("A", "knows", "B"), fact("A", "knows", "C", url="https://b.org/1")])
        assert await graph.delete_by_url("https://a.org/1") == 1
        assert await graph.delete_by_url("https://a.org/1") == 0
        assert await graph.counts() == GraphCounts(entities=3, facts=1, sources=1, claims=0)
        assert triples([c.fact for c in await graph.candidates(["A"])]) == {("A", "knows", "C")}

    async def test_chosen_facts_are_deleted_and_pages_left_without_any(self, graph: KnowledgeGraph) -> None:
        facts = [fact("A", "knows", "B"), fact("A", "likes", "B"), fact("B", "knows", "C", url="https://a.org/2")]
        await graph.upsert_facts(facts)
        assert await graph.delete_facts([facts[0].id, facts[2].id, "unknown"]) == 2
        assert await graph.delete_facts([facts[0].id]) == 0
        assert await graph.delete_facts([]) == 0
        assert await graph.scan_facts() == [facts[1]]
        assert await graph.counts() == GraphCounts(entities=3, facts=1, sources=1, claims=0)

    async def test_old_facts_are_deleted_and_pages_left_without_any(self, graph: KnowledgeGraph) -> None:
        old = NOW - timedelta(days=9)
        await graph.upsert_facts(
            [
                fact("A", "knows", "B", observed=old),
                fact("A", "knows", "C", observed=old, url="https://b.org/1"),
                fact("A", "knows", "D", url="https://b.org/1"),
            ]
        )
        assert await graph.delete_observed_before(NOW) == 2
        assert await graph.counts() == GraphCounts(entities=4, facts=1, sources=1, claims=0)

    async def test_a_scan_sees_every_fact_and_entity_once(self, graph: KnowledgeGraph) -> None:
        written = [fact(f"S{n}", "knows", "O") for n in range(7)]
        await graph.upsert_facts(written)
        found: list[Fact] = []
        while page := await graph.scan_facts(after=found[-1].id if found else None, limit=3):
            found += page
        assert sorted(found, key=lambda f: f.id) == sorted(written, key=lambda f: f.id)
        entities: list[Entity] = []
        while some := await graph.scan_entities(after=entities[-1].key if entities else None, limit=3):
            entities += some
        assert [entity.name for entity in entities] == ["O", *(f"S{n}" for n in range(7))]

    async def test_forty_concurrent_batches_that_share_sources_and_entities_all_arrive(
        self, graph: KnowledgeGraph, other: Stores
    ) -> None:
        def batch(n: int) -> list[Fact]:
            pages = [(n * 3 + m) % 5 for m in range(5)]
            return [
                fact(f"E{page}", f"relation {n}", f"E{(page + 1) % 5}", url=f"https://a.org/{page}") for page in pages
            ]

        handles = (graph, other.graph)
        await asyncio.gather(*(handles[n % 2].upsert_facts(batch(n)) for n in range(40)))
        assert await graph.counts() == GraphCounts(entities=5, facts=200, sources=5, claims=0)


class TestEntities:
    async def test_an_entity_is_resolved_by_name_and_by_alias(self, graph: KnowledgeGraph) -> None:
        who = Entity("World Health Organization", "organisation", ("OMS", "WHO"))
        await graph.upsert_entities([who])
        found = await graph.resolve(["who", "world  health ORGANIZATION", "OMS", "UNICEF", ""])
        assert dict(found) == {"who": who, "world  health ORGANIZATION": who, "OMS": who}

    async def test_aliases_add_up_and_a_known_kind_is_kept(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_entities([Entity("UN", "organisation", ("United Nations",))])
        await graph.upsert_entities([Entity("UN", "", ("ONU",)), Entity("UN")])
        assert (await graph.resolve(["UN"]))["UN"] == Entity("UN", "organisation", ("ONU", "United Nations"))

    async def test_a_fact_about_an_alias_is_a_fact_about_the_entity(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_entities([Entity("World Health Organization", aliases=("WHO",))])
        await graph.upsert_facts([fact("WHO", "based in", "Geneva")])
        [found] = await graph.candidates(["World Health Organization"])
        assert found.fact.triple.subject == "WHO"
        assert found.matched == ("world health organization",)
        assert (await graph.counts()).entities == 2

    async def test_of_two_entities_behind_an_alias_the_bearer_of_the_name_wins_then_the_better_known(
        self, graph: KnowledgeGraph
    ) -> None:
        await graph.upsert_entities(
            [Entity("Paris, Texas", aliases=("Paris",)), Entity("Paris, France", aliases=("Paris",))]
        )
        await graph.upsert_facts([fact("Paris, France", "capital of", "France")])
        assert (await graph.resolve(["Paris"]))["Paris"].name == "Paris, France"
        await graph.upsert_entities([Entity("Paris")])
        assert (await graph.resolve(["Paris"]))["Paris"].name == "Paris"

    async def test_an_ambiguous_name_leads_to_the_facts_of_all_it_may_mean(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_entities(
            [Entity("Paris, Texas", aliases=("Paris",)), Entity("Paris, France", aliases=("Paris",))]
        )
        await graph.upsert_facts([fact("Paris, France", "in", "Europe"), fact("Paris, Texas", "in", "America")])
        assert len(await graph.candidates(["Paris"])) == 2


class TestCandidates:
    async def test_facts_between_the_claims_entities_come_first_then_one_end_then_two_hops(
        self, graph: KnowledgeGraph
    ) -> None:
        await graph.upsert_facts(
            [
                fact("A", "knows", "B"),
                fact("X", "knows", "A"),
                fact("X", "knows", "Y"),
                fact("Y", "knows", "Z"),
            ]
        )
        found = await graph.candidates(["A", "B"])
        assert [(c.fact.triple.subject, c.fact.triple.object, c.hops) for c in found] == [
            ("A", "B", 1),
            ("X", "A", 1),
            ("X", "Y", 2),
        ]
        assert found[0].matched == ("a", "b")
        assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
        assert all(0.0 <= c.score <= 1.0 for c in found)

    async def test_confidence_scales_the_score(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_facts(
            [
                fact("A", "likes", "B", confidence=0.3),
                fact("A", "likes", "C", confidence=1.0),
                fact("A", "x", "D", confidence=0),
            ]
        )
        found = await graph.candidates(["A"])
        assert [c.fact.triple.object for c in found] == ["C", "B", "D"]
        assert found[2].score == 0.0

    async def test_the_limit_holds_and_the_order_is_always_the_same(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_facts([fact("A", "knows", f"B{n}") for n in range(30)])
        found = await graph.candidates(["A"], limit=10)
        assert len(found) == 10
        assert await graph.candidates(["A"], limit=10) == found

    async def test_a_hub_does_not_hide_the_other_entities(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_facts([fact("Hub", "knows", f"B{n}", confidence=0.5) for n in range(300)])
        await graph.upsert_facts([fact("Rare", "knows", "One", confidence=0.4)])
        found = await graph.candidates(["Hub", "Rare"], limit=1000)
        assert ("Rare", "knows", "One") in triples([c.fact for c in found])

    async def test_unknown_entities_have_no_candidates(self, graph: KnowledgeGraph) -> None:
        await graph.upsert_facts([fact("A", "knows", "B")])
        assert await graph.candidates(["Nobody"]) == []
        assert await graph.candidates([]) == []


class TestClaims:
    async def test_claims_that_share_most_entities_come_first_then_the_newest(self, graph: KnowledgeGraph) -> None:
        claims = [
            ClaimRecord("one", "A", ("A",), NOW),
            ClaimRecord("both", "A and B", ("A", "B"), NOW),
            ClaimRecord("newer", "A again", ("a",), NOW + timedelta(days=1)),
            ClaimRecord("other", "C", ("C",), NOW),
        ]
        for claim in claims:
            await graph.record_claim(claim)
        assert await graph.claims_about(["A", "B"]) == [claims[1], claims[2], claims[0]]
        assert await graph.claims_about(["A"], limit=1) == [claims[2]]
        assert await graph.claims_about(["D"]) == []
        assert await graph.scan_claims(limit=2) == [claims[1], claims[2]]
        assert await graph.scan_claims(after="newer") == [claims[0], claims[3]]

    async def test_recording_a_claim_again_replaces_it(self, graph: KnowledgeGraph) -> None:
        await graph.record_claim(ClaimRecord("job", "A", ("A",), NOW))
        again = ClaimRecord("job", "B", ("B",), NOW)
        await graph.record_claim(again)
        assert await graph.claims_about(["A"]) == []
        assert await graph.claims_about(["B"]) == [again]
        assert (await graph.counts()).claims == 1


class TestWhatIsStored:
    @pytest.mark.parametrize("text", SHORT_HOSTILE)
    async def test_hostile_names_come_back_as_they_went_in(self, graph: KnowledgeGraph, text: str) -> None:
        await graph.upsert_facts([fact("Bystander", "knows", "B", url="https://b.org")])
        written = fact(text, text, f"{text} object", url=f"https://a.org/{text}")
        await graph.upsert_facts([written])
        assert [c.fact for c in await graph.candidates([text])] == [written]
        await graph.upsert_entities([Entity("Canonical", text, (text,))])
        assert await graph.facts_from(written.url) == [written]
        assert await graph.delete_by_url(written.url) == 1
        assert (await graph.counts()).facts == 1

    @pytest.mark.parametrize("text", HOSTILE)
    async def test_hostile_text_comes_back_as_it_went_in(self, graph: KnowledgeGraph, text: str) -> None:
        written = replace(fact("A", "knows", "B"), text=text, title=text, domain=text, passage_id=text)
        await graph.upsert_facts([written])
        assert await graph.facts_from(written.url) == [written]
        claim = ClaimRecord("job", text, ("A",), NOW)
        await graph.record_claim(claim)
        assert await graph.claims_about(["A"]) == [claim]

    async def test_what_is_no_fact_is_refused(self) -> None:
        with pytest.raises(StoreRefused, match="subject must not be empty"):
            fact("", "knows", "B")
        with pytest.raises(StoreRefused, match="object must hold more than white space"):
            fact("A", "knows", " \n")
        with pytest.raises(StoreRefused, match="relation is not valid Unicode"):
            fact("A", LONE_SURROGATE, "B")
        with pytest.raises(StoreRefused, match="confidence must lie in"):
            fact("A", "knows", "B", confidence=1.1)
        with pytest.raises(StoreRefused, match="observed needs a time zone"):
            fact("A", "knows", "B", observed=NOW.replace(tzinfo=None))
        with pytest.raises(StoreRefused, match="more than white space"):
            Entity(" ")

    async def test_what_one_handle_writes_the_other_reads(self, graph: KnowledgeGraph, other: Stores) -> None:
        await graph.upsert_facts([fact("A", "knows", "B")])
        assert len(await other.graph.candidates(["B"])) == 1
