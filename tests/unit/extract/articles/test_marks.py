"""Links and emphasis get through a library that would look at other paragraphs for them."""

from lxml import html

from tenax.extract.articles.blocks import read_main
from tenax.extract.articles.marks import MARK, mark_inlines

BASE = "https://news.test/a"


def write(markup: str) -> str:
    """The HTML of a paragraph after its inline elements have become marks."""
    tree = html.document_fromstring(f"<html><body><p>{markup}</p></body></html>")
    length = len(tree.text_content())
    marks = mark_inlines(tree)
    assert len(tree.text_content()) == length
    body = tree.find("body")
    for element in list(body.iter("a", "b", "strong", "em", "i", "span")):
        element.drop_tag()
    written = read_main(body, marks, BASE)
    assert written.text == html.fromstring(f"<p>{markup}</p>").text_content()
    return written.html.removeprefix("<p>").removesuffix("</p>")


def test_links_and_emphasis_come_back() -> None:
    written = write('See <a href="/plan">the plan</a> and <b>do</b> <i>x</i>.')
    assert written == 'See <a href="https://news.test/plan">the plan</a> and <strong>do</strong> <em>x</em>.'


def test_one_inside_the_other_comes_back_in_order() -> None:
    assert write('<a href="/p"><b>A</b></a> b') == '<a href="https://news.test/p"><strong>A</strong></a> b'
    assert write("<b>A <i>b</i></b> c") == "<strong>A <em>b</em></strong> c"


def test_a_link_that_leads_nowhere_leaves_its_text() -> None:
    assert write('<a href="javascript:x()">run</a> and <a>stay</a>') == "run and stay"


def test_equal_texts_stay_equal() -> None:
    tree = html.document_fromstring('<p><a href="/a">Read more</a></p><p><a href="/a">Read more</a></p>')
    mark_inlines(tree)
    first, second = tree.iter("a")
    assert first.text == second.text != "Read more"


def test_names_of_share_buttons_stay_as_they_are() -> None:
    tree = html.document_fromstring('<p><a href="/share">Facebook</a></p>')
    assert mark_inlines(tree) == []


def test_preformatted_text_and_teasers_have_no_marks() -> None:
    tree = html.document_fromstring('<pre><b>int main()</b></pre><a href="/x"><h3>Another story</h3></a>')
    mark_inlines(tree)
    assert not MARK.search(tree.text_content())


def test_characters_of_pages_that_look_like_marks_are_left_out() -> None:
    tree = html.document_fromstring("<body><p>a\U00100000b</p></body>")
    assert read_main(tree.find("body"), [], BASE).text == "ab"
