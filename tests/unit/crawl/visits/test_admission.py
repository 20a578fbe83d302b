"""From the links of a page to the urls that are new."""

from tenax.config.crawl import LimitSettings, ScopeSettings
from tenax.crawl.domains.known_keys import FRESH_KEY_BYTES
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.visits.admission import IMAGE_KEYS_BYTES, KEYS_BYTES, OUTSIDE_PER_PAGE, Admission
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.records.items import FollowUp
from tenax.records.pages import NewImage, PageImage, PageLink
from tenax.records.urls import NewUrl, Priority
from tenax.web.identity import url_key
from tenax.web.urls import parse_url
from tests.support.crawling import make_domain, make_target

SEED = "http://a.test/"
TARGET = make_target(depth=2, id=7)


def build(kind: str = "domain", keys_bytes: int = KEYS_BYTES, **limits: int) -> Admission:
    settings = ScopeSettings(kind=kind)
    scope = Scope.build(settings, LimitSettings(**limits), Roots(settings.kind, [SEED]))
    return Admission(scope, keys_bytes)


def admit(admission: Admission, domain: LeasedDomain, *hrefs: str) -> tuple[NewUrl, ...]:
    return admission.admit(domain, TARGET, link_to(*hrefs))


def link_to(*hrefs: str) -> dict[int, PageLink]:
    meanings = [parse_url(href, SEED) for href in hrefs]
    return {url_key(url): (url, "", "", "a") for url in meanings if url}


def urls(found: tuple[NewUrl, ...]) -> list[str]:
    return [url.url for url in found]


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
    admission, domain = build("any", keys_bytes=200), make_domain()
    for url in ("http://b.test/", "http://c.test/", "http://d.test/"):
        admit(admission, domain, url)
    assert urls(admit(admission, domain, "http://b.test/")) == ["http://b.test/"]


def test_links_out_of_scope_are_dropped() -> None:
    assert admit(build(), make_domain(), "http://b.test/") == ()


def test_a_link_that_is_too_deep_may_be_admitted_from_a_page_that_is_not() -> None:
    admission, domain = build(max_depth=2), make_domain()
    assert admit(admission, domain, "/x") == ()
    assert urls(admission.admit(domain, make_target(depth=0), link_to("/x"))) == ["http://a.test/x"]


def test_a_redirect_keeps_depth_and_counts_hops() -> None:
    target = make_target(depth=2, hops=1)
    (new,) = build().admit_redirect(make_domain(), target, "http://a.test/new")
    assert (new.depth, new.hops, new.is_seed) == (2, 2, False)


def test_a_redirect_hands_its_follow_ups_on() -> None:
    wanted = (FollowUp(parser="detail", data="1"), FollowUp(parser="price", data="2"))
    found = build().admit_redirect(make_domain(), make_target(follow_ups=wanted), "http://a.test/new")
    assert {url.url for url in found} == {"http://a.test/new"}
    assert tuple(url.follow_up for url in found) == wanted


def test_a_redirect_out_of_scope_is_not_admitted() -> None:
    assert build().admit_redirect(make_domain(), make_target(), "http://b.test/") == ()


def test_a_redirected_seed_stays_a_seed_and_widens_the_scope() -> None:
    admission, domain = build(), make_domain()
    (new,) = admission.admit_redirect(domain, make_target(is_seed=True), "http://b.test/")
    assert new.is_seed
    assert urls(admit(admission, domain, "http://b.test/more")) == ["http://b.test/more"]


def show(*urls: str) -> dict[int, PageImage]:
    return {url_key(url): (url, f"alt of {url}", "img") for url in urls}


def test_an_image_is_sent_once() -> None:
    admission = build()
    logo, photo = "http://cdn.test/logo.png", "http://cdn.test/photo.jpg"
    assert admission.admit_images(show(logo)) == (
        NewImage(url=logo, key=url_key(logo), alt=f"alt of {logo}"),
    )
    assert [image.url for image in admission.admit_images(show(logo, photo))] == [photo]


def test_an_image_whose_visit_was_dropped_is_sent_again() -> None:
    admission = build()
    admission.admit_images(show("http://cdn.test/logo.png"))
    admission.forget_sent()
    assert len(admission.admit_images(show("http://cdn.test/logo.png"))) == 1


def test_images_that_were_sent_are_forgotten_before_they_take_too_much_memory() -> None:
    admission = build()
    most = IMAGE_KEYS_BYTES // FRESH_KEY_BYTES
    images = dict.fromkeys(range(most), ("http://cdn.test/x", "", "img"))
    assert len(admission.admit_images(images)) == most
    assert admission.admit_images(images) == ()
    admission.admit_images(show("http://cdn.test/one-too-many"))
    assert len(admission.admit_images(images)) == most


# --- out of scope ----------------------------------------------------------------------------------


def test_domains_out_of_scope_are_told_with_the_number_of_their_urls() -> None:
    admission = build()
    admit(admission, make_domain(), "/x", "http://b.test/1", "http://b.test/2", "http://c.test/")
    found = {domain: (url, links) for domain, url, links in admission.take_outside()}
    assert found["c.test"] == ("http://c.test/", 1)
    assert found["b.test"][1] == 2
    assert found["b.test"][0].startswith("http://b.test/")


def test_a_url_out_of_scope_is_told_once() -> None:
    admission, domain = build(), make_domain()
    admit(admission, domain, "http://b.test/1")
    assert admission.take_outside() == (("b.test", "http://b.test/1", 1),)
    admit(admission, domain, "http://b.test/1")
    assert admission.take_outside() == ()


def test_a_page_that_names_very_many_domains_is_believed_a_part_of_them() -> None:
    admission = build()
    admit(admission, make_domain(), *(f"http://b{number}.test/" for number in range(OUTSIDE_PER_PAGE + 5)))
    assert len(admission.take_outside()) == OUTSIDE_PER_PAGE


def test_a_url_that_is_excluded_is_not_out_of_scope() -> None:
    admission = build(url_length=20)
    admit(admission, make_domain(), "http://b.test/" + "x" * 30)
    assert admission.take_outside() == ()
