"""Whether the dates of a sitemap say when its pages changed."""

from tenax.policy.lastmod import Lastmods
from tenax.records.sitemaps import LastmodTrust

NOW = 1_800_000_000.0
HOUR_S, DAY_S = 3600.0, 86_400.0


def judge(*ages_s: float, fresh_reads: int = 0) -> tuple[LastmodTrust, int]:
    lastmods = Lastmods(NOW)
    for age_s in ages_s:
        lastmods.add(NOW - age_s)
    verdict = lastmods.judge(fresh_reads)
    return verdict.trust, verdict.fresh_reads


def test_without_dates_there_is_nothing_to_trust() -> None:
    assert judge() == (LastmodTrust.NONE, 0)


def test_different_dates_are_trusted() -> None:
    assert judge(DAY_S / 2, 40 * DAY_S, 400 * DAY_S) == (LastmodTrust.TRUSTED, 0)


def test_dates_that_all_say_now_are_found_out_at_once() -> None:
    assert judge(0.0, 1.0, 2.0)[0] is LastmodTrust.IGNORED


def test_dates_that_all_say_today_are_found_out_at_once() -> None:
    assert judge(*[9 * HOUR_S] * 5)[0] is LastmodTrust.IGNORED


def test_one_old_date_for_all_pages_is_trusted() -> None:
    assert judge(*[90 * DAY_S] * 5)[0] is LastmodTrust.TRUSTED


def test_scattered_dates_of_the_last_day_are_trusted_once() -> None:
    ages = [HOUR_S, 5 * HOUR_S, 9 * HOUR_S]
    assert judge(*ages) == (LastmodTrust.TRUSTED, 1)
    assert judge(*ages, fresh_reads=1) == (LastmodTrust.IGNORED, 2)


def test_trust_comes_back_with_older_dates() -> None:
    assert judge(HOUR_S, 30 * DAY_S, 31 * DAY_S, fresh_reads=5) == (LastmodTrust.TRUSTED, 0)


def test_a_page_that_was_just_changed_is_no_suspect() -> None:
    assert judge(60.0)[0] is LastmodTrust.TRUSTED
