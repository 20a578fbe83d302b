"""From the links of a page to the urls that are new."""

import pytest

from tenax.config import LimitSettings, ScopeSettings
from tenax.crawl.admission import LINKS_BYTES, Admission
from tenax.crawl.domain import LeasedDomain
from tenax.policy.scope import Scope
from tenax.records import Link, NewUrl, Priority
from tenax.web.urls import url_key
from tests.support.crawling import make_domain, make_target

SEED = "http://a.test/"
TARGET = make_target(depth=2, id=7)


def build(kind: str = "domain", links_bytes: int = LINKS_BYTES, **limits: int) -> Admission:
    scope = ScopeSettings(kind=kind)
    return Admission(Scope.build(scope, LimitSettings(**limits), [SEED]), links_bytes)


def admit(admission: Admission, domain: LeasedDomain, *hrefs: str) -> tuple[NewUrl, ...]:
    links = [Link(href, "", "", "a") for href in hrefs]
    return admission.admit(domain, TARGET, admission.resolve(SEED, links))


def resolve_on(href: str, *bases: str) -> list[str]:
    """What the href means on each of these pages, read by the same worker."""
    admission = build()
    found = [admission.resolve(base, [Link(href, "", "", "a")]) for base in bases]
    return [link[0] for links in found for link in links.values()]


def urls(found: tuple[NewUrl, ...]) -> list[str]:
    return [url.url for url in found]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/x", "http://a.test/x"),
        ("x?b=1#part", "http://a.test/x?b=1"),
        ("//a.test/x", "http://a.test/x"),
        ("HTTP://A.TEST/x", "http://a.test/x"),
        ("https://a.test/x", "https://a.test/x"),
    ],
)
def test_links_are_normalised(href: str, url: str) -> None:
    assert urls(admit(build(), make_domain(), href)) == [url]


@pytest.mark.parametrize("href", ["mailto:a@a.test", "javascript:void(0)", "http://[", "data:,x"])
def test_what_cannot_be_crawled_is_dropped(href: str) -> None:
    assert admit(build(), make_domain(), href) == ()


def test_a_new_url_knows_where_it_comes_from() -> None:
    (new,) = admit(build(), make_domain(), "/x")
    assert (new.depth, new.discovered_from, new.domain) == (3, 7, "a.test")
    assert (new.key, new.priority, new.is_seed) == (url_key("http://a.test/x"), Priority.MEDIUM, False)


def test_a_url_is_new_once() -> None:
    admission, domain = build(), make_domain()
    assert urls(admit(admission, domain, "/x", "/x", "/x#part")) == ["http://a.test/x"]
    assert admit(admission, domain, "/x") == ()


def test_what_the_store_knows_is_not_new() -> None:
    assert admit(build(), make_domain(known=[url_key("http://a.test/x")]), "/x") == ()


def test_a_domain_too_large_to_remember_leaves_it_to_the_store() -> None:
    assert urls(admit(build(), make_domain(known=None), "/x")) == ["http://a.test/x"]


def test_a_foreign_url_is_told_to_the_store_once() -> None:
    admission, domain = build("any"), make_domain()
    assert urls(admit(admission, domain, "http://b.test/")) == ["http://b.test/"]
    assert admit(admission, domain, "http://b.test/") == ()


def test_urls_of_a_domain_too_large_to_remember_are_told_to_the_store_once_for_a_while() -> None:
    admission, domain = build(), make_domain(known=None)
    assert urls(admit(admission, domain, "/x")) == ["http://a.test/x"]
    assert admit(admission, domain, "/x") == ()


def test_what_was_dropped_before_the_store_had_it_is_told_again() -> None:
    admission, domain = build("any"), make_domain()
    admit(admission, domain, "http://b.test/")
    admission.forget_sent()
    assert urls(admit(admission, domain, "http://b.test/")) == ["http://b.test/"]


def test_what_was_refused_is_judged_again_when_the_scope_has_grown() -> None:
    admission, domain = build(), make_domain()
    assert admit(admission, domain, "http://b.test/x") == ()
    admission.widen("http://b.test/")
    assert urls(admit(admission, domain, "http://b.test/x")) == ["http://b.test/x"]


def test_foreign_urls_are_remembered_up_to_a_bound() -> None:
    admission, domain = build("any", links_bytes=400), make_domain()
    admit(admission, domain, "http://b.test/", "http://c.test/", "http://d.test/")
    assert urls(admit(admission, domain, "http://b.test/")) == ["http://b.test/"]


def test_links_out_of_scope_are_dropped() -> None:
    assert admit(build(), make_domain(), "http://b.test/") == ()


def test_a_link_that_is_too_deep_may_be_admitted_from_a_page_that_is_not() -> None:
    admission, domain = build(max_depth=2), make_domain()
    assert admit(admission, domain, "/x") == ()
    resolved = admission.resolve(SEED, [Link("/x", "", "", "a")])
    assert urls(admission.admit(domain, make_target(depth=0), resolved)) == ["http://a.test/x"]


def test_the_same_path_on_two_origins_are_two_urls() -> None:
    assert resolve_on("/x", SEED, "https://a.test/") == ["http://a.test/x", "https://a.test/x"]


def test_a_relative_link_means_something_else_on_every_page() -> None:
    bases = (SEED, "http://a.test/deep/?q=/", "http://a.test/deep/er/page")
    found = ["http://a.test/x", "http://a.test/deep/x", "http://a.test/deep/er/x"]
    assert resolve_on("x", *bases) == found


def test_a_relative_link_may_look_like_a_scheme() -> None:
    found = ["http://a.test/1/httpd.html", "http://a.test/2/httpd.html"]
    assert resolve_on("httpd.html", "http://a.test/1/", "http://a.test/2/") == found


def test_a_query_alone_belongs_to_its_page() -> None:
    assert resolve_on("?b", "http://a.test/1", "http://a.test/2") == [
        "http://a.test/1?b",
        "http://a.test/2?b",
    ]


def test_a_link_without_scheme_takes_that_of_its_page() -> None:
    found = ["http://b.test/x", "https://b.test/x"]
    assert resolve_on("//b.test/x", "http://a.test/", "https://a.test/") == found


def test_an_href_of_a_megabyte_is_no_link() -> None:
    assert build().resolve(SEED, [Link("/" + "x" * 1_000_000, "", "", "a")]) == {}


def test_remembered_hrefs_are_bounded_by_their_bytes() -> None:
    admission = build(links_bytes=2_000)
    links = [Link(f"/{number}", "", "", "a") for number in range(5)]
    found = admission.resolve(SEED, links)
    assert [link[0] for link in found.values()] == [f"http://a.test/{number}" for number in range(5)]
    assert len(admission._hrefs) < 5


# --- redirects -----------------------------------------------------------------------------------


def test_a_redirect_keeps_depth_and_counts_hops() -> None:
    target = make_target(depth=2, hops=1)
    (new,) = build().admit_redirect(make_domain(), target, "http://a.test/new")
    assert (new.depth, new.hops, new.is_seed) == (2, 2, False)


def test_a_redirect_out_of_scope_is_not_admitted() -> None:
    assert build().admit_redirect(make_domain(), make_target(), "http://b.test/") == ()


def test_a_redirected_seed_stays_a_seed_and_widens_the_scope() -> None:
    admission, domain = build(), make_domain()
    (new,) = admission.admit_redirect(domain, make_target(is_seed=True), "http://b.test/")
    assert new.is_seed
    assert urls(admit(admission, domain, "http://b.test/more")) == ["http://b.test/more"]
