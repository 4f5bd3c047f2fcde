"""The two tables agree with each other: nothing is read that nobody writes, nothing written that nobody reads."""

from typing import get_type_hints

import pytest

from agents.claims.job import ClaimJob, SubEnd
from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from streams import topics
from streams.app import group_name
from streams.contracts import ProgressEvent
from streams.settings import Settings
from streams.topics import TOPICS
from streams.topology import STAGE_NAMES, STAGES, Stage

TERMINAL = {"verdicts", "progress", "dead-letters"}
BETWEEN = {topic.name for topic in TOPICS} - TERMINAL


def ids(stage: Stage) -> str:
    return stage.name


@pytest.mark.parametrize("stage", STAGES, ids=ids)
def test_a_stage_reads_and_writes_topics_of_the_table(stage: Stage) -> None:
    assert stage.reads in TOPICS
    assert all(topic in TOPICS for topic in stage.writes)


@pytest.mark.parametrize("stage", STAGES, ids=ids)
def test_a_handler_takes_what_its_topic_carries(stage: Stage) -> None:
    taken = next(iter(get_type_hints(stage.handle).values()))
    assert taken is stage.reads.contract


@pytest.mark.parametrize("stage", STAGES, ids=ids)
def test_what_a_stage_writes_is_read_by_a_stage_or_is_an_end(stage: Stage) -> None:
    read = {other.reads.name for other in STAGES}
    assert {topic.name for topic in stage.writes} <= read | TERMINAL


def test_every_topic_between_stages_is_written_by_one_and_read_by_exactly_one() -> None:
    written = {topic.name for stage in STAGES for topic in stage.writes}
    assert sorted(stage.reads.name for stage in STAGES) == sorted(BETWEEN)
    assert BETWEEN - written == {"claims"}


def test_names_are_unique() -> None:
    assert len({topic.name for topic in TOPICS}) == len(TOPICS)
    assert len(set(STAGE_NAMES)) == len(STAGES)


def test_contracts_are_the_models_that_the_documentation_names() -> None:
    contracts = {topic.name: topic.contract for topic in TOPICS}
    assert contracts["claims"] is Submission
    assert contracts["verdicts"] is VerdictPackage
    assert contracts["progress"] is ProgressEvent
    assert contracts["dead-letters"] is None
    between = {contracts[stage.reads.name] for stage in STAGES if stage.reads is not topics.CLAIMS}
    assert between == {ClaimJob, SubEnd}


def test_an_oversized_message_fits_into_the_dead_letters() -> None:
    largest = max(topic.broker_max_bytes for topic in TOPICS if topic is not topics.DEAD_LETTERS)
    assert topics.DEAD_LETTERS.broker_max_bytes > largest
    assert all(topic.value_max_bytes <= topic.broker_max_bytes for topic in TOPICS)


def test_a_stages_timeout_is_short_of_the_watchdogs_patience() -> None:
    assert max(stage.timeout for stage in STAGES) < Settings().stall_seconds


def test_a_worker_of_some_stages_has_a_group_of_its_own() -> None:
    settings = Settings(topic_prefix="eu.")
    assert group_name(settings, STAGES) == "eu.veristream"
    assert group_name(settings, STAGES[1:3]) == "eu.veristream.retrieval+ranking"


def test_a_stage_that_computes_has_no_more_in_hand_than_its_processors_can_do() -> None:
    by_name = {stage.name: stage for stage in STAGES}
    assert by_name["retrieval"].at_once(in_flight=16, processors=2) == 16
    assert by_name["ranking"].at_once(in_flight=16, processors=2) == 4
    assert by_name["ranking"].at_once(in_flight=16, processors=32) == 16
    assert by_name["ranking"].at_once(in_flight=1, processors=32) == 1
