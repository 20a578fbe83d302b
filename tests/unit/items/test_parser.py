from collections.abc import Iterator
from typing import Any

import pytest

from tenax.errors import ConfigError
from tenax.items.page import Page
from tenax.items.parser import FunctionParser, Parser, ParserCard, check_parsers, choose_parsers, hash_parsers


def build(name: str = "product", version: str = "1", patterns: tuple[str, ...] | None = ()) -> Parser:
    parser = Parser()
    parser.name, parser.version, parser.patterns = name, version, patterns
    return parser


def product(page: Page) -> Iterator[dict[str, Any]]:
    yield {"url": page.url}


def test_a_function_becomes_a_parser_of_its_name() -> None:
    parser = FunctionParser(product, patterns=("/p/*",))
    assert ParserCard.build(parser) == ParserCard(
        name="product", version=parser.version, patterns=("/p/*",), kind="product"
    )


def test_the_version_of_a_function_follows_its_text() -> None:
    def first(page: Page) -> dict[str, Any]:
        return {"a": 1}

    same = FunctionParser(first).version
    assert FunctionParser(first).version == same

    def first(page: Page) -> dict[str, Any]:  # type: ignore[no-redef]
        return {"a": 2}

    assert FunctionParser(first).version != same
    assert FunctionParser(first, version="7").version == "7"


def test_a_function_without_source_text_has_a_version() -> None:
    def build(value: int) -> str:
        names: dict[str, Any] = {}
        exec(f"def f(page): return {{'a': {value}}}", names)  # noqa: S102
        return FunctionParser(names["f"]).version

    assert build(1) == build(1)
    assert build(1) != build(2)


def test_a_coroutine_is_refused() -> None:
    async def handler(page: Page) -> None: ...

    with pytest.raises(TypeError, match="must be a plain function"):
        FunctionParser(handler)  # type: ignore[arg-type]


def test_parsers_are_chosen_by_pattern_or_by_follow_up() -> None:
    parsers = [build("a", patterns=("/a/*",)), build("b", patterns=None), build("c")]
    names = [parser.name for parser in choose_parsers(parsers, "https://x.example/a/1")]
    assert names == ["a", "c"]
    names = [parser.name for parser in choose_parsers(parsers, "https://x.example/", asked=["b"])]
    assert names == ["b", "c"]


def test_the_hash_follows_names_and_versions_and_not_their_order() -> None:
    one, other = build("a"), build("b")
    assert hash_parsers([one, other]) == hash_parsers([other, one])
    assert hash_parsers([one, other]) != hash_parsers([one, build("b", version="2")])


@pytest.mark.parametrize(
    ("parser", "said"),
    [
        (build(name=""), "cannot be the name of a parser"),
        (build(name="a b"), "cannot be the name of a parser"),
        (build(version=""), "The version of the parser product"),
        (build(version=2), "The version of the parser product"),  # type: ignore[arg-type]
        (build(patterns=("products",)), "the pattern 'products' matches nothing"),
        (build(patterns="/a"), "must be a tuple"),  # type: ignore[arg-type]
        (product, "is no parser"),
    ],
)
def test_a_parser_that_cannot_be_used_is_refused_in_one_sentence(parser: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check_parsers([parser])


def test_two_parsers_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="Two parsers are called product"):
        check_parsers([build(), build()])
