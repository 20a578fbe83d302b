"""What parsers made of a url, in sentences."""

from tenax.crawl.insight.item_sentences import describe_parsed
from tenax.stores.contracts.lookup import ParsedUrl, ParserFailure


def test_nothing_is_said_without_parsers() -> None:
    assert list(describe_parsed(ParsedUrl())) == []


def test_items_are_named() -> None:
    parsed = ParsedUrl(items=(("product", "boat"), ("product", "car")), items_count=7)
    assert list(describe_parsed(parsed)) == ["It shows 7 items: product boat, product car and 5 more."]


def test_invalid_items_are_counted() -> None:
    assert list(describe_parsed(ParsedUrl(invalid_count=1))) == [
        "1 item of this page breaks the schema of its parser."
    ]


def test_a_follow_up_names_the_page_that_asked_for_it() -> None:
    parsed = ParsedUrl(follow_ups=(("reviews", "https://a.example/boat"),))
    assert list(describe_parsed(parsed)) == [
        "https://a.example/boat asked for it to be seen by the handler reviews."
    ]


def test_the_last_failure_is_told_on_one_line() -> None:
    failure = ParserFailure(id=7, parser="shop", type="KeyError", message="no\n price", at=0.0)
    assert list(describe_parsed(ParsedUrl(failure=failure))) == [
        "The parser shop last failed on it at 1970-01-01T00:00:00.000Z (error 7): KeyError: no price."
    ]
