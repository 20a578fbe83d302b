"""Scope: which urls are admitted, and the reasons for refusing others."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.web.urls import domain_of, parse_url

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


hosts = st.sampled_from(
    [
        "example.com",
        "www.example.com",
        "blog.example.com",
        "example.com:8080",
        "example.com:443",
        "a.co.uk",
        "b.co.uk",
        "www.a.co.uk",
        "127.0.0.1",
        "127.0.0.1:8000",
        "[::1]",
        "[::1]:8000",
        "localhost",
        "bücher.example",
    ]
)


paths = st.text(alphabet="ab/?&=%.é \\#", max_size=12)


urls = st.builds(
    lambda scheme, host, path: parse_url(f"{scheme}://{host}/{path}"),
    st.sampled_from(["http", "https"]),
    hosts,
    paths,
).filter(lambda url: url is not None)


depths = st.integers(min_value=0, max_value=20)


patterns = st.lists(st.sampled_from(["/a", "b$", "^https:", r"\?"]), max_size=3).map(tuple)


@given(st.lists(urls, max_size=4), urls, depths, st.sampled_from(ScopeKind), patterns, patterns)
def test_check_answers_the_same_twice_and_with_the_domain_given(
    seeds: list[str],
    url: str,
    depth: int,
    kind: ScopeKind,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> None:
    settings = ScopeSettings(kind=kind, include=include, exclude=exclude)
    scope = Scope.build(settings, LimitSettings(), Roots(kind, seeds))
    first = scope.check(url, depth)
    assert scope.check(url, depth) == first
    assert scope.check(url, depth, domain=domain_of(url)) == first


@given(st.lists(urls, max_size=4), urls, depths)
def test_a_wider_kind_admits_whatever_a_narrower_one_does(seeds: list[str], url: str, depth: int) -> None:
    widening = (ScopeKind.HOST, ScopeKind.DOMAIN, ScopeKind.SITE, ScopeKind.ANY)
    admitted = [
        Scope.build(ScopeSettings(kind=kind), LimitSettings(), Roots(kind, seeds)).check(url, depth) is None
        for kind in widening
    ]
    assert admitted == sorted(admitted)


@given(st.lists(urls, max_size=4), urls, st.sampled_from(ScopeKind))
def test_a_seed_added_admits_its_own_url(seeds: list[str], url: str, kind: ScopeKind) -> None:
    scope = Scope.build(ScopeSettings(kind=kind), LimitSettings(), Roots(kind, seeds))
    scope.roots.add(url)
    assert scope.check(url, 1) is None


@given(st.text(max_size=50), depths, st.sampled_from([ScopeKind.HOST, ScopeKind.ANY]), patterns)
def test_check_never_raises_on_text_that_is_no_url(
    text: str, depth: int, kind: ScopeKind, exclude: tuple[str, ...]
) -> None:
    build(kind=kind, exclude=exclude).check(text, depth)
