"""A relation is tied to the sentence that states it, and to the passage that the sentence stands in."""

from datetime import UTC, datetime

import samples
from agents.evidence.credibility import SourceCredibility
from agents.evidence.extraction import ExtractedPage, extract
from agents.evidence.ingest import passages_of
from agents.evidence.statements import Statement, Statements
from agents.language.hostile import clean, screen
from agents.language.rules.context import with_context
from agents.language.rules.facts import PAGE_LIMIT, extract_facts, triples_of
from agents.language.rules.sentences import split_sentences
from scoring.values import Triple
from storage.ports import Passage

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def passage(text: str) -> Passage:
    return Passage("facts", "https://a.org/1", text, NOW)


def test_the_sentence_is_found_in_the_passage_it_stands_in() -> None:
    first = passage("The town has two bridges. Mayor Jane Morrow opened the older one in 1990.")
    second = passage("Jane Morrow was born in Kelderwick. The school was closed in 2001.")
    statements = Statements([first, second])
    assert statements.of(Triple("Jane Morrow", "was born in", "Kelderwick")) == Statement(
        second.id, "Jane Morrow was born in Kelderwick."
    )
    assert statements.of(Triple("The school", "was closed in", "2001")) == Statement(
        second.id, "The school was closed in 2001."
    )


def test_a_subject_that_the_sentence_only_calls_she_does_not_lead_astray() -> None:
    here = passage("Jane Morrow is the mayor of the town. She opened the swimming pool on Quarry Street.")
    found = Statements([here]).of(Triple("Jane Morrow", "opened", "the swimming pool on Quarry Street"))
    assert found == Statement(here.id, "She opened the swimming pool on Quarry Street.")


def test_a_sentence_in_two_passages_that_overlap_belongs_to_the_first() -> None:
    said = "Jane Morrow opened the bridge."
    first, second = passage(f"It rained. {said}"), passage(f"{said} It was cold.")
    assert Statements([first, second]).of(Triple("Jane Morrow", "opened", "the bridge")) == Statement(first.id, said)


def test_what_no_sentence_says_has_no_sentence() -> None:
    assert Statements([passage("The weather was fine.")]).of(Triple("Jane Morrow", "opened", "the bridge")) is None
    assert Statements([]).of(Triple("Jane Morrow", "opened", "the bridge")) is None


def read_from(page: ExtractedPage) -> dict[Triple, str]:
    """The relations of a page and the sentences that the rules really read them from."""
    sentences = split_sentences(screen(page.text, PAGE_LIMIT).text)
    found: dict[Triple, str] = {}
    for sentence, standing_alone in zip(sentences, with_context(sentences, page.published), strict=True):
        for triple in triples_of(standing_alone):
            found.setdefault(triple, sentence)
    return found


async def test_every_relation_of_the_sample_web_leads_to_the_sentence_that_it_was_read_from() -> None:
    seen = 0
    for sample in samples.load().pages:
        page = await extract(sample.html(), sample.url)
        if not isinstance(page, ExtractedPage):
            continue
        passages = {one.id: one for one in passages_of(page, "facts", SourceCredibility.of([]), NOW)}
        statements, truth = Statements(passages.values()), read_from(page)
        for triple in extract_facts(page.text, page.published).triples:
            found = statements.of(triple)
            assert found is not None, triple
            assert found.text in passages[found.passage_id].text
            assert clean(found.text, PAGE_LIMIT) == truth[triple]
            seen += 1
    assert seen > 200
