"""How a site answers where there is no page, and which of its pages look the same."""

import pytest

from tenax.config.crawl import ValidationSettings
from tenax.policy.guards.soft_404 import (
    ErrorPage,
    Stage,
    begin_probing,
    format_error_page,
    goes_on,
    is_error_page,
    is_home,
    learn_page,
    read_error_page,
    should_probe,
)

T = 1_000_000.0
PROBE = "https://a.test/3f9a17c2b45d6e708192"
MENU = "Shop\nAbout\nContact"
ERROR = f"{MENU}\nSorry\nThe page 3f9a17c2b45d6e708192 was not found."
SAMPLES = [f"{MENU}\nWelcome", f"{MENU}\nTin 1\nSardines", f"{MENU}\nTin 2\nTuna"]
SETTINGS = ValidationSettings()


def learn(text: str = ERROR, title: str = "Shop", samples: list[str] = SAMPLES) -> ErrorPage:
    return learn_page(begin_probing(None, samples, T), PROBE, title, text, T)


def test_a_page_with_the_same_words_is_an_error_page() -> None:
    text = f"{MENU}\nSorry\nThe page old.html was not found."
    assert is_error_page(learn(), "https://a.test/old.html", "Shop", text)


def test_the_title_may_name_the_page() -> None:
    known = learn(title="3f9a17c2b45d6e708192 | Shop")
    text = f"{MENU}\nSorry\nThe page old.html was not found."
    assert is_error_page(known, "https://a.test/old.html", "old.html | Shop", text)
    assert not is_error_page(known, "https://a.test/old.html", "Tins | Shop", text)


def test_numbers_may_differ() -> None:
    known = learn(f"{MENU}\nSorry\nRequest 123")
    assert is_error_page(known, "https://a.test/x.html", "Shop", f"{MENU}\nSorry\nRequest 98765")


@pytest.mark.parametrize(
    "text",
    [
        f"{MENU}\nTin 3\nHerring",
        MENU,
        f"{MENU}\nSorry",
        f"{MENU}\nSorry\nThe page x was not found.\n" + "We sell forty kinds of tins, here they are. " * 2,
        "",
    ],
    ids=["a product", "only the menu", "a part of it", "more than that", "nothing"],
)
def test_a_page_that_only_resembles_it_is_none(text: str) -> None:
    assert not is_error_page(learn(), "https://a.test/x", "Shop", text)


def test_another_title_is_another_page() -> None:
    assert not is_error_page(learn(), PROBE, "Sorry, the film", ERROR)


def test_a_site_that_shows_the_same_everywhere_is_unclear() -> None:
    known = learn("Loading", samples=["Loading", "Loading"])
    assert known.stage is Stage.UNCLEAR
    assert not is_error_page(known, "https://a.test/x", "Shop", "Loading")


def test_samples_may_be_error_pages_themselves() -> None:
    """Some are, where most links are dead."""
    known = learn(samples=[SAMPLES[0], ERROR, ERROR])
    assert is_error_page(known, PROBE, "Shop", ERROR)


def test_an_empty_answer_is_unclear() -> None:
    assert learn("").stage is Stage.UNCLEAR


def test_it_survives_the_store() -> None:
    assert read_error_page(format_error_page(learn())) == learn()


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"stage":"new"}', '{"stage":"honest"}', "7"])
def test_what_another_version_wrote_is_forgotten(text: str | None) -> None:
    assert read_error_page(text) is None


@pytest.mark.parametrize(("pages", "is_due"), [(19, False), (20, True)])
def test_a_site_is_probed_after_some_pages(pages: int, is_due: bool) -> None:
    assert should_probe(None, pages, T, SETTINGS) is is_due


def test_a_site_is_probed_again_after_a_month() -> None:
    known = ErrorPage(stage=Stage.HONEST, at=T)
    assert not should_probe(known, 1000, T + 29 * 86_400, SETTINGS)
    assert should_probe(known, 1, T + 30 * 86_400, SETTINGS)


def test_what_is_known_stays_in_force_while_a_site_is_probed_again() -> None:
    known = begin_probing(learn(), SAMPLES, T + 1)
    assert known.stage is Stage.PROBING
    assert is_error_page(known, PROBE, "Shop", ERROR)


@pytest.mark.parametrize(
    ("to_url", "is_same"),
    [
        (PROBE.replace("https", "http"), True),
        (PROBE + "/", True),
        ("https://a.test/", False),
        ("https://b.test/3f9a17c2b45d6e708192", False),
    ],
)
def test_a_redirect_to_the_same_page_goes_on(to_url: str, is_same: bool) -> None:
    assert goes_on(PROBE, to_url) is is_same


def test_home_is_where_the_path_is_empty() -> None:
    assert is_home("https://a.test/")
    assert not is_home("https://a.test/en")
    assert not is_home("https://a.test/?page=2")
