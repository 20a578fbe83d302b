"""Roots: what a process knows about the seeds of a crawl, and when only the store knows."""

import pytest

from tenax.config.crawl import ScopeKind
from tenax.policy import roots as module
from tenax.policy.roots import Roots, list_hosts, list_roots, root_of

A = "https://www.a.co.uk/start"


@pytest.mark.parametrize(
    ("kind", "root"),
    [(ScopeKind.HOST, "www.a.co.uk"), (ScopeKind.DOMAIN, "a.co.uk"), (ScopeKind.SITE, "a.co.uk")],
)
def test_a_seed_has_a_root_of_each_kind(kind: ScopeKind, root: str) -> None:
    assert root_of(kind, A) == root
    assert Roots(kind, [A]).find(root) is True


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://a.test:80/", "a.test"),
        ("https://a.test:443/", "a.test"),
        ("http://a.test:8080/", "a.test:8080"),
    ],
)
def test_http_and_https_of_a_name_are_one_host(url: str, host: str) -> None:
    assert root_of(ScopeKind.HOST, url) == host


@pytest.mark.parametrize(
    ("domain", "hosts"),
    [
        ("a.test", ("a.test", "www.a.test")),
        ("a.test:81", ("a.test:81", "www.a.test:81")),
        ("com", ("com",)),  # www.com is a domain of its own
    ],
)
def test_a_domain_has_a_host_with_www_and_one_without(domain: str, hosts: tuple[str, ...]) -> None:
    assert list_hosts(domain) == hosts


@pytest.mark.parametrize(
    ("kind", "roots"),
    [
        (ScopeKind.HOST, ("x.a.co.uk", "www.x.a.co.uk")),
        (ScopeKind.DOMAIN, ("x.a.co.uk",)),
        (ScopeKind.SITE, ("a.co.uk",)),
    ],
)
def test_a_domain_says_which_roots_its_urls_may_have(kind: ScopeKind, roots: tuple[str, ...]) -> None:
    assert list_roots(kind, "x.a.co.uk") == roots


def test_of_few_seeds_all_is_known() -> None:
    roots = Roots(ScopeKind.DOMAIN, [A])
    assert roots.is_complete
    assert roots.find("b.test") is False


def test_of_a_long_list_only_the_store_knows_the_rest() -> None:
    roots = Roots(ScopeKind.DOMAIN, [A], others=999_999)
    assert not roots.is_complete
    assert (roots.find("a.co.uk"), roots.find("b.test")) == (True, None)


def test_what_the_store_said_is_remembered() -> None:
    roots = Roots(ScopeKind.DOMAIN, others=9)
    roots.cache({"a.test": True, "b.test": False})
    assert (roots.find("a.test"), roots.find("b.test")) == (True, False)


def test_what_the_store_said_is_forgotten_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED", 2)
    roots = Roots(ScopeKind.DOMAIN, others=9)
    roots.cache({"a.test": True, "b.test": False})
    roots.cache({"c.test": True})
    assert (roots.find("a.test"), roots.find("c.test")) == (None, True)


def test_roots_of_one_lookup_are_cached_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED", 2)
    roots = Roots(ScopeKind.DOMAIN, others=9)
    roots.cache({"a.test": True, "b.test": True, "c.test": True})
    assert [roots.find(name) for name in ("a.test", "b.test", "c.test")] == [True, True, True]


def test_the_roots_of_leased_domains_are_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED", 1)
    roots = Roots(ScopeKind.DOMAIN, others=9)
    roots.hold({"a.test": True})
    roots.cache({"b.test": True})
    roots.cache({"c.test": True})
    assert roots.find("a.test") is True


def test_a_seed_that_comes_later_overrules_what_the_store_said() -> None:
    roots = Roots(ScopeKind.DOMAIN, others=9)
    roots.hold({"a.test": False})
    roots.cache({"b.test": False})
    assert roots.add("https://a.test/")
    assert roots.add("https://b.test/")
    roots.cache({f"s{number}.test": False for number in range(module.MAX_CACHED)})
    assert roots.find("a.test") is True


def test_a_seed_of_a_known_root_is_nothing_new() -> None:
    roots = Roots(ScopeKind.DOMAIN, [A], others=9)
    assert not roots.add("https://a.co.uk/other")


def test_too_many_seeds_to_hold_are_left_to_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_HELD", 2)
    roots = Roots(ScopeKind.DOMAIN)
    for number in range(3):
        assert roots.add(f"https://s{number}.test/")
    assert not roots.is_complete
    assert [roots.find(f"s{number}.test") for number in range(4)] == [True, True, True, None]


def test_many_seeds_at_once_make_all_answers_doubtful() -> None:
    roots = Roots(ScopeKind.DOMAIN, [A])
    roots.add_many(1_000_000)
    assert (roots.find("a.co.uk"), roots.find("b.test")) == (True, None)


def test_the_sentence_names_three_and_counts_the_others() -> None:
    seeds = [f"https://s{number}.test/" for number in range(5)]
    detail = "outside the crawl's domains (s0.test, s1.test, s2.test and 2 more)"
    assert Roots(ScopeKind.DOMAIN, seeds).outside.detail == detail
    assert Roots(ScopeKind.DOMAIN, seeds[:3], others=2).outside.detail == detail


def test_any_has_no_roots_to_hold() -> None:
    roots = Roots(ScopeKind.ANY, [A], others=9)
    assert roots.is_complete
    assert not roots.add("https://b.test/")
