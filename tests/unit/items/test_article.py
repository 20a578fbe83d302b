"""The built-in parser of articles, `page.article()`, and when a last resort runs."""

import json

import pytest

from tenax.config.fetch import ArticleUse, ExtractSettings
from tenax.config.settings import Settings
from tenax.items.builtin.article import ArticleParser
from tenax.items.page import Page, parse_page
from tenax.items.parser import FunctionParser, Parser, hash_parsers
from tenax.items.registry import load_parsers
from tenax.items.running import ParsedPage, ParserLimits, prepare_parsers, run_parsers

TEXT = [
    "The ferry between the two islands returns on Monday after a year of repairs, the harbour office said.",
    "It carries forty cars and three hundred people, and crosses four times a day, twice as often as before.",
    "Tickets stay at the old price until summer, when the council will look at the accounts once more.",
]
SAID = {
    "@type": "NewsArticle",
    "headline": "The ferry returns",
    "author": {"name": "Ann Berg"},
    "datePublished": "2026-03-04T08:00:00+01:00",
}
STORY = (
    "<!doctype html><title>The ferry returns | Island News</title>"
    f'<script type="application/ld+json">{json.dumps(SAID)}</script>'
    f"<article><h1>The ferry returns</h1>{''.join(f'<p>{text}</p>' for text in TEXT)}</article>"
)


def page(markup: str = STORY, url: str = "https://news.test/ferry") -> Page:
    return parse_page(markup.encode(), url=url, headers={"content-type": "text/html; charset=utf-8"})


def run(*parsers: Parser, markup: str = STORY) -> dict[str, ParsedPage]:
    parsed = run_parsers(page(markup), prepare_parsers(parsers), (), ParserLimits())
    return {each.parsing.parser: each for each in parsed}


def test_a_page_gives_its_article() -> None:
    assert page().article() == {
        "title": "The ferry returns",
        "authors": ["Ann Berg"],
        "byline": "Ann Berg",
        "published_at": "2026-03-04T07:00:00Z",
        "text": "\n\n".join(TEXT),
        "markdown": "\n\n".join(TEXT) + "\n",
        "language": "en",
    }


def test_a_page_without_text_has_no_article() -> None:
    assert page("<!doctype html><title>T</title><p>Nothing.</p>").article() is None


def test_markdown_keeps_the_links_and_lists_of_the_article() -> None:
    links = '<p>Read <a href="/fares">the fares</a>.</p><ul><li>Cars: forty</li><li>People: 300</li></ul>'
    article = page(STORY.replace("</article>", f"{links}</article>")).article()
    assert article is not None
    assert "Read [the fares](https://news.test/fares)." in article["markdown"]
    assert "- Cars: forty\n- People: 300" in article["markdown"]


@pytest.mark.parametrize("letter", ["a", "島"])
def test_an_article_of_any_length_fits_into_an_item(letter: str) -> None:
    words = " ".join(letter * 9 for _ in range(30))
    paragraphs = "".join(f"<p>{number} {words}</p>" for number in range(700))
    story = STORY.replace("</article>", f"{paragraphs}</article>")
    (parsed,) = run(ArticleParser(), markup=story).values()
    (item,) = parsed.parsing.items
    data = json.loads(item.data)
    assert "markdown" not in data
    assert 100_000 < len(data["text"].encode()) <= 110_000


def test_the_address_gives_the_day_where_the_page_does_not() -> None:
    plain = STORY.replace('"datePublished"', '"nothing"')
    article = page(plain).article()
    assert article is not None
    assert "published_at" not in article
    article = parse_page(plain.encode(), url="https://news.test/2026/03/04/ferry").article()
    assert article is not None
    assert article["published_at"] == "2026-03-04"


def test_an_article_longer_than_items_may_be_is_cut() -> None:
    long = STORY.replace(
        "</article>", f"<p>{'One more sentence of the tale. ' * 20}</p>" * 1_000 + "</article>"
    )
    (parsed,) = run(ArticleParser(), markup=long).values()
    assert parsed.parsing.error is None
    assert len(parsed.parsing.items) == 1


def test_the_parser_makes_one_item_that_its_schema_accepts() -> None:
    (parsed,) = run(ArticleParser()).values()
    (item,) = parsed.parsing.items
    assert (item.kind, item.key, item.faults) == ("article", "https://news.test/ferry", ())


def test_a_last_resort_runs_behind_all_others_and_only_where_they_made_nothing() -> None:
    fallback = ArticleParser(ArticleUse.FALLBACK)
    makes = FunctionParser(lambda page: {"a": 1}, name="makes", version="1")
    makes_none = FunctionParser(lambda page: None, name="none", version="1")
    fails = FunctionParser(lambda page: {"a": 1 / 0}, name="fails", version="1")
    assert list(run(fallback, makes)) == ["makes", "article"]
    assert run(fallback, makes)["article"].parsing.items == ()
    assert len(run(fallback, makes_none)["article"].parsing.items) == 1
    assert len(run(fallback, fails)["article"].parsing.items) == 1
    assert len(run(ArticleParser(), makes)["article"].parsing.items) == 1


def test_another_setting_makes_the_next_visit_unconditional() -> None:
    always, fallback = ArticleParser(), ArticleParser(ArticleUse.FALLBACK)
    assert hash_parsers([always]) != hash_parsers([fallback])


def test_it_is_known_by_its_name() -> None:
    settings = Settings().parsers.model_copy(update={"use": ("article",)})
    (parser,) = load_parsers(settings)
    assert isinstance(parser, ArticleParser)


@pytest.mark.parametrize(("use", "is_used"), [("never", False), ("fallback", True), ("always", True)])
def test_the_setting_says_whether_a_run_has_parsers(use: str, is_used: bool) -> None:
    settings = Settings(extract=ExtractSettings.model_validate({"article": use}))
    assert settings.uses_parsers is is_used
