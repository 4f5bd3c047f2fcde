"""What every VerdictLedger must do."""

import asyncio
import contextlib
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from storage.errors import JobCompleted, JobUnknown, StoreRefused
from storage.ports import (
    AuditEntry,
    EvidenceRef,
    JobRecord,
    JobState,
    OpenLoad,
    Outcome,
    Retention,
    Stores,
    VerdictLedger,
    parent_of,
    sub_job_id,
)
from tests.contract.adapters import Place, open_stores
from tests.contract.conftest import CHILD_TIMEOUT_S, Together
from tests.contract.hostile import HOSTILE, LONE_SURROGATE, SHORT_HOSTILE

NOW = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)
DAY = timedelta(days=1)


def a_job(job_id: str = "job", *, at: datetime = NOW, room: str = "", size: int = 10) -> JobRecord:
    return JobRecord(job_id, f"print of {job_id}", b"x" * size, at, room_id=room)


def completed(job_id: str = "job", payload: bytes = b"verdict", attempt: int = 1, at: datetime = NOW) -> Outcome:
    return Outcome(job_id, attempt, JobState.COMPLETED, payload, at)


def failed(job_id: str = "job", payload: bytes = b"reason", attempt: int = 1, at: datetime = NOW) -> Outcome:
    return Outcome(job_id, attempt, JobState.FAILED, payload, at)


class TestJobs:
    async def test_a_job_comes_back_as_it_was_opened(self, ledger: VerdictLedger) -> None:
        record = JobRecord("job", "print", b"\x00\xff", NOW, "room", "workspace", deadline=NOW + DAY)
        assert await ledger.open_job(record) == record
        assert await ledger.job("job") == record

    async def test_opening_a_job_again_returns_the_first_record(self, ledger: VerdictLedger) -> None:
        first = await ledger.open_job(a_job())
        second = JobRecord("job", "another print", b"another claim", NOW + DAY)
        assert await ledger.open_job(second) == first

    async def test_sub_jobs_are_open_but_not_listed(self, ledger: VerdictLedger) -> None:
        for job_id in ("job", sub_job_id("job", 1), sub_job_id("job", 2)):
            await ledger.open_job(a_job(job_id, room="red"))
        assert [job.job_id for job in await ledger.jobs()] == ["job"]
        assert [job.job_id for job in await ledger.jobs(room_id="red", state=JobState.OPEN)] == ["job"]
        assert await ledger.open_load() == OpenLoad(3, 30)
        assert [parent_of(job.job_id) for job in await ledger.open_jobs()] == [None, "job", "job"]

    async def test_an_unknown_job_is_none(self, ledger: VerdictLedger) -> None:
        assert await ledger.job("nobody") is None
        assert await ledger.outcome("nobody") is None

    async def test_moments_come_back_in_utc_to_the_microsecond(self, ledger: VerdictLedger) -> None:
        elsewhere = NOW.astimezone(tz=datetime.now().astimezone().tzinfo)
        stored = await ledger.open_job(a_job(at=elsewhere))
        assert stored.opened_at == NOW
        assert stored.opened_at.microsecond == 123456

    async def test_jobs_are_listed_newest_first_page_by_page(self, ledger: VerdictLedger) -> None:
        for n in range(7):
            await ledger.open_job(a_job(f"job-{n}", at=NOW + n // 2 * DAY))
        listed: list[str] = []
        after = None
        while page := await ledger.jobs(limit=3, after=after):
            listed += [record.job_id for record in page]
            after = listed[-1]
        assert listed == ["job-6", "job-5", "job-4", "job-3", "job-2", "job-1", "job-0"]

    async def test_jobs_are_listed_by_room_and_state(self, ledger: VerdictLedger) -> None:
        for n in range(4):
            await ledger.open_job(a_job(f"job-{n}", at=NOW + n * DAY, room="red" if n % 2 else "blue"))
        await ledger.decide(completed("job-3"))
        assert [job.job_id for job in await ledger.jobs(room_id="red")] == ["job-3", "job-1"]
        assert [job.job_id for job in await ledger.jobs(state=JobState.OPEN)] == ["job-2", "job-1", "job-0"]
        assert [job.job_id for job in await ledger.jobs(room_id="red", state=JobState.COMPLETED)] == ["job-3"]

    async def test_open_jobs_come_oldest_first(self, ledger: VerdictLedger) -> None:
        for n in (2, 0, 1, 3):
            await ledger.open_job(a_job(f"job-{n}", at=NOW + n * DAY))
        await ledger.decide(completed("job-1"))
        assert [job.job_id for job in await ledger.open_jobs()] == ["job-0", "job-2", "job-3"]
        assert [job.job_id for job in await ledger.open_jobs(limit=1)] == ["job-0"]

    async def test_open_load_follows_jobs_through_their_lives(self, ledger: VerdictLedger) -> None:
        assert await ledger.open_load() == OpenLoad(0, 0)
        await ledger.open_job(a_job("a", size=10))
        await ledger.open_job(a_job("b", size=5))
        await ledger.open_job(a_job("b", size=500))
        assert await ledger.open_load() == OpenLoad(2, 15)
        await ledger.decide(failed("a"))
        await ledger.decide(failed("a"))
        assert await ledger.open_load() == OpenLoad(1, 5)
        await ledger.next_attempt("a")
        assert await ledger.open_load() == OpenLoad(2, 15)
        await ledger.decide(completed("a", attempt=2))
        await ledger.decide(completed("b"))
        await ledger.decide(completed("never opened"))
        assert await ledger.open_load() == OpenLoad(0, 0)


class TestAnswers:
    async def test_an_outcome_is_found_by_what_was_asked_while_it_is_fresh(self, ledger: VerdictLedger) -> None:
        told = replace(completed(payload=b"told"), claim_key="asked")
        assert await ledger.decide(told) == told
        assert await ledger.answered("asked", since=NOW) == told
        assert await ledger.answered("asked", since=NOW + timedelta(microseconds=1)) is None
        assert await ledger.answered("asked otherwise", since=NOW - DAY) is None

    async def test_the_latest_answer_is_found(self, ledger: VerdictLedger) -> None:
        for n in (1, 3, 2):
            await ledger.decide(replace(completed(f"job-{n}", at=NOW + n * DAY), claim_key="asked"))
        found = await ledger.answered("asked", since=NOW)
        assert found is not None
        assert found.job_id == "job-3"

    async def test_no_key_finds_nothing_and_a_failure_answers_nobody(self, ledger: VerdictLedger) -> None:
        await ledger.decide(completed("without"))
        await ledger.decide(replace(failed("failed"), claim_key="asked"))
        assert await ledger.answered("", since=NOW - DAY) is None
        assert await ledger.answered("asked", since=NOW - DAY) is None

    async def test_outcomes_about_the_same_words_are_found_latest_first(self, ledger: VerdictLedger) -> None:
        for n in (1, 3, 2):
            await ledger.decide(replace(completed(f"job-{n}", at=NOW + n * DAY), claim_key=f"{n}", sense_key="words"))
        await ledger.decide(replace(failed("failed"), sense_key="words"))
        assert [one.job_id for one in await ledger.alike("words", since=NOW)] == ["job-3", "job-2", "job-1"]
        assert [one.job_id for one in await ledger.alike("words", since=NOW, limit=1)] == ["job-3"]
        assert [one.job_id for one in await ledger.alike("words", since=NOW + 3 * DAY)] == ["job-3"]
        assert await ledger.alike("", since=NOW - DAY) == []

    async def test_what_lost_the_decision_answers_nobody(self, ledger: VerdictLedger) -> None:
        first = await ledger.decide(completed(payload=b"first"))
        assert await ledger.decide(replace(completed(payload=b"second"), claim_key="asked")) == first
        assert await ledger.answered("asked", since=NOW - DAY) is None

    @pytest.mark.parametrize("key", SHORT_HOSTILE)
    async def test_any_key_is_kept_as_it_is(self, ledger: VerdictLedger, key: str) -> None:
        await ledger.decide(replace(completed(), claim_key=key))
        found = await ledger.answered(key, since=NOW)
        assert found is not None
        assert found.claim_key == key


class TestDecisions:
    async def test_the_first_outcome_is_kept_and_returned_to_everybody(self, ledger: VerdictLedger) -> None:
        await ledger.open_job(a_job())
        first = await ledger.decide(completed(payload=b"first"))
        assert first == completed(payload=b"first")
        assert await ledger.decide(completed(payload=b"second")) == first
        assert await ledger.decide(failed(payload=b"third")) == first
        assert await ledger.outcome("job") == first
        job = await ledger.job("job")
        assert job is not None
        assert job.state is JobState.COMPLETED

    async def test_a_job_never_opened_can_be_decided(self, ledger: VerdictLedger) -> None:
        await ledger.decide(failed("stranger"))
        job = await ledger.job("stranger")
        assert job is not None
        assert (job.state, job.submission) == (JobState.FAILED, b"")
        assert (await ledger.open_job(a_job("stranger"))).state is JobState.FAILED

    async def test_a_failed_job_gets_another_attempt_with_its_own_outcome(self, ledger: VerdictLedger) -> None:
        await ledger.open_job(a_job())
        await ledger.decide(failed())
        assert await ledger.next_attempt("job") == 2
        job = await ledger.job("job")
        assert job is not None
        assert (job.state, job.attempt, job.submission) == (JobState.OPEN, 2, b"x" * 10)
        second = await ledger.decide(completed(attempt=2))
        assert second.attempt == 2
        assert await ledger.outcome("job") == second

    async def test_a_late_answer_to_an_old_attempt_does_not_close_the_new_one(self, ledger: VerdictLedger) -> None:
        await ledger.open_job(a_job())
        first = await ledger.decide(failed())
        await ledger.next_attempt("job")
        assert await ledger.decide(completed(attempt=1)) == first
        job = await ledger.job("job")
        assert job is not None
        assert job.state is JobState.OPEN

    async def test_a_completed_job_stays_completed_whatever_attempt_asks(self, ledger: VerdictLedger) -> None:
        await ledger.open_job(a_job())
        kept = await ledger.decide(completed())
        assert await ledger.decide(failed(attempt=2)) == kept
        assert await ledger.outcome("job") == kept

    async def test_asking_twice_for_the_next_attempt_opens_one(self, ledger: VerdictLedger) -> None:
        await ledger.open_job(a_job())
        assert await ledger.next_attempt("job") == 1
        await ledger.decide(failed())
        assert await ledger.next_attempt("job") == 2
        assert await ledger.next_attempt("job") == 2

    async def test_there_is_no_next_attempt_after_a_verdict(self, ledger: VerdictLedger) -> None:
        await ledger.decide(completed())
        with pytest.raises(JobCompleted, match="has its verdict"):
            await ledger.next_attempt("job")

    async def test_there_is_no_next_attempt_of_an_unknown_job(self, ledger: VerdictLedger) -> None:
        with pytest.raises(JobUnknown, match="'nobody'"):
            await ledger.next_attempt("nobody")

    async def test_what_was_decided_and_not_emitted_is_found_until_it_is(self, ledger: VerdictLedger) -> None:
        for n in range(3):
            await ledger.decide(completed(f"job-{n}", at=NOW + n * DAY))
        await ledger.mark_emitted("job-0", 1)
        await ledger.mark_emitted("job-0", 1)
        waiting = await ledger.unemitted(NOW + 2 * DAY)
        assert [outcome.job_id for outcome in waiting] == ["job-1"]
        assert [o.job_id for o in await ledger.unemitted(NOW + 9 * DAY)] == ["job-1", "job-2"]
        assert [o.job_id for o in await ledger.unemitted(NOW + 9 * DAY, limit=1)] == ["job-1"]

    async def test_one_of_many_deciders_wins(self, ledger: VerdictLedger) -> None:
        kept = await asyncio.gather(*(ledger.decide(completed(payload=b"%d" % n)) for n in range(50)))
        assert len({outcome.payload for outcome in kept}) == 1

    async def test_processes_that_decide_the_same_jobs_agree(self, in_processes: Together) -> None:
        first, second, third = await in_processes("decide_jobs", "one", "two", "three")
        assert first == second == third
        assert len(first) == 50

    async def test_a_decision_that_was_answered_survives_the_death_of_its_process(self, place: Place) -> None:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.contract.child", place.to_json(), "decide_for_ever", "job"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        answered: list[str] = []
        async with asyncio.timeout(CHILD_TIMEOUT_S):
            assert await child.stdout.readline() == b"ready\n"
            child.stdin.write(b"go\n")
            while len(answered) < 200:
                answered.append((await child.stdout.readline()).decode().strip())
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            rest, _ = await child.communicate()
        answered += rest.decode().split("\n")[:-1]
        stores = await open_stores(place)
        kept = [await stores.ledger.outcome(job) for job in answered]
        await stores.close()
        assert [outcome.payload.decode() if outcome else None for outcome in kept] == answered


class TestRememberedSteps:
    async def test_the_first_outcome_of_a_step_is_kept(self, ledger: VerdictLedger) -> None:
        assert await ledger.remember("job", 1, 0, "plan", b"first") == b"first"
        assert await ledger.remember("job", 1, 0, "plan", b"second") == b"first"

    async def test_what_was_remembered_can_be_asked_for_without_writing(self, ledger: VerdictLedger) -> None:
        assert await ledger.recall("job", 1, 0, "plan") is None
        assert await ledger.remember("job", 1, 0, "plan", b"first") == b"first"
        assert await ledger.recall("job", 1, 0, "plan") == b"first"
        assert await ledger.recall("job", 2, 0, "plan") is None

    async def test_loops_stages_and_attempts_are_told_apart(self, ledger: VerdictLedger) -> None:
        keys = [("job", 1, 0, "plan"), ("job", 1, 1, "plan"), ("job", 1, 0, "judge"), ("job", 2, 0, "plan")]
        for n, (job, attempt, loop, stage) in enumerate(keys):
            assert await ledger.remember(job, attempt, loop, stage, b"%d" % n) == b"%d" % n

    async def test_concurrent_steps_agree(self, ledger: VerdictLedger, other: Stores) -> None:
        answers = await asyncio.gather(
            *((ledger, other.ledger)[n % 2].remember("job", 1, 0, "plan", b"%d" % n) for n in range(40))
        )
        assert len(set(answers)) == 1


class TestParents:
    async def test_a_parent_completes_with_its_last_child(self, ledger: VerdictLedger) -> None:
        await ledger.open_parent("p", ["a", "b"], NOW)
        first = await ledger.add_sub_result("p", "b", b"B")
        assert (first.done, first.expected, first.just_completed, first.complete) == (1, 2, False, False)
        last = await ledger.add_sub_result("p", "a", b"A")
        assert (last.done, last.expected, last.just_completed, last.complete) == (2, 2, True, True)
        assert list((await ledger.sub_results("p")).items()) == [("a", b"A"), ("b", b"B")]

    async def test_a_child_that_reports_twice_counts_once(self, ledger: VerdictLedger) -> None:
        await ledger.open_parent("p", ["a", "b"], NOW)
        await ledger.add_sub_result("p", "a", b"first")
        again = await ledger.add_sub_result("p", "a", b"second")
        assert (again.done, again.just_completed) == (1, False)
        assert await ledger.sub_results("p") == {"a": b"first"}

    async def test_the_last_child_redelivered_sees_that_all_is_there(self, ledger: VerdictLedger) -> None:
        await ledger.open_parent("p", ["a"], NOW)
        assert (await ledger.add_sub_result("p", "a", b"A")).just_completed
        again = await ledger.add_sub_result("p", "a", b"A")
        assert again.complete
        assert not again.just_completed

    async def test_the_first_registration_is_kept(self, ledger: VerdictLedger) -> None:
        first = await ledger.open_parent("p", ["b", "a"], NOW)
        assert first.children == ("b", "a")
        assert await ledger.open_parent("p", ["c"], NOW + DAY) == first
        assert await ledger.parent("p") == first
        assert await ledger.parent("nobody") is None

    async def test_unknown_parents_and_children_are_refused(self, ledger: VerdictLedger) -> None:
        await ledger.open_parent("p", ["a"], NOW)
        with pytest.raises(JobUnknown, match="'x'"):
            await ledger.add_sub_result("p", "x", b"")
        with pytest.raises(JobUnknown, match="'q'"):
            await ledger.add_sub_result("q", "a", b"")
        assert await ledger.sub_results("q") == {}

    async def test_exactly_one_of_many_tasks_completes_a_parent(self, ledger: VerdictLedger, other: Stores) -> None:
        children = [f"child-{n}" for n in range(20)]
        await ledger.open_parent("p", children, NOW)
        reports = [(children[n % 20], (ledger, other.ledger)[n // 20 % 2]) for n in range(80)]
        joins = await asyncio.gather(*(handle.add_sub_result("p", child, b"r") for child, handle in reports))
        assert sum(join.just_completed for join in joins) == 1
        assert max(join.done for join in joins) == 20

    async def test_exactly_one_of_several_processes_completes_each_parent(
        self, ledger: VerdictLedger, in_processes: Together
    ) -> None:
        parents = [f"parent-{n}" for n in range(20)]
        for parent in parents:
            await ledger.open_parent(parent, ["a", "b", "c"], NOW)
        completions = await in_processes("complete_parents", "one", "two", "three")
        assert sorted(parent for completed in completions for parent in completed) == sorted(parents)

    async def test_an_overdue_parent_is_closed_once(self, ledger: VerdictLedger) -> None:
        await ledger.open_parent("late", ["a", "b"], NOW)
        await ledger.open_parent("done", ["a"], NOW)
        await ledger.open_parent("early", ["a"], NOW + DAY)
        await ledger.add_sub_result("done", "a", b"")
        assert await ledger.close_overdue(NOW) == ["late"]
        assert await ledger.close_overdue(NOW) == []
        assert await ledger.close_overdue(NOW + DAY) == ["early"]

    async def test_a_result_after_the_deadline_is_kept_but_completes_nothing(self, ledger: VerdictLedger) -> None:
        await ledger.open_parent("p", ["a"], NOW)
        await ledger.close_overdue(NOW)
        join = await ledger.add_sub_result("p", "a", b"late")
        assert join.overdue
        assert not join.just_completed
        assert await ledger.sub_results("p") == {"a": b"late"}

    async def test_several_processes_close_each_overdue_parent_once(
        self, ledger: VerdictLedger, in_processes: Together
    ) -> None:
        parents = [f"parent-{n:02}" for n in range(30)]
        for parent in parents:
            await ledger.open_parent(parent, ["a"], NOW)
        closed = await in_processes("close_parents", "one", "two")
        assert sorted(closed[0] + closed[1]) == parents

    async def test_closed_parents_without_a_verdict_are_found_until_decided(self, ledger: VerdictLedger) -> None:
        for parent in ("complete", "overdue", "waiting", "decided"):
            await ledger.open_job(a_job(parent))
            await ledger.open_parent(parent, ["a"], NOW + DAY if parent == "waiting" else NOW)
        await ledger.add_sub_result("complete", "a", b"")
        await ledger.add_sub_result("decided", "a", b"")
        await ledger.decide(completed("decided"))
        await ledger.close_overdue(NOW)
        assert sorted(await ledger.stranded_parents(NOW + DAY)) == ["complete", "overdue"]
        await ledger.decide(completed("complete"))
        await ledger.decide(completed("overdue"))
        assert await ledger.stranded_parents(NOW + DAY) == []


class TestProvenance:
    async def test_a_verdict_leads_to_its_evidence_and_sources_in_order(self, ledger: VerdictLedger) -> None:
        refs = [
            EvidenceRef("e2", "https://a.org/1", "a.org", "Title", "supports", 0.75, "hash"),
            EvidenceRef("e1", "https://a.org/1", "a.org", "Title", "refutes", 0.5, "other"),
            EvidenceRef("e3"),
        ]
        await ledger.record_provenance("job", refs)
        assert await ledger.provenance("job") == refs
        assert await ledger.provenance("nobody") == []

    async def test_recording_again_replaces(self, ledger: VerdictLedger) -> None:
        await ledger.record_provenance("job", [EvidenceRef("e1"), EvidenceRef("e2")])
        await ledger.record_provenance("job", [EvidenceRef("e2")])
        await ledger.record_provenance("job", [EvidenceRef("e2")])
        assert await ledger.provenance("job") == [EvidenceRef("e2")]

    async def test_concurrent_batches_that_share_sources_all_succeed(
        self, ledger: VerdictLedger, other: Stores
    ) -> None:
        def refs(job: int) -> list[EvidenceRef]:
            pages = [(job + n) % 7 for n in range(5)]
            return [EvidenceRef(f"e{job}-{page}", f"https://a.org/{page}", "a.org", "T") for page in pages]

        handles = (ledger, other.ledger)
        await asyncio.gather(*(handles[n % 2].record_provenance(f"job-{n}", refs(n)) for n in range(40)))
        for n in range(40):
            assert await ledger.provenance(f"job-{n}") == refs(n)


class TestAudit:
    @staticmethod
    def entry(n: int, workspace: str = "w", job: str = "job", age: int = 0) -> AuditEntry:
        return AuditEntry(f"entry-{n}", job, NOW - age * DAY, b'{"n": 1}', workspace, "user", "session")

    async def test_entries_are_found_by_workspace_and_by_job_oldest_first(self, ledger: VerdictLedger) -> None:
        entries = [self.entry(0, "w1", "j1"), self.entry(1, "w1", "j2", age=1), self.entry(2, "w2", "j1", age=2)]
        for entry in entries:
            await ledger.append_audit(entry)
        assert await ledger.audit(workspace_id="w1") == [entries[1], entries[0]]
        assert await ledger.audit(job_id="j1") == [entries[2], entries[0]]
        assert await ledger.audit(workspace_id="w2", job_id="j1") == [entries[2]]
        assert await ledger.audit(limit=1) == [entries[2]]

    async def test_appending_an_entry_twice_is_once(self, ledger: VerdictLedger) -> None:
        await ledger.append_audit(self.entry(0))
        await ledger.append_audit(self.entry(0))
        assert len(await ledger.audit(job_id="job")) == 1

    async def test_a_purge_keeps_ninety_days_unless_the_workspace_says_otherwise(self, ledger: VerdictLedger) -> None:
        for n, (workspace, age) in enumerate([("w", 89), ("w", 91), ("short", 8), ("short", 6), ("long", 300)]):
            await ledger.append_audit(self.entry(n, workspace, age=age))
        retention = Retention(per_workspace={"short": 7 * DAY, "long": 365 * DAY})
        assert await ledger.purge(NOW, retention) == 2
        assert sorted(entry.entry_id for entry in await ledger.audit()) == ["entry-0", "entry-3", "entry-4"]
        assert await ledger.purge(NOW) == 1
        assert await ledger.purge(NOW) == 0


class TestWhatIsStored:
    @pytest.mark.parametrize("text", HOSTILE)
    async def test_hostile_text_comes_back_as_it_went_in(self, ledger: VerdictLedger, text: str) -> None:
        record = JobRecord("job", text, text.encode(), NOW, room_id=text, workspace_id=text)
        await ledger.open_job(record)
        assert await ledger.job("job") == record
        assert await ledger.jobs(room_id=text) == [record]
        ref = EvidenceRef("e", domain=text, title=text, stance=text)
        await ledger.record_provenance("job", [ref])
        assert await ledger.provenance("job") == [ref]

    @pytest.mark.parametrize("text", SHORT_HOSTILE)
    async def test_hostile_ids_are_ids_like_any_other(self, ledger: VerdictLedger, text: str) -> None:
        await ledger.open_job(a_job("bystander"))
        await ledger.open_job(a_job(text))
        assert (await ledger.decide(completed(text))).job_id == text
        assert await ledger.remember(text, 1, 0, text, b"kept") == b"kept"
        await ledger.open_parent(text, [text], NOW)
        assert (await ledger.add_sub_result(text, text, b"")).just_completed
        bystander = await ledger.job("bystander")
        assert bystander is not None
        assert bystander.state is JobState.OPEN

    async def test_what_cannot_be_an_id_is_refused(self, ledger: VerdictLedger) -> None:
        with pytest.raises(StoreRefused, match="job_id must not be empty"):
            a_job("")
        with pytest.raises(StoreRefused, match="job_id is 1000 characters long"):
            a_job("x" * 1000)
        with pytest.raises(StoreRefused, match="job_id must not be empty"):
            await ledger.remember("", 1, 0, "plan", b"")
        with pytest.raises(StoreRefused, match="not valid Unicode"):
            await ledger.open_parent("p", [LONE_SURROGATE], NOW)

    async def test_a_lone_surrogate_is_refused(self) -> None:
        with pytest.raises(StoreRefused, match="room_id is not valid Unicode text"):
            a_job(room=LONE_SURROGATE)

    async def test_a_moment_without_time_zone_is_refused(self, ledger: VerdictLedger) -> None:
        naive = NOW.replace(tzinfo=None)
        with pytest.raises(StoreRefused, match="opened_at needs a time zone"):
            a_job(at=naive)
        with pytest.raises(StoreRefused, match="now needs a time zone"):
            await ledger.close_overdue(naive)

    async def test_what_one_handle_writes_the_other_reads(self, ledger: VerdictLedger, other: Stores) -> None:
        await ledger.open_job(a_job())
        assert await other.ledger.job("job") == a_job()
        await other.ledger.decide(completed())
        assert await ledger.outcome("job") == completed()
        assert await ledger.open_load() == OpenLoad(0, 0)
