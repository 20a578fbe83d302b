"""When a worker is stalled, why, and what it does: pure decisions."""

from typing import Any

import pytest

from tenax.policy.stalls import (
    ADVICE,
    CHECKS_BEFORE_RESTART,
    MEMORY_SAMPLES,
    StallAction,
    StallCause,
    StallEvidence,
    add_silence,
    diagnose,
    exceeds_memory,
    measure_idle,
    plan_action,
)

WELL: dict[str, Any] = {
    "idle_s": 300.0,
    "operation": None,
    "store_error": None,
    "store_s": 0.01,
    "disk_free_bytes": 10**9,
    "rss_bytes": 10**8,
    "is_full": False,
    "lag_s": 0.0,
    "network": None,
    "answered_s": 310.0,
    "names": None,
    "longest_url": None,
    "longest_s": 0.0,
}


def make_evidence(**fields: Any) -> StallEvidence:
    return StallEvidence(**{**WELL, **fields})


# --- how long ----------------------------------------------------------------------------------


def test_without_anything_due_nothing_is_idle() -> None:
    assert measure_idle(900.0, acted_at=0.0, due_since=None, steady_since=0.0) == 0.0


def test_idle_time_counts_from_the_last_action() -> None:
    assert measure_idle(900.0, acted_at=600.0, due_since=100.0, steady_since=0.0) == 300.0


def test_idle_time_counts_from_when_something_became_due() -> None:
    assert measure_idle(900.0, acted_at=0.0, due_since=880.0, steady_since=0.0) == 20.0


def test_time_before_a_gap_does_not_count() -> None:
    assert measure_idle(900.0, acted_at=0.0, due_since=10.0, steady_since=895.0) == 5.0


# --- why ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"store_error": "no answer within 5 s"}, StallCause.STORE),
        ({"operation": "claim"}, StallCause.STORE),
        ({"disk_free_bytes": 1000}, StallCause.DISK),
        ({"network": "no route"}, StallCause.NETWORK),
        ({"names": "no DNS server answered within 5 s"}, StallCause.DNS),
        ({"is_full": True}, StallCause.MEMORY),
        ({"lag_s": 3.0}, StallCause.LOOP),
        ({}, StallCause.WORKER),
    ],
)
def test_the_first_thing_that_is_wrong_is_the_cause(fields: dict[str, Any], cause: StallCause) -> None:
    found, sentence = diagnose(make_evidence(**fields))
    assert found is cause
    assert sentence.endswith(".")


def test_a_store_that_does_not_answer_comes_before_everything_else() -> None:
    evidence = make_evidence(store_error="no answer", network="no route", names="none", is_full=True)
    assert diagnose(evidence)[0] is StallCause.STORE


def test_an_unknown_disk_is_not_a_full_one() -> None:
    assert diagnose(make_evidence(disk_free_bytes=None))[0] is StallCause.WORKER


def test_every_cause_has_advice() -> None:
    assert set(ADVICE) == set(StallCause)


# --- what to do --------------------------------------------------------------------------------


def plan(evidence: StallEvidence, checks: int) -> StallAction:
    return plan_action(evidence, diagnose(evidence)[0], checks, store_checks=3)


def test_a_store_that_does_not_answer_is_given_up_after_its_checks() -> None:
    dead = make_evidence(store_error="no answer")
    assert [plan(dead, checks) for checks in (1, 2, 3)] == [
        StallAction.WAIT,
        StallAction.WAIT,
        StallAction.GIVE_UP,
    ]


def test_a_slow_operation_of_a_store_that_answers_is_waited_for() -> None:
    assert plan(make_evidence(operation="claim"), 100) is StallAction.WAIT


@pytest.mark.parametrize("fields", [{"network": "down"}, {"names": "none"}, {"disk_free_bytes": 0}])
def test_what_another_process_could_not_do_either_is_waited_for(fields: dict[str, Any]) -> None:
    assert plan(make_evidence(**fields), 100) is StallAction.WAIT


def test_a_worker_at_fault_is_woken_first_and_restarted_then() -> None:
    assert plan(make_evidence(), 1) is StallAction.WAKE
    assert plan(make_evidence(), CHECKS_BEFORE_RESTART) is StallAction.RESTART


# --- memory ------------------------------------------------------------------------------------


def test_memory_is_judged_by_several_samples() -> None:
    assert not exceeds_memory([101] * (MEMORY_SAMPLES - 1), 100)
    assert exceeds_memory([101] * MEMORY_SAMPLES, 100)


def test_one_sample_within_the_limit_is_enough() -> None:
    assert not exceeds_memory([101] * (MEMORY_SAMPLES - 1) + [100], 100)


# --- a blocked loop ----------------------------------------------------------------------------


def test_silence_adds_up() -> None:
    assert add_silence(10.0, 1.1, 1.0) == pytest.approx(11.1)


def test_time_that_the_thread_was_stopped_itself_hardly_counts() -> None:
    assert add_silence(10.0, 3600.0, 1.0) == 12.0
