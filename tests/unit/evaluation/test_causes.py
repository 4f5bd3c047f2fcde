"""Why an answer is wrong: the first stage after which the right one could not be given."""

import pytest

from agents.claims.evidence import EvidenceRow
from agents.evaluation.cases import Gold
from agents.evaluation.results import Cause, GoldRanks, cause_of
from scoring.derivation import Recorder
from scoring.values import NEUTRAL, Stance

SUPPORTING = Stance(supports=0.9, refutes=0.05, neutral=0.05)
GOLD = frozenset({"doc:corpus/1"})
FOUND = GoldRanks(retrieved=(3,))


def row(url: str = "doc:corpus/1", stance: Stance = SUPPORTING, *, admissible: bool = True) -> EvidenceRow:
    recorder = Recorder()
    recorder.set("base", 0.5)
    return EvidenceRow(
        id=url,
        text="It says so.",
        origin="vector",
        url=url,
        score=recorder.derivation(),
        claim_overlap=0.5,
        entity_overlap=0.5,
        anchor_match_score=0.5,
        stance=stance,
        admissible=admissible,
    )


@pytest.mark.parametrize(
    ("ranks", "rows", "cause"),
    [
        (GoldRanks(), [row("doc:corpus/2")], Cause.NOT_RETRIEVED),
        (FOUND, [row("doc:corpus/2")], Cause.RANKED_AWAY),
        (FOUND, [row(admissible=False)], Cause.GATED),
        (FOUND, [row(stance=NEUTRAL)], Cause.WRONG_STANCE),
        (FOUND, [row()], Cause.RECONCILED),
    ],
)
def test_the_first_stage_that_lost_it_is_named(ranks: GoldRanks, rows: list[EvidenceRow], cause: Cause) -> None:
    assert cause_of(Gold.SUPPORTS, ranks, rows, GOLD) is cause


def test_where_nothing_settles_a_claim_a_side_is_a_wrong_stance() -> None:
    assert cause_of(Gold.NEI, GoldRanks(), [row()], frozenset()) is Cause.WRONG_STANCE
