from typing import Any

import pytest

from tenax.config.settings import Settings
from tenax.errors import UsageError
from tenax.items.declarative.files import read_definition
from tenax.items.declarative.parser import DeclarativeParser
from tenax.jobs.sources.definition import check_definition, dump_definition, to_settings
from tenax.jobs.sources.definition_errors import BadDefinition
from tenax.jobs.sources.promotion import promote

BASE = {"name": "Shop", "seeds": ["https://shop.example/"]}
SHOP = {"name": "shop", "fields": {"price": "b"}}
CARS = {"name": "cars"}


def define(**fields: Any) -> Any:
    return check_definition({**BASE, "parsers": [SHOP, CARS], **fields})


def test_a_candidate_takes_the_place_of_its_parser() -> None:
    candidate = {"name": "shop", "fields": {"price": "i"}, "share": 0.5}
    promoted = promote(define(candidates=[candidate]), "shop")
    assert [each.name for each in promoted.parsers] == ["shop", "cars"]
    assert promoted.candidates == ()
    given = to_settings(promoted, Settings()).parsers
    assert [DeclarativeParser(read_definition(each)).version for each in given.definitions] == [
        DeclarativeParser(read_definition({"name": "shop", "fields": {"price": "i"}})).version
    ]
    assert "share" not in str(dump_definition(promoted))


def test_an_installed_candidate_makes_the_items_of_its_parser() -> None:
    promoted = promote(define(candidates=[{"name": "cars", "uses": "cars_next"}]), "cars")
    given = to_settings(promoted, Settings()).parsers
    assert (given.use, given.uses) == (("cars",), {"cars": "cars_next"})


def test_a_run_gets_the_candidates_and_rules_of_its_source() -> None:
    rules = {"product": {"required": ["price"]}}
    definition = define(candidates=[{"name": "cars", "uses": "cars_next", "share": 0.3}], item_rules=rules)
    given = to_settings(definition, Settings()).parsers
    (candidate,) = given.candidates
    assert (candidate.parser, candidate.uses, candidate.share) == ("cars", "cars_next", 0.3)
    assert given.item_rules == rules


def test_a_run_gets_the_intervals_of_its_source() -> None:
    definition = define(refresh={"every": [{"kind": "product", "hours": 6}]})
    (rule,) = to_settings(definition, Settings()).refresh.every
    assert (rule.kind, rule.hours) == ("product", 6)


def test_only_a_candidate_is_promoted() -> None:
    with pytest.raises(UsageError, match="has no candidate for a parser shop"):
        promote(define(), "shop")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"candidates": [{"name": "boats", "uses": "b"}]}, "no such parser"),
        ({"candidates": [{"name": "cars"}]}, "names the installed parser that it uses"),
        ({"candidates": [{"name": "cars", "uses": "a"}, {"name": "cars", "uses": "b"}]}, "two candidates"),
        ({"candidates": [{"name": "shop", "uses": "x", "fields": {"a": "b"}}]}, "either fields or uses"),
        ({"item_rules": {"product": {"minimun": 1}}}, "not supported"),
        ({"refresh": {"every": [{"hours": 1}]}}, "either a kind or a pattern"),
    ],
)
def test_nonsense_is_refused(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadDefinition) as caught:
        define(**fields)
    assert fault in str(caught.value)
