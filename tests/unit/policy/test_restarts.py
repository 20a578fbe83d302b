"""The pause before a worker is replaced."""

from tenax.policy.restarts import FIRST_PAUSE_S, LONGEST_PAUSE_S, plan_restart


def test_the_first_death_is_nobody_s_fault() -> None:
    assert plan_restart(1) == 0.0


def test_each_further_death_doubles_the_pause() -> None:
    assert [plan_restart(deaths) for deaths in (2, 3, 4)] == [
        FIRST_PAUSE_S,
        2 * FIRST_PAUSE_S,
        4 * FIRST_PAUSE_S,
    ]


def test_the_pause_has_a_limit() -> None:
    assert plan_restart(10**6) == LONGEST_PAUSE_S
