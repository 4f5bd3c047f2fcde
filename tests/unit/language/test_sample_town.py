"""The rules judge the sample town right: what its credible pages say of each claim, passage by passage."""

from collections import Counter
from functools import lru_cache

import pytest
import trafilatura

from agents.evidence.chunking import chunk
from agents.language.hostile import screen
from agents.language.rules.decompose import decompose
from agents.language.rules.stance import LexicalStance
from samples.corpus import Corpus, load

RULES = LexicalStance()
SAMPLES = load()


@lru_cache(maxsize=1)
def passages() -> tuple[tuple[str, str], ...]:
    """(host, passage) of every article on a credible host, cut as ingestion cuts it."""
    corpus: Corpus = SAMPLES
    found = []
    for page in corpus.pages:
        if page.kind == "article" and corpus.hosts[page.host].credible and page.language == "en":
            text = trafilatura.extract(page.html()) or ""
            found += [(page.host, screen(f"{page.title}. {piece}", 1200).text) for piece in chunk(text)]
    return tuple(found)


def voices(statement: str) -> Counter[str]:
    """How many hosts support and refute a statement; a host that does both counts for neither."""
    by_host: dict[str, set[str]] = {}
    for host, passage in passages():
        label = RULES.find(statement, passage).label
        if label != "neutral":
            by_host.setdefault(host, set()).add(label)
    return Counter(next(iter(labels)) for labels in by_host.values() if len(labels) == 1)


CLAIMS = {claim.job_id: claim.claim for claim in SAMPLES.claims}
WHOLE = [job_id for job_id, expected in SAMPLES.expected.items() if expected.verdict in ("TRUE", "FALSE")]
PARTLY = [job_id for job_id, expected in SAMPLES.expected.items() if expected.verdict == "PARTIALLY_TRUE"]
OPEN = [job_id for job_id, expected in SAMPLES.expected.items() if expected.verdict == "UNVERIFIABLE"]


@pytest.mark.parametrize("job_id", WHOLE)
def test_at_least_two_hosts_say_what_is_true_and_none_the_opposite(job_id: str) -> None:
    right, wrong = ("supports", "refutes") if SAMPLES.expected[job_id].verdict == "TRUE" else ("refutes", "supports")
    heard = voices(CLAIMS[job_id])
    assert heard[right] >= 2, heard
    assert heard[wrong] == 0, heard


@pytest.mark.parametrize("job_id", PARTLY)
def test_one_part_is_supported_and_the_other_refuted(job_id: str) -> None:
    parts = decompose(CLAIMS[job_id])
    assert len(parts) == 2
    first, second = (voices(part) for part in parts)
    assert first["supports"] >= 2, first
    assert first["refutes"] == 0, first
    assert second["refutes"] >= 2, second
    assert second["supports"] == 0, second


@pytest.mark.parametrize("job_id", OPEN)
def test_what_nobody_knows_stays_open(job_id: str) -> None:
    assert not voices(CLAIMS[job_id])
