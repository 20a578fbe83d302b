from tenax.extract.markdown.convert import html_to_markdown, to_markdown
from tenax.extract.profile import ExtractionProfile
from tenax.web.documents import parse_document
from tenax.web.selectors import parse_selector

URL = "https://a.example/dir/page"


def convert(html: str, *, only: str | None = None, without: str | None = None, images: bool = True) -> str:
    profile = ExtractionProfile(
        only=(parse_selector(only),) if only else (), without=(parse_selector(without),) if without else ()
    )
    document = parse_document(html.encode(), url=URL, content_type="text/html; charset=utf-8")
    return to_markdown(document, profile, images=images)


def test_a_profile_applies_as_to_the_text() -> None:
    html = "<p>out<main><p>in<p class=ad>ad</main>"
    assert convert(html, only="main", without=".ad") == "in\n"


def test_without_what_is_selected_the_whole_page_counts() -> None:
    assert convert("<p>all", only="main") == "all\n"


def test_images_can_be_left_out() -> None:
    assert convert("<p>a <img src=/x.png alt=x> b", images=False) == "a b\n"


def test_a_base_element_applies_to_addresses() -> None:
    assert convert("<base href=/other/><a href=x>y</a>") == "[y](https://a.example/other/x)\n"


def test_an_empty_document_has_no_markdown() -> None:
    assert convert("") == ""


def test_a_piece_of_html_keeps_its_navigation() -> None:
    assert html_to_markdown("<nav><a href=x>y</a></nav>", URL) == "[y](https://a.example/dir/x)\n"


def test_the_tree_is_left_as_it_was() -> None:
    document = parse_document(b"<p>a<b>c</b><nav>d", url=URL, content_type=None)
    before = document.tree.html
    to_markdown(document)
    assert document.tree.html == before


def test_addresses_stop_when_their_budget_is_used_up_and_texts_stay() -> None:
    markdown = convert(f"<base href='/{'x' * 4000}/'>" + "<p><a href=y>word</a>" * 1000)
    assert markdown.count("word") == 1000
    assert 400 < markdown.count("](https://") < 600
