"""Articles are found on pages of many shapes and languages, and on no other pages."""

import json

import pytest

from tenax.extract.articles.article import FoundArticle
from tenax.extract.articles.marks import MARK
from tenax.extract.articles.reading import find_article
from tenax.web.documents import parse_document

PARAGRAPHS = {
    "en": [
        "The ferry between the two islands returns on Monday after a year of repairs, its office said.",
        "It carries forty cars and three hundred people, and crosses four times a day, twice as often now.",
        "Tickets stay at the old price until summer, when the council will look at the accounts once more.",
    ],
    "de": [
        "Die Fähre zwischen den beiden Inseln fährt ab Montag wieder, wie das Hafenamt mitteilte.",
        "Sie trägt vierzig Autos und dreihundert Menschen und fährt viermal am Tag, doppelt so oft.",
        "Die Preise bleiben bis zum Sommer gleich; dann prüft der Rat die Rechnung noch einmal.",
    ],
    "fr": [
        "Le bac entre les deux îles reprendra lundi après un an de travaux, a annoncé la capitainerie.",
        "Il transporte quarante voitures et trois cents passagers, et traverse quatre fois par jour.",
        "Les billets garderont leur prix jusqu'à l'été, lorsque le conseil verra les comptes.",
    ],
    "ja": [
        "二つの島を結ぶ渡し船は、一年間の修理を終えて月曜日に運航を再開すると、港の事務所が金曜日に発表した。"
        * 2,
        "船は四十台の車と三百人の乗客を運び、以前の二倍にあたる一日四往復を行う予定だと担当者は説明している。"
        * 2,
        "切符の値段は夏まで変わらず、その後に議会が会計をもう一度調べて、新しい値段を決めることになっている。"
        * 2,
    ],
}
AROUND = (
    "<header><nav><ul>"
    + "".join(f"<li><a href=/s{n}>Section {n}</a></li>" for n in range(12))
    + "</ul></nav>"
    "</header>{main}<aside class=related><h2>Related stories</h2><ul>"
    + "".join(f"<li><a href=/r{n}>Another story number {n}</a></li>" for n in range(8))
    + "</ul></aside><section class=comments id=comments><h2>Comments</h2><p>First, and the worst"
    " of all comments that were ever written under a text.</p></section><footer><p>Copyright, imprint and"
    " a newsletter to subscribe to.</p></footer>"
)
SHAPES = {
    "article": "<main><article><h1>{title}</h1><p class=byline>By Ann Berg</p>{body}</article></main>",
    "divs": '<div id=wrap><h1>{title}</h1><div class="entry-content">{body}</div></div>',
    "microdata": "<div itemscope itemtype='https://schema.org/NewsArticle'><h1 itemprop=headline>{title}</h1>"
    "<div itemprop=articleBody>{body}</div></div>",
    "plain": "<h1>{title}</h1>{body}",
    "table": "<table><tr><td>{body}</td></tr></table>",
}


def find(markup: str, url: str = "https://news.test/ferry", title: str | None = None) -> FoundArticle | None:
    body = markup.encode()
    document = parse_document(body, url=url, content_type="text/html; charset=utf-8")
    return find_article(document, body, title)


def build(
    shape: str, language: str, *, head: str = "", title: str = "The ferry returns to both islands"
) -> str:
    body = "".join(f"<p>{text}</p>" for text in PARAGRAPHS[language])
    main = SHAPES[shape].format(title=title, body=body)
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{AROUND.format(main=main)}"


@pytest.mark.parametrize("language", PARAGRAPHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_text_is_that_of_the_article_alone(shape: str, language: str) -> None:
    found = find(build(shape, language))
    assert found is not None
    lines = [line for line in found.main.text.split("\n\n") if not line.startswith("The ferry returns")]
    assert [line for line in lines if line != "By Ann Berg"] == PARAGRAPHS[language]


def test_a_table_for_its_looks_leaves_no_bars_and_code_keeps_its_lines() -> None:
    body = join(PARAGRAPHS["en"], "<p>{}</p>")
    code = "<pre>def sail(ferry):\n    if ferry:\n        return (&quot;on&quot;)\n</pre>"
    table = f"<table><tr><td></td><td>{PARAGRAPHS['en'][0]}</td></tr></table>"
    found = find(
        f"<!doctype html><title>T</title><article>{body}{table}{code}<p>The end of it all.</p></article>"
    )
    assert found is not None
    assert "|" not in found.main.text
    assert 'def sail(ferry):\n    if ferry:\n        return ("on")' in found.main.text


def join(paragraphs: list[str], markup: str) -> str:
    return "".join(markup.format(text) for text in paragraphs)


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_a_text_in_elements_that_are_no_paragraphs_is_found(language: str) -> None:
    paragraphs = PARAGRAPHS[language]
    around = AROUND.format(
        main=f"<div class=a><h1>The ferry returns</h1>{join(paragraphs, '<div class=b>{}</div>')}</div>"
    )
    found = find(f"<!doctype html><html><title>The ferry returns</title><body>{around}")
    assert found is not None
    assert [line for line in found.main.text.split("\n\n") if line in paragraphs] == paragraphs


def test_parts_of_a_text_between_other_things_are_joined() -> None:
    parts = [f"<div class=story-body><p>{text}</p></div>" for text in PARAGRAPHS["en"]]
    main = '<div class="newsletter"><p>Get it each morning.</p></div>'.join(parts)
    found = find(f"<!doctype html><html><title>T</title><body>{AROUND.format(main=f'<main>{main}</main>')}")
    assert found is not None
    assert found.main.text.split("\n\n") == PARAGRAPHS["en"]


def test_json_ld_gives_a_text_that_the_page_does_not_show() -> None:
    head = declare(headline="The ferry returns", articleBody="\n".join(PARAGRAPHS["en"]))
    found = find(f"<!doctype html><html><head>{head}</head><body><div id=root></div>")
    assert found is not None
    assert found.main.text.split("\n\n") == PARAGRAPHS["en"]
    assert found.main.html.startswith(f"<p>{PARAGRAPHS['en'][0]}</p><p>")


def test_json_ld_with_tags_gives_a_text_without_them() -> None:
    head = declare(headline="The ferry returns", articleBody=join(PARAGRAPHS["en"], "<p>{}</p>"))
    found = find(f"<!doctype html><html><head>{head}</head><body><div id=root></div>")
    assert found is not None
    assert found.main.text.split("\n\n") == PARAGRAPHS["en"]


def test_what_the_page_shows_is_kept_where_json_ld_gives_a_part_of_it() -> None:
    found = find(build("article", "en", head=declare(articleBody=" ".join(PARAGRAPHS["en"])[:250])))
    assert found is not None
    assert PARAGRAPHS["en"][2] in found.main.text


def test_an_article_at_the_address_of_a_home_page_is_found() -> None:
    found = find(build("plain", "en"), url="https://news.test/")
    assert found is not None


def make_teasers(markup: str) -> str:
    texts = [f"What it is about, in a line of text of its own, and this is number {n}." for n in range(20)]
    return join([markup.replace("TEXT", text) for text in texts], "{}")


@pytest.mark.parametrize(
    "markup",
    [
        "<article><h2><a href=/x>The story of this day</a></h2><p>TEXT</p></article>",
        "<div class=card><a href=/x><h3>The story of this day</h3></a><p>TEXT</p></div>",
        "<li><a href=/x>The story of this day</a><p>TEXT</p></li>",
        "<section><header><h2><a href=/x>The story</a></h2></header><p>TEXT TEXT TEXT</p></section>",
    ],
)
def test_a_list_of_teasers_is_no_article_wherever_it_stands(markup: str) -> None:
    main = f"<main><h1>Harbour</h1>{make_teasers(markup)}</main>"
    assert find(f"<!doctype html><title>Harbour</title><body>{main}", url="https://news.test/harbour") is None


def test_lines_of_a_few_words_are_no_article() -> None:
    lines = "".join(f"<p>A view of the harbour, number {n}.</p>" for n in range(40))
    assert find(f"<!doctype html><title>Views</title><body><main>{lines}</main>") is None


def test_a_list_of_stories_is_no_article() -> None:
    teasers = "".join(
        f"<article><h2><a href=/{n}>The story number {n} of this day</a></h2><p><a href=/{n}>What it is"
        " about, in a line of text that leads there</a></p></article>"
        for n in range(20)
    )
    assert find(f"<!doctype html><title>News</title><main>{teasers}</main>", url="https://news.test/") is None


def test_a_page_with_a_line_of_text_is_no_article() -> None:
    assert (
        find("<!doctype html><title>T</title><main><p>Nothing to see here, please go on.</p></main>") is None
    )


def test_an_empty_document_is_no_article() -> None:
    assert find("") is None


def declare(**fields: object) -> str:
    said = {"@context": "https://schema.org", "@type": "NewsArticle", **fields}
    return f'<script type="application/ld+json">{json.dumps(said)}</script>'


def test_json_ld_says_who_and_when() -> None:
    head = declare(
        headline="The ferry returns to both islands",
        author=[{"@type": "Person", "name": "Ann Berg"}, {"@type": "Person", "name": "Bo Lind"}],
        datePublished="2026-03-04T08:00:00+01:00",
        dateModified="2026-03-05T09:00:00Z",
        articleSection="Harbour",
        keywords="ferry, islands",
        image={"url": "/ferry.jpg"},
        publisher={"name": "Island News"},
    )
    found = find(build("divs", "en", head=head))
    assert found is not None
    facts = found.facts
    assert facts.authors == ("Ann Berg", "Bo Lind")
    assert facts.published[0] == "2026-03-04T08:00:00+01:00"
    assert facts.modified == ("2026-03-05T09:00:00Z",)
    assert (facts.section, facts.tags, facts.site) == ("Harbour", ("ferry", "islands"), "Island News")
    assert facts.lead_image == "https://news.test/ferry.jpg"


def test_meta_elements_say_it_where_json_ld_is_missing() -> None:
    metas = {
        "og:site_name": "Island News",
        "og:title": "The ferry returns to both islands | Island News",
        "article:published_time": "2026-03-04",
        "article:section": "Harbour",
        "og:image": "https://img.test/a.jpg",
    }
    head = "".join(f'<meta property="{name}" content="{value}">' for name, value in metas.items())
    head += '<meta name="author" content="Ann Berg"><meta property="article:tag" content="ferry">'
    found = find(build("plain", "en", head=head))
    assert found is not None
    facts = found.facts
    assert (facts.title, facts.authors, facts.tags) == (
        "The ferry returns to both islands",
        ("Ann Berg",),
        ("ferry",),
    )
    assert (facts.published, facts.section) == (("2026-03-04",), "Harbour")
    assert facts.lead_image == "https://img.test/a.jpg"


def test_a_byline_in_the_body_names_the_author() -> None:
    found = find(build("article", "en"))
    assert found is not None
    assert (found.facts.authors, found.facts.byline) == (("Ann Berg",), "By Ann Berg")


def test_html_keeps_structure_and_nothing_that_runs() -> None:
    body = "".join(f"<p>{text}</p>" for text in PARAGRAPHS["en"])
    extra = (
        "<h2>What it costs</h2><ul><li>five for a car</li><li>two for a person</li></ul>"
        '<p onclick="steal()">See the <a href="/plan" onclick="steal()">plan &amp; map</a>'
        ' of the harbour, which has all times.</p><p><a href="javascript:steal()">A link that runs</a> stands'
        " in a sentence of its own here.</p>"
    )
    found = find(f"<!doctype html><title>T</title><article>{body}{extra}</article>")
    assert found is not None
    html = found.main.html
    assert "<h2>What it costs</h2>" in html
    assert "<li>five for a car</li>" in html
    assert '<a href="https://news.test/plan">plan &amp; map</a>' in html
    assert "steal" not in html
    assert not MARK.search(html + found.main.text)
    assert "- five for a car\n- two for a person" in found.main.text
