"""Scope: which urls are admitted, and the reasons for refusing others."""

import pytest

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.errors import ConfigError
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.records.urls import RefusalReason

SEED = "https://www.example.com/start"


def build(
    *seeds: str,
    kind: ScopeKind = ScopeKind.DOMAIN,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    limits: LimitSettings | None = None,
) -> Scope:
    settings = ScopeSettings(kind=kind, include=include, exclude=exclude)
    return Scope.build(settings, limits or LimitSettings(), Roots(kind, seeds or (SEED,)))


def reason_of(scope: Scope, url: str, depth: int = 1, *, is_seed: bool = False) -> str | None:
    refused = scope.check(url, depth, is_seed=is_seed)
    return None if refused is None else refused.reason


def detail_of(scope: Scope, url: str, depth: int = 1, *, is_seed: bool = False) -> str:
    refused = scope.check(url, depth, is_seed=is_seed)
    assert refused is not None
    return refused.detail


# --- roots -----------------------------------------------------------------------------------

HERE = "https://www.example.com/a"
BARE = "http://example.com/a"
HTTP = "http://www.example.com/a"
PORT = "https://www.example.com:8443/a"
SUB = "https://blog.example.com/a"
ELSEWHERE = "https://example.org/a"
ALL = (HERE, BARE, HTTP, PORT, SUB, ELSEWHERE)


@pytest.mark.parametrize(
    ("kind", "admitted"),
    [
        (ScopeKind.HOST, {HERE, HTTP}),
        (ScopeKind.DOMAIN, {HERE, HTTP, BARE}),
        (ScopeKind.SITE, {HERE, HTTP, BARE, PORT, SUB}),
        (ScopeKind.ANY, set(ALL)),
    ],
)
def test_a_kind_admits_its_own_and_nothing_else(kind: ScopeKind, admitted: set[str]) -> None:
    scope = build(kind=kind)
    assert {url for url in ALL if scope.check(url, 1) is None} == admitted


def test_the_host_kind_knows_ports() -> None:
    scope = build("http://example.com:8080/", kind=ScopeKind.HOST)
    assert reason_of(scope, "http://example.com:8080/x") is None
    assert reason_of(scope, "http://example.com/x") == RefusalReason.OUT_OF_SCOPE


def test_the_site_kind_stops_at_public_suffixes() -> None:
    scope = build("https://a.co.uk/", kind=ScopeKind.SITE)
    assert reason_of(scope, "https://b.co.uk/") == RefusalReason.OUT_OF_SCOPE


def test_a_domain_given_by_the_caller_is_believed() -> None:
    assert build().check("https://other.example/", 1, domain="example.com") is None


def test_a_seed_is_exempt_from_roots_include_and_depth() -> None:
    scope = build(include=("/blog/",), limits=LimitSettings(max_depth=0))
    assert scope.check(ELSEWHERE, 5, is_seed=True) is None


def test_a_scope_without_seeds_admits_nothing() -> None:
    scope = Scope.build(ScopeSettings(), LimitSettings(), Roots(ScopeKind.DOMAIN))
    assert detail_of(scope, HERE) == "outside the crawl's domains (none)"


def test_a_redirected_seed_adds_its_root() -> None:
    scope = build()
    assert scope.roots.add("https://example.org/welcome")
    assert reason_of(scope, ELSEWHERE) is None
    assert reason_of(scope, HERE) is None


@pytest.mark.parametrize("kind", list(ScopeKind))
def test_a_seed_under_a_known_root_changes_nothing(kind: ScopeKind) -> None:
    assert not build(kind=kind).roots.add("https://www.example.com/other")


# --- limits and patterns ---------------------------------------------------------------------


def test_a_url_as_long_as_the_limit_is_admitted() -> None:
    limits = LimitSettings(url_length=len(HERE))
    assert reason_of(build(limits=limits), HERE) is None
    assert reason_of(build(limits=limits), HERE + "b") == RefusalReason.URL_TOO_LONG


def test_a_url_at_the_depth_limit_is_admitted() -> None:
    scope = build(limits=LimitSettings(max_depth=10))
    assert reason_of(scope, HERE, 10) is None
    assert reason_of(scope, HERE, 11) == RefusalReason.TOO_DEEP


def test_an_exclude_pattern_matches_anywhere_in_the_url() -> None:
    scope = build(exclude=("/cart",))
    assert reason_of(scope, "https://example.com/shop/cart/3") == RefusalReason.EXCLUDED
    assert reason_of(scope, "https://example.com/shop") is None


def test_a_url_must_match_one_include_pattern() -> None:
    scope = build(include=("/blog/", "/news/"))
    assert reason_of(scope, "https://example.com/news/1") is None
    assert reason_of(scope, "https://example.com/about") == RefusalReason.NOT_INCLUDED


def test_seeds_answer_to_exclude_and_length() -> None:
    scope = build(exclude=("/start",), limits=LimitSettings(url_length=40))
    assert reason_of(scope, SEED, 0, is_seed=True) == RefusalReason.EXCLUDED
    assert reason_of(scope, SEED + "x" * 40, 0, is_seed=True) == RefusalReason.URL_TOO_LONG


def test_an_inline_flag_stays_inside_its_own_pattern() -> None:
    scope = build(exclude=("(?i)/LOGIN", "/Private"))
    assert reason_of(scope, "https://example.com/login") == RefusalReason.EXCLUDED
    assert reason_of(scope, "https://example.com/private") is None


def test_the_rules_are_checked_in_order() -> None:
    limits = LimitSettings(url_length=60, max_depth=1)
    scope = build(include=("/in/",), exclude=("/out/",), limits=limits)
    foreign = "https://example.org/"
    asked = [
        (foreign + "out/" + "x" * 60, RefusalReason.URL_TOO_LONG),
        (foreign + "out/", RefusalReason.EXCLUDED),
        (foreign, RefusalReason.OUT_OF_SCOPE),
        ("https://example.com/", RefusalReason.NOT_INCLUDED),
        ("https://example.com/in/", RefusalReason.TOO_DEEP),
    ]
    assert [reason_of(scope, url, 9) for url, _ in asked] == [reason for _, reason in asked]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "missing )"),
        ("(?=x)", "invalid perl operator"),
        ("\udc80", "not valid Unicode"),
    ],
)
def test_a_bad_pattern_is_named_with_its_reason(pattern: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(exclude=("fine", pattern))
    assert f"--exclude '{pattern}' is not a valid RE2 pattern: " in str(caught.value)
    assert reason in str(caught.value)


def test_an_empty_pattern_is_refused_because_it_matches_everything() -> None:
    with pytest.raises(ConfigError, match="--include is empty"):
        build(include=("",))


def test_a_pattern_takes_linear_time_on_hostile_urls() -> None:
    scope = build(exclude=("(a+)+$",), limits=LimitSettings(url_length=100_000))
    assert reason_of(scope, "https://example.com/" + "a" * 50_000 + "!") is None


# --- sentences -------------------------------------------------------------------------------


def test_the_sentences_name_the_rule() -> None:
    scope = build(include=("/in",), exclude=("/cart",), limits=LimitSettings(url_length=50))
    said = [
        detail_of(scope, "https://example.com/" + "x" * 40),
        detail_of(scope, "https://example.com/cart"),
        detail_of(scope, "https://example.org/in"),
        detail_of(scope, "https://example.com/a"),
        detail_of(scope, "https://example.com/in", 12),
    ]
    assert said == [
        "60 characters long, the limit is 50",
        "matches --exclude '/cart'",
        "outside the crawl's domains (example.com)",
        "matches no --include pattern",
        "12 links deep, the limit is 10",
    ]


def test_one_link_is_singular() -> None:
    assert detail_of(build(limits=LimitSettings(max_depth=0)), HERE) == ("1 link deep, the limit is 0")


def test_three_roots_are_named_and_the_others_counted() -> None:
    scope = build(*(f"https://{name}.example/" for name in "abcde"), kind=ScopeKind.HOST)
    assert detail_of(scope, HERE) == (
        "outside the crawl's hosts (a.example, b.example, c.example and 2 more)"
    )


# --- whole domains ---------------------------------------------------------------------------


# --- properties ------------------------------------------------------------------------------
