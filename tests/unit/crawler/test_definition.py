"""What a crawler is told: options, settings, handlers; and what it refuses, in one sentence."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

import tenax
from tenax.config.crawl import ScopeKind
from tenax.crawler.definition import CrawlPlan
from tenax.errors import ConfigError, UsageError
from tenax.items.page import Page, parse_page

SITE = "https://shop.example/"


def product(page: Page) -> dict[str, Any]:
    return {"url": page.url}


def plan(*seeds: str, **options: Any) -> CrawlPlan:
    crawler = tenax.Crawler(*(seeds or (SITE,)), **options)
    crawler.page("/products/*")(product)
    return crawler.plan({})


def test_options_become_settings() -> None:
    settings = plan(
        max_pages=5, max_depth=2, delay=0.5, scope="host", workers=3, contact="a@b.example"
    ).settings
    assert (settings.limits.max_pages, settings.limits.max_depth, settings.politeness.delay_s) == (5, 2, 0.5)
    assert (settings.scope.kind, settings.worker.processes) == (ScopeKind.HOST, 3)
    assert settings.fetch.contact == "a@b.example"


def test_links_are_chosen_by_settings_of_the_scope() -> None:
    scope = plan(follow=["/products/*"], skip=["/cart*"]).settings.scope
    assert scope.include == (r"^[a-z]+://[^/]*/products/[^?]*(?:[?].*)?$",)
    assert scope.exclude == (r"^[a-z]+://[^/]*/cart[^?]*(?:[?].*)?$",)


def test_all_other_settings_are_given_by_section() -> None:
    settings = plan(max_pages=5, settings={"limits": {"max_pages": 9, "max_depth": 1}}).settings
    assert (settings.limits.max_pages, settings.limits.max_depth) == (5, 1)


def test_a_command_line_has_the_last_word() -> None:
    crawler = tenax.Crawler(SITE, max_pages=5, data="mine")
    crawler.page()(product)
    planned = crawler.plan({"limits": {"max_pages": 7}}, data=Path("theirs"))
    assert (planned.settings.limits.max_pages, planned.place.folder) == (7, Path("theirs"))


def test_the_environment_gives_what_the_program_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_LIMITS__MAX_PAGES", "3")
    monkeypatch.setenv("TENAX_LIMITS__MAX_DEPTH", "3")
    limits = plan(max_pages=5).settings.limits
    assert (limits.max_pages, limits.max_depth) == (5, 3)


def test_a_script_has_a_directory_of_its_own() -> None:
    assert plan().place.folder == Path("test_definition.crawl")


def test_a_notebook_has_the_directory_of_the_command_line() -> None:
    cell = {"tenax": tenax}
    exec("crawler = tenax.Crawler('https://shop.example/')", cell)  # noqa: S102
    crawler = cell["crawler"]
    assert isinstance(crawler, tenax.Crawler)
    crawler.page()(product)
    assert crawler.plan({}).place.folder == Path("crawl")


def test_the_directory_can_be_given() -> None:
    assert plan(data="elsewhere").place.folder == Path("elsewhere")


def test_a_database_needs_no_directory() -> None:
    place = plan(store="postgresql://me@db.example/crawls").place
    assert place.url == "postgresql://me@db.example/crawls"
    assert place.folder != Path("test_definition.crawl")


def test_a_crawl_is_named_by_its_first_seed_or_by_the_user() -> None:
    assert (plan("shop.example", "b.example").name, plan(name="shop").name) == (SITE, "shop")


def test_the_run_names_its_parsers() -> None:
    assert plan().settings.parsers.use == ("product",)


def test_one_domain_with_a_limit_of_pages_has_no_limit_per_domain() -> None:
    assert plan(max_pages=5000).settings.limits.pages_per_domain == 0


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: tenax.Crawler(), "needs a url to start from"),
    (lambda: tenax.Crawler("not a url"), "is not a web address"),
    (lambda: tenax.Crawler([SITE, SITE]), r"urls as texts, as in Crawler\(\*urls\)"),  # type: ignore[arg-type]
    (lambda: tenax.Crawler(SITE, settings=5), "settings must be a dict"),  # type: ignore[arg-type]
    (lambda: tenax.Crawler(SITE, settings={"limits": 5}), "settings must be a dict of sections"),  # type: ignore[dict-item]
    (lambda: tenax.Crawler("ftp://a.example/"), "does not start with http"),
    (lambda: tenax.Crawler(SITE, max_pages=0), "limits.max_pages is not valid"),
    (lambda: tenax.Crawler(SITE, settings={"limit": {"max_pages": 1}}), "Unknown setting limit"),
    (lambda: tenax.Crawler(SITE, settings={"limits": {"max_page": 1}}), "did you mean 'max_pages'"),
    (lambda: tenax.Crawler(SITE, follow="/products/*"), "Give a list of patterns"),
    (lambda: tenax.Crawler(SITE, skip=["cart"]), "matches nothing"),
    (lambda: tenax.Crawler(SITE, name=" "), "name of a crawl"),
    (lambda: tenax.Crawler(SITE, store="mysql://x"), "is not a store"),
    (lambda: tenax.Crawler(SITE).plan({}), "makes no items"),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_mistakes_are_refused_in_one_sentence(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises((ConfigError, UsageError), match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="max_page"):
        tenax.Crawler(SITE, max_page=3)  # type: ignore[call-arg]


def test_a_handler_stays_a_function() -> None:
    crawler = tenax.Crawler(SITE)
    assert crawler.page("/products/*", kind="product", version="2")(product) is product
    (parser,) = crawler.parsers
    assert (parser.name, parser.version, parser.kind, parser.patterns) == (
        "product",
        "2",
        "product",
        ("/products/*",),
    )


def test_a_handler_that_is_only_followed_has_no_patterns() -> None:
    crawler = tenax.Crawler(SITE)
    crawler.followed()(product)
    assert [parser.patterns for parser in crawler.parsers] == [None]


def test_a_handler_with_another_name_is_followed_by_that_name() -> None:
    crawler = tenax.Crawler(SITE)

    @crawler.page(name="author-page")
    def author(page: tenax.Page) -> None:
        return None

    page = parse_page(b"<title>T</title>", url=SITE)
    assert page.follow("/a", author).parser == "author-page"


def test_what_has_no_name_is_a_handler_with_one() -> None:
    crawler = tenax.Crawler(SITE)
    bound = partial(lambda kind, page: {"kind": kind}, "kettle")
    crawler.page(name="kettle")(bound)
    page = parse_page(b"<title>T</title>", url=SITE)
    assert page.follow("/a", bound).parser == "kettle"
    with pytest.raises(TypeError, match="has no name: give it one, as in"):
        crawler.page()(partial(product))


def test_a_cell_of_a_notebook_that_is_run_again_replaces_its_handler() -> None:
    cell: dict[str, Any] = {"crawler": tenax.Crawler(SITE)}
    for version in "ab":
        exec(  # noqa: S102
            f"@crawler.page('/{version}')\ndef product(page): return {{'v': '{version}'}}\n"
            "@crawler.page('/other')\ndef other(page): return None"
            if version == "a"
            else f"@crawler.page('/{version}')\ndef product(page): return {{'v': '{version}'}}",
            cell,
        )
    parsers = cell["crawler"].parsers
    assert [(parser.name, parser.patterns) for parser in parsers] == [
        ("product", ("/b",)),
        ("other", ("/other",)),
    ]


def test_two_handlers_of_one_name_are_refused() -> None:
    crawler = tenax.Crawler(SITE)
    crawler.page("/a")(product)
    with pytest.raises(ConfigError, match="Two parsers are called product"):
        crawler.page("/b")(product)


def test_a_bad_schema_is_refused_where_it_is_given() -> None:
    crawler = tenax.Crawler(SITE)
    with pytest.raises(ConfigError, match="The parser product"):
        crawler.page(schema={"type": "no such type"})(product)


def test_a_coroutine_is_no_handler() -> None:
    async def wrong(page: tenax.Page) -> None:
        return None

    with pytest.raises(TypeError, match="plain function"):
        tenax.Crawler(SITE).page()(wrong)  # type: ignore[type-var]


def test_a_forgotten_pair_of_parentheses_is_named() -> None:
    with pytest.raises(TypeError, match="with parentheses"):
        tenax.Crawler(SITE).page(product)  # type: ignore[arg-type]


def test_an_unknown_recrawl_is_refused() -> None:
    crawler = tenax.Crawler(SITE)
    crawler.page()(product)
    with pytest.raises(UsageError, match="'never' is not one of 'new', 'due', 'all'"):
        crawler.run(recrawl="never")  # type: ignore[arg-type]


def test_a_cursor_that_is_none_is_refused_before_anything_is_crawled() -> None:
    crawler = tenax.Crawler(SITE)
    crawler.page()(product)
    with pytest.raises(UsageError, match="is no cursor"):
        crawler.run(after="yesterday")


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("max_page", "Crawler has no option max_page; did you mean max_pages?"),
        (
            "allow_private",
            "Crawler has no option allow_private: give settings={'fetch': {'allow_private': …}}.",
        ),
        ("nonsense", "Crawler has no option nonsense: docs/extract-your-data.md lists its options"),
    ],
)
def test_an_unknown_option_is_named_with_what_may_be_meant(option: str, sentence: str) -> None:
    with pytest.raises(TypeError) as caught:
        tenax.Crawler(SITE, **cast(Any, {option: 5}))
    assert str(caught.value).startswith(sentence)
