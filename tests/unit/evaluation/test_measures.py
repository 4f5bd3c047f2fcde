"""The numbers of a report, on results small enough to count by hand."""

import pytest

from agents.evaluation.cases import Gold
from agents.evaluation.measures import calibration_error, coverage_curve, reliability, summarise
from agents.evaluation.page import html_page
from agents.evaluation.results import CaseResult, Cause, GoldRanks

S, R, N, M = Gold.SUPPORTS, Gold.REFUTES, Gold.NEI, Gold.MIXED


def result(gold: Gold, answer: Gold, confidence: float = 0.5, **more: object) -> CaseResult:
    cause = None if gold is answer else Cause.WRONG_STANCE
    fields = {"number": 0, "id": "1", "claim": "A claim <b>", "gold_documents": 0, "cause": cause, **more}
    return CaseResult(gold=gold, answer=answer, confidence=confidence, **fields)  # type: ignore[arg-type]  # of test data


def test_accuracy_f1_and_decided_are_counted() -> None:
    summary = summarise([result(S, S), result(S, R), result(R, R), result(N, N)], elapsed=2.0)
    assert summary.accuracy == 0.75
    assert summary.f1 == pytest.approx({"SUPPORTS": 2 / 3, "REFUTES": 2 / 3, "NEI": 1.0})
    assert summary.macro_f1 == pytest.approx(7 / 9)
    assert summary.decided == 0.75
    assert summary.accuracy_decided == pytest.approx(2 / 3)
    assert summary.claims_per_second == 2.0
    assert summary.causes["wrong stance"] == 1


def test_mixed_is_an_abstention_where_no_label_is_mixed() -> None:
    summary = summarise([result(N, M), result(S, S)], elapsed=None)
    assert summary.accuracy == 1.0
    assert summary.confusion["NEI"] == {"SUPPORTS": 0, "REFUTES": 0, "NEI": 1}
    assert summary.causes["wrong stance"] == 0


def test_where_a_label_is_mixed_it_stands_for_itself_and_is_not_scored() -> None:
    summary = summarise([result(N, M), result(S, S), result(M, M)], elapsed=None)
    assert (summary.claims, summary.scored, summary.accuracy) == (3, 2, 0.5)
    assert summary.confusion["MIXED"]["MIXED"] == 1


def test_a_label_that_the_set_does_not_have_does_not_lower_macro_f1() -> None:
    assert summarise([result(S, S), result(R, R)], elapsed=None).macro_f1 == 1.0


def test_calibration_error_is_the_distance_to_the_diagonal() -> None:
    assert calibration_error(reliability([0.8] * 10, [True] * 8 + [False] * 2)) == pytest.approx(0.0)
    assert calibration_error(reliability([0.9] * 4, [False] * 4)) == pytest.approx(0.9)
    assert calibration_error([]) == 0.0


def test_the_curve_takes_the_most_confident_first() -> None:
    curve = coverage_curve([0.9, 0.1], [True, False])
    assert [point.accuracy for point in curve if point.coverage in {0.5, 1.0}] == [1.0, 0.5]


def test_recall_counts_the_gold_documents_of_a_claim() -> None:
    ranks = GoldRanks(retrieved=(1, 4), ranked=(2,), cited=())
    summary = summarise([result(S, S, ranks=ranks, gold_documents=2), result(N, N)], elapsed=None)
    assert summary.recall["retrieval"] == {"1": 0.5, "3": 0.5, "5": 1.0, "10": 1.0, "20": 1.0}
    assert summary.recall["ranking"]["3"] == 0.5
    assert summary.recall["citations"]["20"] == 0.0


def test_no_results_are_no_division_by_zero() -> None:
    assert summarise([], elapsed=None).accuracy == 0.0


def test_the_page_stands_alone_and_escapes_what_it_shows() -> None:
    results = [result(S, R, 0.7), result(N, N, 0.2)]
    page = html_page("Evaluation", {"policy": "<calibrated>"}, summarise(results, 1.0), results)
    assert "A claim &lt;b&gt;" in page
    assert "&lt;calibrated&gt;" in page
    assert page.count("<svg") == 5
    assert not any(word in page for word in ("<script", "http://", "https://", "<link"))
