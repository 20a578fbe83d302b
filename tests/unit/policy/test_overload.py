from tenax.policy.overload import LONGEST_PAUSE_S, plan_pause


def test_pauses_double_up_to_a_longest_one() -> None:
    pause_s, pauses = 0.0, []
    for _ in range(10):
        pause_s = plan_pause(pause_s)
        pauses.append(pause_s)
    assert pauses[:3] == [0.1, 0.2, 0.4]
    assert pauses[-1] == LONGEST_PAUSE_S
