"""What 003 calls a claim, of which type and importance, and what it cites."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.drafts.citations import (
    CitationFinding,
    CitedText,
    Importance,
    citation_finding,
    link_citations,
    split_citations,
)
from scoring.drafts.claims import ClaimPolicy, assess_importance, extract_claims, is_direct_answer
from scoring.drafts.identification import ClaimType, Excluded, Included, classify, contains_numeric, identify
from scoring.drafts.sentences import sentences

ONE_MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The fee is $150.", "numeric"),
        ("The office closes on 24 December 2024.", "numeric"),
        ("About 12 percent of applicants fail.", "numeric"),
        ("Fee: $150", "numeric"),
        ("A 'business day' refers to Monday through Friday.", "definition"),
        ("All requests must be submitted in writing.", "policy"),
        ("Late payment leads to suspension of the account.", "causal"),
        ("The new plan is cheaper than the old plan.", "comparative"),
        ("The form is checked before the interview takes place.", "temporal"),
        ("The archive belongs to the city.", "factual"),
        ("Therefore, the archive belongs to the city.", "factual"),  # the connector is not the claim
        ("If you are late, you must call the office.", "policy"),  # a condition is not a hypothesis
        ("Thank you for asking; the fee is $150.", "numeric"),  # politeness does not hide a number
        ("Thanks to the new policy, waiting times fell.", "policy"),
        ("Trams run daily.", "factual"),  # three words and a full stop
        ("Trams run daily from dawn onwards", "factual"),  # no full stop and no verb we know, but many words
        ("**The archive** belongs to the `city`.", "factual"),
    ],
)
def test_assertions_are_claims(sentence: str, reason: Included) -> None:
    found = identify(sentence)
    assert found.is_claim
    assert found.reason == reason


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("What is the fee?", "question"),
        ("Is it $150?", "question"),
        ('Who said "it works?"', "question"),
        ("Suppose the fee doubled.", "hypothetical"),
        ("Imagine a city without cars.", "hypothetical"),
        ("If the fee were higher, fewer people would apply.", "hypothetical"),
        ("I think the fee is too high.", "opinion"),
        ("In my view, the rule is unfair.", "opinion"),
        ("However, I believe the rule is unfair.", "opinion"),
        ("Therefore.", "connector"),
        ("However,", "connector"),
        ("Thank you for your question.", "acknowledgment"),
        ("I understand.", "acknowledgment"),
        ("This answer summarises the rules.", "meta"),
        ("Here is an overview of the rules.", "meta"),
        ("Here are 3 key points:", "meta"),
        ("I could not find this in the documents.", "meta"),
        ("The deadline was not found in the provided documents.", "qualified"),
        ("## Fees and opening hours", "heading"),
        ("Opening hours overview", "fragment"),
        ("The steps are as follows:", "fragment"),
        ("Trams run.", "fragment"),
        ("Trams daily from dawn till", "fragment"),  # one word less than a sentence without a full stop needs
        ("", "connector"),
    ],
)
def test_what_asserts_nothing_is_no_claim(sentence: str, reason: Excluded) -> None:
    found = identify(sentence)
    assert not found.is_claim
    assert found.reason == reason
    assert found.claim_type is None


@pytest.mark.parametrize(
    ("claim", "claim_type"),
    [
        ("The office opens at 9 AM", "fact"),  # the four examples of 003
        ("All requests must be submitted in writing", "policy"),
        ("The fee is $150", "numeric"),
        ("A 'business day' refers to Monday through Friday", "definition"),
        ("The office opens at 9:30 and has 4 counters", "numeric"),
        ("Requests must arrive within 30 days", "numeric"),  # a rule that states a number stands or falls with it
        ("A minor means a person under 18", "definition"),
        ("This means that the city pays", "fact"),  # an inference, not a definition
        ("The bus goes to type 2 clinics", "fact"),  # the number names, it does not count
    ],
)
def test_claim_types(claim: str, claim_type: ClaimType) -> None:
    assert classify(claim) == claim_type


@pytest.mark.parametrize(
    ("claim", "query", "importance"),
    [
        ("The office opens early.", "When does the office open?", "critical"),  # both of its words: office, open
        ("The fee is $150.", "", "critical"),
        ("The office opens at 9 AM.", "", "critical"),  # a time of day is a number that can be checked
        ("All requests must be submitted in writing.", "", "material"),
        ("The most important form is the blue one.", "", "material"),
        ("Note that the blue form is long.", "", "material"),
        ("The archive belongs to the city.", "", "minor"),
        ("The archive belongs to the city.", "Where is the library?", "minor"),
    ],
)
def test_importance(claim: str, query: str, importance: Importance) -> None:
    assert assess_importance(claim, query) == importance


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ("city archive library", True),  # 2 of 3 words: 0.67
        ("city archive library museum theatre", False),  # 2 of 5: 0.4, below 0.6
        ("city archive owner library museum", False),
        ("city archive library museum belong", True),  # exactly 3 of 5
        ("archive museum", False),  # 1 of 2
        ("", False),
        ("What is it?", False),  # asks about nothing that could be recognised
    ],
)
def test_a_direct_answer_takes_up_most_of_the_question(query: str, answers: bool) -> None:
    assert is_direct_answer("The archive belongs to the city.", query) is answers


@pytest.mark.parametrize(("threshold", "answers"), [(0.59, True), (0.6, True), (0.61, False)])
def test_the_share_that_makes_an_answer_is_a_policy(threshold: float, answers: bool) -> None:
    query = "city archive library museum record"  # archive, city and record of five: 0.6
    assert is_direct_answer("The archive is a record of the city.", query, ClaimPolicy(threshold)) is answers


def test_numbers_in_words_count_and_labels_do_not() -> None:
    assert contains_numeric("It takes three days.")
    assert contains_numeric("It opens at 9:30.")
    assert not contains_numeric("Type 2 diabetes is common.")
    assert not contains_numeric("COVID-19 is a disease.")


@pytest.mark.parametrize(
    ("sentence", "text", "citations"),
    [
        ("The fee is $150 [cite:a1].", "The fee is $150.", ("a1",)),
        ("The fee [cite:a1] is $150 [cite:b2][cite:a1].", "The fee is $150.", ("a1", "b2")),
        ("The fee is $150. [CITE: a1 ]", "The fee is $150.", ("a1",)),
        ("The fee is $150 [cite:].", "The fee is $150 [cite:].", ()),  # an empty anchor names nothing
        ("The fee is $150 [a1].", "The fee is $150 [a1].", ()),
        ("The fee is $150.", "The fee is $150.", ()),
    ],
)
def test_anchors_are_taken_out_of_the_sentence(sentence: str, text: str, citations: tuple[str, ...]) -> None:
    assert split_citations(sentence) == CitedText(text, citations)


def test_an_anchor_that_names_no_retrieved_chunk_is_invalid() -> None:
    links = link_citations(["b", "made-up", "a"], {"a", "b", "c"})
    assert links.valid == ("b", "a")
    assert links.invalid == ("made-up",)


@pytest.mark.parametrize(
    ("importance", "citations", "finding"),
    [
        ("critical", (), "missing_required"),
        ("material", (), "missing_recommended"),
        ("minor", (), "optional"),
        ("critical", ("a",), "cited"),
        ("minor", ("a",), "cited"),
    ],
)
def test_the_more_depends_on_a_claim_the_more_it_needs_a_citation(
    importance: Importance, citations: tuple[str, ...], finding: CitationFinding
) -> None:
    assert citation_finding(importance, citations) == finding


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("One thing. Another thing! A third?", ["One thing.", "Another thing!", "A third?"]),
        ("It cost 3.5 million. Dr. Smith paid.", ["It cost 3.5 million.", "Dr. Smith paid."]),
        ("J. Smith of the U.S. Army spoke, e.g. here.", ["J. Smith of the U.S. Army spoke, e.g. here."]),
        ("It opens at 9 a.m. Nobody waits.", ["It opens at 9 a.m.", "Nobody waits."]),
        (
            "The fee is $150. [cite:a] It rose. [cite:b][cite:c]",
            ["The fee is $150. [cite:a]", "It rose. [cite:b][cite:c]"],
        ),
        ("A line that\nwraps. Done.", ["A line that wraps.", "Done."]),
        ("# Title\nText follows.\n\nNext one", ["# Title", "Text follows.", "Next one"]),
        (
            "- First item\n- Second item\n1. Third item\n* Fourth",
            ["First item", "Second item", "Third item", "Fourth"],
        ),
        ("- An item that\n  wraps\nText after it.", ["An item that wraps", "Text after it."]),
        ("He waited... and left.", ["He waited... and left."]),
        ("这是一句。这是另一句。", ["这是一句。", "这是另一句。"]),
        ('She said "it works." He left.', ['She said "it works."', "He left."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences(draft: str, expected: list[str]) -> None:
    assert list(sentences(draft)) == expected


def test_a_draft_yields_its_claims_with_type_importance_and_citations() -> None:
    draft = (
        "## Opening hours\n"
        "Thank you for asking. The office opens at 9 AM [cite:a1]. What else?\n\n"
        "- All requests must be made in writing. [cite:b2]\n"
        "- The fee is $150\n"
        "The archive belongs to the city."
    )
    claims = extract_claims(draft, "When does the office open?")
    assert [(c.position, c.text, c.claim_type, c.importance, c.citations) for c in claims] == [
        (2, "The office opens at 9 AM.", "fact", "critical", ("a1",)),
        (4, "All requests must be made in writing.", "policy", "material", ("b2",)),
        (5, "The fee is $150", "numeric", "critical", ()),
        (6, "The archive belongs to the city.", "fact", "minor", ()),
    ]


@given(st.text(max_size=400))
def test_any_text_can_be_read_and_no_claim_keeps_an_anchor(text: str) -> None:
    found = sentences(text)
    for claim in extract_claims(text):
        assert claim.text
        assert claim.position < len(found)


@given(st.lists(st.sampled_from(["a", "B.", "[cite:x]", "3.5", "\n", "- ", "? ", "Dr. ", ". ", "“", " "]), max_size=30))
def test_cutting_into_sentences_loses_no_word(pieces: list[str]) -> None:
    text = "".join(pieces)
    kept = "".join("".join(sentences(text)).split())
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("character", ["a", "1", '"', ".", "?", "[", "-", "\n"])
def test_a_megabyte_of_one_character_does_not_stall_extraction(character: str) -> None:
    assert len(extract_claims(character * ONE_MEGABYTE, "What is it?")) <= 1


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", [". ", "[cite:", ".[cite:a]", "so ", "if were "])
def test_neither_does_one_repeated_piece(piece: str) -> None:
    assert len(extract_claims(piece * 20_000, "What is it?")) <= 1
