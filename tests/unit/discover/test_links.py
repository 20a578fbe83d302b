from typing import NamedTuple

import pytest

from tenax.discover.links import find_links
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs
from tenax.web.identity import url_key

HOME = "http://a.example"


class Link(NamedTuple):
    path: str  # without HOME
    rel: str
    anchor: str
    tag: str


def links_of(html: str, limit: int = 1000) -> list[Link]:
    document = parse_document(html.encode(), url=f"{HOME}/", content_type=None)
    found = find_links(document, limit, Hrefs())
    assert list(found) == [url_key(link[0]) for link in found.values()]
    return [Link(url.removeprefix(HOME), *rest) for url, *rest in found.values()]


def paths_of(html: str, limit: int = 1000) -> list[str]:
    return [link.path for link in links_of(html, limit)]


def test_a_link_has_href_rel_anchor_and_tag() -> None:
    assert links_of("<a href=/x rel=nofollow>text</a>") == [Link("/x", "nofollow", "text", "a")]


def test_links_come_in_document_order() -> None:
    html = (
        "<head><link rel=next href=/1><meta http-equiv=refresh content='0;url=/2'></head>"
        "<a href=/3></a><map><area href=/4></map><a href=/5></a>"
    )
    assert paths_of(html) == ["/1", "/2", "/3", "/4", "/5"]


def test_hrefs_become_addresses() -> None:
    assert paths_of("<a href=' \n../A%20b?y=2&amp;x=1#z\t'>") == ["/A%20b?y=2&x=1"]


def test_an_href_that_is_no_url_is_no_link() -> None:
    assert paths_of("<a href='http://['>x</a>") == []


@pytest.mark.parametrize(
    "href",
    ["", "  ", "#", "#top", "javascript:void(0)", "JavaScript:x", "mailto:a@b", "tel:1", "data:,x"],
)
def test_references_to_nothing_crawlable_are_skipped(href: str) -> None:
    assert links_of(f'<a href="{href}">x</a><a href>y</a><a name=z>z</a>') == []


@pytest.mark.parametrize("href", ["tell", "data", "mail/to:x", "Java", "?q#", "d"])
def test_references_that_only_look_alike_are_kept(href: str) -> None:
    assert paths_of(f'<a href="{href}">x</a>') == ["/" + href.rstrip("#")]


def test_the_first_link_to_a_url_wins() -> None:
    links = links_of("<a href=/x>one</a><a href=/y>two</a><a href=/x>three</a><a href=x#part>four</a>")
    assert [(link.path, link.anchor) for link in links] == [("/x", "one"), ("/y", "two")]


def test_no_more_links_than_the_limit() -> None:
    assert paths_of("<a href=/1></a><a href=/2></a><a href=/3></a>", limit=2) == ["/1", "/2"]


def test_a_limit_of_zero_finds_nothing() -> None:
    assert paths_of("<a href=/1></a>", limit=0) == []


@pytest.mark.parametrize("rel", ["canonical", "alternate", "next", "prev", "NEXT", "x next"])
def test_link_elements_that_name_pages_are_kept(rel: str) -> None:
    assert links_of(f"<link rel='{rel}' href=/x>") == [Link("/x", rel.lower(), "", "link")]


@pytest.mark.parametrize(
    "rel",
    [
        *("stylesheet", "icon", "preload", "dns-prefetch", ""),
        *("alternate stylesheet", "STYLESHEET Alternate", "alternate icon", "icon mask-icon alternate"),
    ],
)
def test_link_elements_that_name_resources_are_skipped(rel: str) -> None:
    assert links_of(f"<link rel='{rel}' href=/x>") == []


def test_a_stylesheet_does_not_hide_a_link_to_the_same_address() -> None:
    assert paths_of("<link rel=stylesheet href=/x><a href=/x>x</a>") == ["/x"]


def test_rel_is_lower_case_with_single_spaces() -> None:
    assert links_of("<a href=/x rel=' NoFollow \n UGC '>x</a>")[0].rel == "nofollow ugc"


def test_anchor_is_the_text_with_single_spaces() -> None:
    assert links_of("<a href=/x> one\n <b>t</b>wo \t </a>")[0].anchor == "one two"


def test_anchor_is_cut() -> None:
    assert links_of(f"<a href=/x>{'ab ' * 500}</a>")[0].anchor == ("ab " * 500)[:200].strip()


def test_anchor_of_an_image_link_is_its_alt_text() -> None:
    assert links_of("<a href=/x><span><img src=y alt=' a  cat '></span></a>")[0].anchor == "a cat"


def test_anchor_of_an_area_is_its_alt_text() -> None:
    assert links_of("<map><area href=/x alt=north></map>")[0].anchor == "north"


def test_links_in_svg_are_found() -> None:
    assert paths_of("<svg><a href=/x><text>t</text></a></svg>") == ["/x"]


def test_links_in_templates_are_not_on_the_page() -> None:
    assert paths_of("<template><a href=/x>x</a></template>") == []


def test_other_elements_with_an_href_are_no_links() -> None:
    assert paths_of("<base href=/a/><svg><use href=/b></use></svg><x href=/c></x>") == []


@pytest.mark.parametrize(
    "content",
    [
        "0;url=/x",
        "0; URL=/x",
        "5;URL='/x'",
        '5 ; url = "/x"',
        "0,url=/x",
        "0.5; /x",
        " 3 url=/x ",
        "0;url='/x' trailing",
        "0;url='/x",
    ],
)
def test_meta_refresh_is_a_link(content: str) -> None:
    html = f"<meta http-equiv=Refresh content='{content.replace(chr(39), '&#39;')}'>"
    assert links_of(html) == [Link("/x", "", "", "meta")]


@pytest.mark.parametrize("content", ["", "5", "5;", "5;url=", "url=/x", "soon; /x", "5;url=#a"])
def test_meta_refresh_without_an_address_is_no_link(content: str) -> None:
    assert links_of(f"<meta http-equiv=refresh content='{content}'>") == []


def test_other_meta_elements_are_no_links() -> None:
    assert links_of("<meta name=refresh content='0;url=/x'><meta>") == []
