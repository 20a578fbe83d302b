from dataclasses import replace
from typing import Any

import pytest

from tenax.config.parsers import ParserSettings
from tenax.errors import ConfigError
from tenax.items.page import Page
from tenax.items.parser import FunctionParser, Output
from tenax.items.registry import load_candidates, load_parsers
from tenax.items.trials import (
    MAX_VALUE_CHARS,
    MOST_FIELDS,
    CandidateParser,
    StandIn,
    compare_parsings,
    is_in_share,
)
from tests.support.items import failed_parsing, found_item, parsing

SHOP = {"name": "shop", "fields": {"price": "b"}}
OTHER = {"name": "shop", "fields": {"price": "i"}}


def parse_car(page: Page) -> Output:
    return {"wheels": 4}


def test_fields_are_compared_item_by_item() -> None:
    current = parsing(found_item("x", name="X", price=1, old=True), found_item("y", name="Y"))
    candidate = parsing(found_item("x", name="X", price=2), found_item("z", name="Z"), version="2")
    trial = compare_parsings(current, candidate, "shop")
    assert trial is not None
    assert (trial.parser, trial.version, trial.candidate, trial.equal_fields) == ("shop", "1", "2", ("name",))
    assert trial.differences == (
        ("old", "true", None),
        ("price", "1", "2"),
        ("name", '"Y"', None),
        ("name", None, '"Z"'),
    )


def test_null_is_as_good_as_no_field() -> None:
    trial = compare_parsings(parsing(found_item("x", a=None)), parsing(found_item("x")), "shop")
    assert trial is not None
    assert trial.differences == ()


def test_a_candidate_that_fails_is_told() -> None:
    trial = compare_parsings(parsing(), failed_parsing(), "shop")
    assert trial is not None
    assert trial.error is not None


def test_nothing_is_compared_with_a_parser_that_failed() -> None:
    assert compare_parsings(failed_parsing(), parsing(), "shop") is None


def test_a_page_has_a_limited_number_of_short_differences() -> None:
    many: dict[str, Any] = {f"f{number}": "x" * 3000 for number in range(MOST_FIELDS + 5)}
    trial = compare_parsings(parsing(found_item("x", **many)), parsing(), "shop")
    assert trial is not None
    assert len(trial.differences) == MOST_FIELDS
    assert len(trial.differences[0][1] or "") == MAX_VALUE_CHARS


@pytest.mark.parametrize(("share", "least", "most"), [(1.0, 1000, 1000), (0.1, 80, 120)])
def test_a_share_of_pages_is_chosen_by_their_keys(share: float, least: int, most: int) -> None:
    chosen = sum(is_in_share(number * 0x9E3779B97F4A7C15, share) for number in range(1000))
    assert least <= chosen <= most


def test_a_stand_in_has_the_name_of_the_parser_that_it_replaces() -> None:
    stand_in = StandIn("shop", FunctionParser(parse_car, patterns=("/cars/*",), version="3"))
    assert (stand_in.name, stand_in.kind, stand_in.version) == ("shop", "shop", "parse_car 3")
    assert stand_in.patterns == ("/cars/*",)


def test_no_url_is_for_a_candidate() -> None:
    candidate = CandidateParser("shop", FunctionParser(parse_car, kind="car"), 0.5)
    assert (candidate.trial_of, candidate.name, candidate.patterns) == ("shop", "shop.candidate", None)
    assert candidate.kind == "car"


def settings(**fields: object) -> ParserSettings:
    return ParserSettings.model_validate({"definitions": [SHOP], **fields})


def test_a_candidate_is_loaded_beside_its_parser() -> None:
    given = settings(candidates=[{"parser": "shop", "definition": OTHER, "share": 1}])
    (current,) = load_parsers(given)
    (candidate,) = load_candidates(given, ["shop"])
    assert current.version != candidate.version
    assert candidate.kind == (current.kind or current.name)


def test_a_candidate_needs_a_parser() -> None:
    given = settings(candidates=[{"parser": "cars", "definition": OTHER}])
    with pytest.raises(ConfigError, match="candidate for the parser 'cars', but no such parser"):
        load_candidates(given, ["shop"])


def test_an_installed_parser_makes_the_items_of_another(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("parsers") / "cars.yaml"
    file.write_text("name: cars\nversion: '2'\nfields: {wheels: b}\n")
    given = ParserSettings(use=("shop",), uses={"shop": "cars"}, files=(str(file),))
    (parser,) = load_parsers(given)
    assert (parser.name, parser.version, parser.kind) == ("shop", "cars 2", "shop")


def test_values_are_compared_as_json() -> None:
    trial = compare_parsings(
        parsing(found_item("x", n=1)), replace(parsing(found_item("x", n=True)), version="2"), "shop"
    )
    assert trial is not None
    assert trial.differences == (("n", "1", "true"),)
