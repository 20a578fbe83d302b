"""Whose fault silence is, decided from plain facts."""

import pytest

from tenax.config.network import NetworkSettings
from tenax.policy.outages import (
    GRACE_S,
    PORTAL_S,
    NetworkState,
    ReferenceAnswers,
    Suspect,
    find_portal,
    is_cleared,
    judge_references,
    plan_check,
)
from tenax.records.requests import FailureKind

SETTINGS = NetworkSettings(sites=3, quiet_s=10)
UP, DOWN, UNKNOWN = NetworkState.UP, NetworkState.DOWN, NetworkState.UNKNOWN


def suspect(
    site: str = "a.test", kind: FailureKind | None = FailureKind.TIMEOUT, at: float = 100.0
) -> Suspect:
    return Suspect(site=site, kind=kind, ended_at=at)


def redirect(site: str, to_site: str = "portal.test", at: float = 100.0) -> Suspect:
    return Suspect(site=site, kind=None, ended_at=at, to_site=to_site)


# --- other sites ---------------------------------------------------------------------------------------


def test_another_site_that_answered_a_later_request_shows_that_the_network_works() -> None:
    assert is_cleared(suspect(at=100), site="b.test", started_at=100)


def test_an_answer_to_an_earlier_request_shows_nothing() -> None:
    assert not is_cleared(suspect(at=100), site="b.test", started_at=99.9)


def test_the_same_site_shows_nothing_about_itself() -> None:
    assert not is_cleared(suspect(at=100), site="a.test", started_at=101)


@pytest.mark.parametrize("kind", [FailureKind.DNS, FailureKind.NO_SUCH_HOST])
def test_an_answer_from_a_known_address_shows_nothing_about_name_servers(kind: FailureKind) -> None:
    assert not is_cleared(suspect(kind=kind), site="b.test", started_at=101)


# --- when the references are asked ---------------------------------------------------------------------


def test_without_a_suspect_nobody_is_asked() -> None:
    assert plan_check([], quiet_since=None, settings=SETTINGS) is None


def test_one_suspect_waits_a_moment_for_other_sites() -> None:
    assert plan_check([suspect(at=100)], quiet_since=None, settings=SETTINGS) == 100 + GRACE_S


def test_several_unrelated_suspects_are_looked_into_at_once() -> None:
    found = [suspect(f"{name}.test", at=100) for name in "abc"]
    assert plan_check(found, quiet_since=None, settings=SETTINGS) == 100


def test_several_suspects_of_one_site_wait_like_one() -> None:
    assert plan_check([suspect(at=100)] * 9, quiet_since=None, settings=SETTINGS) == 100 + GRACE_S


@pytest.mark.parametrize("kind", [FailureKind.NO_ROUTE, FailureKind.LOCAL])
def test_a_request_that_could_not_leave_is_looked_into_at_once(kind: FailureKind) -> None:
    assert plan_check([suspect(kind=kind, at=100)], quiet_since=None, settings=SETTINGS) == 100


def test_quiet_is_looked_into_after_a_while() -> None:
    assert plan_check([], quiet_since=100, settings=SETTINGS) == 110


def test_a_redirect_waits_for_others_to_the_same_place() -> None:
    assert plan_check([redirect("a.test", at=100)], quiet_since=None, settings=SETTINGS) == 100 + PORTAL_S


# --- what their answers mean ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "hosts", "gateway", "state"),
    [
        (True, None, None, UP),
        (None, True, None, UP),
        (False, True, None, UP),
        # All sites may be dead, and those that answered lately among them.
        (True, False, None, UP),
        (False, False, None, DOWN),
        (None, False, None, DOWN),
        (False, None, True, UP),
        (False, None, False, DOWN),
        (None, None, True, UP),
        (None, None, False, DOWN),
        (None, None, None, UNKNOWN),
        (False, None, None, UNKNOWN),
    ],
)
def test_any_answer_shows_that_the_network_works(
    names: bool | None, hosts: bool | None, gateway: bool | None, state: NetworkState
) -> None:
    found = ReferenceAnswers(names=names, hosts=hosts, gateway=gateway)
    assert judge_references(found, needs_names=False) is state


@pytest.mark.parametrize("hosts", [True, False, None])
def test_where_hosts_are_looked_up_nothing_works_without_name_servers(hosts: bool | None) -> None:
    found = ReferenceAnswers(names=False, hosts=hosts, gateway=True)
    assert judge_references(found, needs_names=True) is DOWN


# --- captive portals -----------------------------------------------------------------------------------


def test_unrelated_sites_that_redirect_to_one_place_have_a_captive_portal_in_front() -> None:
    assert find_portal([redirect(f"{name}.test") for name in "abc"], SETTINGS) == "portal.test"


def test_one_site_may_redirect_anywhere_as_often_as_it_likes() -> None:
    assert find_portal([redirect("a.test")] * 9, SETTINGS) is None


def test_sites_that_redirect_to_different_places_have_nothing_in_common() -> None:
    assert find_portal([redirect(f"{name}.test", f"{name}.example") for name in "abc"], SETTINGS) is None


def test_failures_are_no_redirects() -> None:
    assert find_portal([suspect(f"{name}.test") for name in "abc"], SETTINGS) is None
