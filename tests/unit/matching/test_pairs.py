"""When two claims are the same: on the labelled pairs, on changes made by the hundred, and on the traps one by one."""

import asyncio
import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import samples
from agents.claims.matching.agreement import differences
from agents.claims.matching.decision import MatchPolicy, compare
from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.embedders.static import StaticEmbedder
from agents.language.model_files import model_folder
from agents.language.ports import Embedder, embed_queries
from scoring.text import entities

DATA = Path(__file__).parents[2] / "data"
PAIRS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "matching" / "pairs.jsonl").read_text().splitlines()
]
LEAST_RECALL = 0.6


def similarities(embedder: Embedder) -> list[float]:
    texts = sorted({pair[side] for pair in PAIRS for side in ("earlier", "later")})
    rows = asyncio.run(embed_queries(embedder, texts))
    vectors = dict(zip(texts, rows, strict=True))
    return [embedder.calibration(float(vectors[pair["earlier"]] @ vectors[pair["later"]])) for pair in PAIRS]


@pytest.fixture(scope="module", params=["static", "bge-small"])
def measured(request: pytest.FixtureRequest) -> list[float]:
    if request.param == "static":
        return similarities(StaticEmbedder())
    embedder = OnnxEmbedder(model_folder("bge-small-en-v1.5"))
    try:
        return similarities(embedder)
    finally:
        embedder.close()


def test_the_set_is_large_and_has_every_kind_of_change() -> None:
    kinds = Counter(pair["kind"] for pair in PAIRS)
    assert len(PAIRS) >= 200
    assert min(kinds.values()) >= 15, kinds
    assert kinds.keys() >= {"paraphrase", "negation", "number", "name", "place", "date", "role", "quantifier", "unit"}


def test_no_changed_claim_matches_and_most_rewordings_do(
    measured: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    matched = [compare(pair["earlier"], pair["later"], near).kind for pair, near in zip(PAIRS, measured, strict=True)]
    wrong = [pair for pair, kind in zip(PAIRS, matched, strict=True) if kind and not pair["same"]]
    assert wrong == []
    for split in ("tune", "held"):
        same = [kind for pair, kind in zip(PAIRS, matched, strict=True) if pair["same"] and pair["split"] == split]
        recall = sum(kind is not None for kind in same) / len(same)
        with capsys.disabled():
            print(f"\n  {split}: {recall:.2f} of {len(same)} rewordings matched, no changed claim", end="")
        assert recall >= LEAST_RECALL


def test_similarity_alone_would_match_what_it_must_not(measured: list[float]) -> None:
    """Why the words decide: at the shipped threshold, and at any that keeps the rewordings, changes pass it too."""
    policy = MatchPolicy()
    passed = [near >= policy.similarity for pair, near in zip(PAIRS, measured, strict=True) if not pair["same"]]
    assert sum(passed) > len(passed) / 2


def test_words_alone_match_nothing_without_similarity() -> None:
    pair = next(pair for pair in PAIRS if pair["same"] and not differences(pair["earlier"], pair["later"]))
    policy = MatchPolicy()
    assert compare(pair["earlier"], pair["later"], policy.similarity).kind == "near"
    assert compare(pair["earlier"], pair["later"], policy.similarity - 0.01).kind is None


CLAIMS = sorted({pair["earlier"] for pair in PAIRS} | {claim.claim for claim in samples.load().claims})


@pytest.mark.parametrize("claim", CLAIMS)
def test_no_changed_digit_and_no_added_not_and_no_swapped_names(claim: str) -> None:
    assert differences(claim, claim) == ()
    changed = [
        claim[: m.start()] + str((int(m.group()) + 1) % 10) + claim[m.end() :] for m in re.finditer(r"\d", claim)
    ]
    verbs = re.finditer(r"\b(?:is|are|was|were|has|have|will|did|does)\b", claim)
    changed += [f"{claim[: m.end()]} not{claim[m.end() :]}" for m in verbs]
    symmetric = re.search(r"married|twinned|between", claim)
    for one, other in itertools.combinations([] if symmetric else entities(claim), 2):
        if one not in other and other not in one:
            changed.append(claim.replace(one, "\0").replace(other, one).replace("\0", other))
    assert [text for text in changed if not differences(claim, text)] == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Vitamin C prevents colds.", "Vitamin D prevents colds."),
        ("Hepatitis A is deadly.", "Hepatitis B is deadly."),
        ("He was arrested in Paris.", "She was arrested in Paris."),
        ("US troops left Iraq.", "us troops left Iraq."),
        ("Senator Adams quit.", "Senator Adam quit."),
        ("A speech by Smith shocked the hall.", "A speech about Smith shocked the hall."),
        ("He flew to Paris.", "He flew from Paris."),
        ("Tea or coffee cures flu.", "Tea and coffee cures flu."),
        ("The bridge is closed.", "The bridge was closed."),
        ("The dam might break.", "The dam will break."),
        ("The dam will break.", "The dam broke."),
        ("All dogs bite some men.", "Some dogs bite all men."),
        ("Only humans laugh.", "Humans only laugh."),
        ("The wife of John's boss died.", "The boss of John's wife died."),
        ("The president of France visited the king of Spain.", "The president of Spain visited the king of France."),
        ("3 wolves killed 58 sheep.", "3 sheep were killed by 58 wolves."),
        ("Exports rose from 3 to 5 million.", "Exports rose from 5 to 3 million."),
        ("Ten of 12 died.", "12 of ten died."),
        ("Rates are 3 per cent in France and 4 per cent in Spain.", "Rates are 3 per cent in Spain and 4 in France."),
        ("Israel, not Iran, bombed the port.", "Iran, not Israel, bombed the port."),
        ("The water is poisoned, do not drink it.", "The water is not poisoned, drink it."),
        ("John told Mary that Bob stole the car.", "John told Bob that Mary stole the car."),
        ("It is false that the dam broke.", "It is true that the dam broke."),
        ("Smith lost to Jones.", "Jones lost to Smith."),
        ("The vaccine works.", "The vaccine works?"),
        ("The minister allegedly lied.", "The minister lied."),
        ("Covid-19 is over.", "Covid-18 is over."),
        (
            "Rovers won the Cup in 2025 and came third in the League.",
            "Rovers won the League in 2025 and came third in the Cup.",
        ),
    ],
)
def test_what_looks_alike_and_is_not_the_same(earlier: str, later: str) -> None:
    assert compare(earlier, later, similarity=1.0).kind is None
    assert compare(later, earlier, similarity=1.0).kind is None


@pytest.mark.parametrize(
    "spelled",
    [
        "The dam broke",
        "the dam broke!!!",
        "THE DAM BROKE.",
        "BREAKING: The dam broke 😱😱",
        "RT @river_watch: the dam broke...",
        "“The dam broke.”",
        "The\u200b dam broke",
    ],
)
def test_spellings_of_one_claim_are_one_claim(spelled: str) -> None:
    assert compare("The dam broke.", spelled, similarity=0.0).kind == "exact"


@pytest.mark.parametrize("other", ["The dam broke?", "The dams broke.", "The dam, broke.", "It is 20 ° there."])
def test_other_claims_are_not_spellings(other: str) -> None:
    assert compare("The dam broke.", other, similarity=0.0).kind is None


def test_capitals_tell_a_country_from_a_pronoun() -> None:
    assert compare("US bombed them.", "us bombed them.", similarity=1.0).kind is None
    assert compare("US BOMBED THEM", "us bombed them", similarity=1.0).kind == "exact"
