import itertools
import sys
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import orjson
import pytest
from pydantic import BaseModel

from tenax.items.faults import describe_exception
from tenax.items.normal import AskedFollow
from tenax.items.page import Page, parse_page
from tenax.items.parser import FunctionParser, Item
from tenax.items.running import ParsedPage, ParserLimits, PreparedParser, TookTooLong, run_parsers
from tenax.records.items import MAX_KEY_CHARS, ErrorCategory, FollowUp, FoundItem, LoggedError

URL = "https://shop.example/p/1"
SMALL = ParserLimits(items_per_page=3, item_bytes=1_000, follows_per_page=2)


def page(url: str = URL) -> Page:
    return parse_page(b"<title>A kettle</title>", url=url)


def run(function: Callable[[Page], Any], limits: ParserLimits = SMALL, url: str = URL) -> ParsedPage:
    prepared = PreparedParser(parser=FunctionParser(function, name="product", version="1"), check=None)
    (parsed,) = run_parsers(page(url), [prepared], (), limits)
    return parsed


def items(function: Callable[[Page], Any], url: str = URL) -> tuple[FoundItem, ...]:
    parsed = run(function, url=url)
    assert parsed.parsing.error is None, parsed.parsing.error
    return parsed.parsing.items


def fail(function: Callable[[Page], Any]) -> LoggedError:
    parsed = run(function)
    assert parsed.parsing.items == ()
    assert parsed.follows == ()
    assert parsed.parsing.error is not None
    assert parsed.parsing.error.category is ErrorCategory.HANDLER
    assert parsed.parsing.error.parser == "product"
    return parsed.parsing.error


def test_a_dict_becomes_an_item_of_the_url() -> None:
    (item,) = items(lambda page: {"name": page.title, "a": 1})
    assert (item.kind, item.key) == ("product", URL)
    assert item.data == '{"a":1,"name":"A kettle"}'
    assert item.confidence is None


def test_the_order_of_fields_does_not_change_the_hash() -> None:
    (one,) = items(lambda page: {"a": 1, "b": {"c": 2, "d": 3}})
    (other,) = items(lambda page: {"b": {"d": 3, "c": 2}, "a": 1})
    assert one.content_hash == other.content_hash


@pytest.mark.parametrize("output", [None, (), []])
def test_a_parser_may_find_nothing(output: Any) -> None:
    parsed = run(lambda page: output)
    assert parsed.parsing.items == ()
    assert parsed.parsing.error is None


def test_further_items_of_a_kind_are_numbered() -> None:
    found = items(lambda page: [{"n": 1}, Item({"n": 2}, kind="offer"), {"n": 3}])
    assert [(item.kind, item.key) for item in found] == [
        ("product", URL),
        ("offer", URL),
        ("product", f"{URL}#2"),
    ]


def test_an_item_may_name_its_kind_and_key() -> None:
    (item,) = items(lambda page: Item({"n": 1}, kind="offer", key="sku-7"))
    assert (item.kind, item.key) == ("offer", "sku-7")
    (item,) = items(lambda page: Item({"n": 1}, key=7))  # type: ignore[arg-type]
    assert item.key == "7"


def test_the_last_item_of_a_key_counts() -> None:
    (item,) = items(lambda page: [Item({"n": 1}, key="a"), Item({"n": 2}, key="a")])
    assert item.data == '{"n":2}'


def test_the_key_of_a_long_url_is_cut_and_stays_unique() -> None:
    long = URL + "x" * 600
    (one,) = items(lambda page: {}, url=long)
    (other,) = items(lambda page: {}, url=long + "y")
    assert len(one.key) <= MAX_KEY_CHARS - 10
    assert one.key != other.key


def test_the_key_is_the_identity_of_the_url() -> None:
    (one,) = items(lambda page: {}, url="https://shop.example/p?b=1&a=2")
    (other,) = items(lambda page: {}, url="https://shop.example/p?a=2&b=1")
    assert one.key == other.key


def test_values_that_json_lacks_are_converted() -> None:
    class Model(BaseModel):
        price: Decimal

    (item,) = items(
        lambda page: {
            "decimal": Decimal("19.99"),
            "date": date(2026, 1, 2),
            "set": {3, 1},
            "model": Model(price=Decimal(1)),
        }
    )
    assert orjson.loads(item.data) == {
        "decimal": 19.99,
        "date": "2026-01-02",
        "set": [1, 3],
        "model": {"price": 1.0},
    }


def test_a_model_is_an_item() -> None:
    class Product(BaseModel):
        name: str

    (item,) = items(lambda page: Product(name="Kettle"))
    assert item.data == '{"name":"Kettle"}'


def test_confidence_of_an_item_and_of_its_fields() -> None:
    one, other = items(
        lambda page: [
            Item({"a": 1}, confidence=0.5),
            Item({"a": 1, "b": 2}, confidence={"a": 1.0, "b": 0.5}),
        ]
    )
    assert (one.confidence, one.field_confidence) == (0.5, None)
    assert (other.confidence, other.field_confidence) == (0.75, '{"a":1.0,"b":0.5}')


def test_faults_of_a_schema_do_not_drop_the_item() -> None:
    def check(data: Any) -> tuple[str, ...]:
        return () if "price" in data else ("price is missing",)

    prepared = PreparedParser(parser=FunctionParser(lambda page: {"a": 1}, name="product"), check=check)
    (parsed,) = run_parsers(page(), [prepared], (), SMALL)
    assert parsed.parsing.items[0].faults == ("price is missing",)


def test_a_follow_up_is_asked_for() -> None:
    parsed = run(lambda page: [page.follow("/p/2", "detail", {"rank": 1})])
    follow_up = FollowUp(parser="detail", data='{"rank":1}')
    assert parsed.follows == (AskedFollow(url="https://shop.example/p/2", follow_up=follow_up),)


def test_a_parser_that_a_follow_up_names_gets_its_data() -> None:
    seen = []
    parser = FunctionParser(lambda page: seen.append(page.data), name="detail", patterns=None)
    prepared = PreparedParser(parser=parser, check=None)
    assert list(run_parsers(page(), [prepared], (), SMALL)) == []
    list(run_parsers(page(), [prepared], [FollowUp(parser="detail", data='{"rank":1}')], SMALL))
    assert seen == [{"rank": 1}]


def test_data_of_a_follow_up_is_for_its_parser_alone() -> None:
    seen = []

    def build(name: str) -> PreparedParser:
        parser = FunctionParser(lambda page: seen.append((name, page.data)), name=name)
        return PreparedParser(parser=parser, check=None)

    follow_up = FollowUp(parser="b", data="7")
    list(run_parsers(page(), [build("a"), build("b"), build("c")], [follow_up], SMALL))
    assert seen == [("a", None), ("b", 7), ("c", None)]


NONSENSE: list[tuple[Any, str]] = [
    ("text", "returns a dict, an Item, several of them, or None, but not an object of the type str"),
    (7, "but not an object of the type int"),
    ([7], "A parser yields dicts, Items and follow-ups, but not an object of the type int"),
    ([["a"]], "but not an object of the type list"),
    ({"a": object()}, "An item cannot be written as JSON: "),
    ({"a": 1 << 70}, "An item cannot be written as JSON: Integer exceeds 64-bit range"),
    ({"a": "\ud800"}, "An item cannot be written as JSON: "),
    ({1: 2}, "An item cannot be written as JSON: "),
    ({"a": "x" * 2_000}, "An item has 2,008 bytes: keep less of the page, or raise parsers.item_bytes"),
    (Item([1]), "The data of an item must be a dict"),  # type: ignore[arg-type]
    (Item({}, key=""), "The key of an item must be a text of 1 to 500 printable characters, but is ''"),
    (Item({}, key="a\0b"), "The key of an item must be"),
    (Item({}, key="x" * 501), "The key of an item must be"),
    (Item({}, kind="x" * 101), "The kind of an item must be"),
    (Item({}, confidence=2), "A confidence must be a number from 0 to 1"),
    (Item({}, confidence={"a": True}), "A confidence must be a number from 0 to 1"),
    (Item({}, confidence=float("nan")), "A confidence must be a number from 0 to 1, but is nan"),
    ([{}] * 4, "It makes more than 3 items of one page: make fewer, or raise parsers.items_per_page"),
    (({} for _ in itertools.count()), "It makes more than 3 items of one page"),
]


@pytest.mark.parametrize(("output", "said"), NONSENSE)
def test_nonsense_is_an_error_that_says_what_to_do(output: Any, said: str) -> None:
    error = fail(lambda page: output)
    assert said in error.message
    assert error.type == "Nonsense"


def test_data_that_contains_itself_is_an_error() -> None:
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    assert "cannot be written as JSON" in fail(lambda page: loop).message


def test_too_many_follow_ups_are_an_error() -> None:
    error = fail(lambda page: (page.follow("/a", "b") for _ in itertools.count()))
    assert error.message.startswith("It makes more than 2 follow-ups of one page")


def test_data_of_a_follow_up_that_is_no_json_or_too_large() -> None:
    assert "cannot be written as JSON" in fail(lambda page: page.follow("/a", "b", object())).message
    assert "more than 1,000 bytes" in fail(lambda page: page.follow("/a", "b", "x" * 1_000)).message


def fail_deeply(page: Page) -> Iterator[dict[str, Any]]:
    yield {"a": 1}
    orjson.loads(int("nothing").to_bytes())


def test_an_exception_costs_the_items_and_shows_the_users_code() -> None:
    error = fail(fail_deeply)
    assert error.type == "ValueError"
    assert error.message == "invalid literal for int() with base 10: 'nothing'"
    assert error.stack is not None
    assert "in fail_deeply" in error.stack
    assert error.stack.endswith(f"ValueError: {error.message}")
    assert "tenax/items" not in error.stack


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), RecursionError("deep")]
)
def test_what_ends_other_programs_is_an_error_like_any_other(error: BaseException) -> None:
    def handler(page: Page) -> None:
        raise error

    assert fail(handler).type == type(error).__name__


def test_a_recursion_without_end_has_a_short_stack() -> None:
    def handler(page: Page) -> Any:
        return handler(page)

    error = fail(handler)
    assert error.type == "RecursionError"
    assert error.stack is not None
    assert error.stack.count("in handler") <= 20


def test_an_exception_whose_text_raises() -> None:
    class Bad(Exception):
        def __str__(self) -> str:
            raise ValueError

    def handler(page: Page) -> None:
        raise Bad

    assert fail(handler).message == "Bad"


def test_long_messages_are_cut() -> None:
    def handler(page: Page) -> None:
        raise ValueError("x" * 1_000_000 + "\0\ud800")

    error = fail(handler)
    assert len(error.message) == 2_000
    assert error.stack is not None
    assert len(error.stack) <= 8_000


def test_errors_that_differ_in_values_alone_are_alike() -> None:
    def raise_for(value: object) -> Callable[[Page], None]:
        def handler(page: Page) -> None:
            raise KeyError(value)

        return handler

    assert fail(raise_for("price")).fingerprint == fail(raise_for("name")).fingerprint
    assert fail(raise_for(17)).fingerprint == fail(raise_for(4)).fingerprint
    assert fail(raise_for(17)).fingerprint != fail(raise_for(None)).fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No price on https://a.example/p/1?x=2", "No price on https://b.example/q"),
        ("19.99 is no price", "20 is no price"),
        ("Missing sku: ABC123", "Missing sku: 77-XYZ"),
        ("The id 1de27dd4-28d0 is unknown", "The id a2b4bfc9-9d4c is unknown"),
        ("At 0x7f001", "At 0x8aa11"),
    ],
)
def test_errors_with_other_urls_and_numbers_are_alike(one: str, other: str) -> None:
    first, second, third = (describe_exception(ValueError(each), "shop") for each in (one, other, "Else"))
    assert first.fingerprint == second.fingerprint != third.fingerprint


def test_lack_of_memory_is_an_error_after_which_nothing_else_is_read() -> None:
    def handler(page: Page) -> None:
        raise MemoryError

    parsed = run(handler)
    assert parsed.parsing.error is not None
    assert "parsers.memory_mb" in parsed.parsing.error.message
    assert not parsed.is_sound


def test_a_parser_whose_time_is_over() -> None:
    def handler(page: Page) -> None:
        raise TookTooLong

    assert fail(handler).message == "It took longer than 10 s: do less, or raise parsers.timeout_s."


def test_one_parser_that_fails_does_not_cost_the_items_of_another() -> None:
    def bad(page: Page) -> None:
        sys.exit()

    parsers = [
        PreparedParser(parser=FunctionParser(bad), check=None),
        PreparedParser(parser=FunctionParser(lambda page: {"a": 1}, name="good"), check=None),
    ]
    first, second = run_parsers(page(), parsers, (), SMALL)
    assert first.parsing.error is not None
    assert len(second.parsing.items) == 1
