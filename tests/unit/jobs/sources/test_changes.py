"""What a list of definitions changes, field by field."""

from typing import Any

from tenax.jobs.sources.changes import FieldChange, SourceChange, list_field_changes, plan_changes
from tenax.jobs.sources.definition import SourceDefinition, check_definition, format_definition, hide_headers
from tenax.records.jobs import Source


def define(name: str = "news", **fields: Any) -> SourceDefinition:
    return check_definition({"name": name, "seeds": ["https://a.example/"], **fields})


def keep(number: int, definition: SourceDefinition) -> Source:
    return Source(
        id=number,
        name=definition.name,
        definition=format_definition(definition),
        enabled=definition.enabled,
        version=1,
        created_at=1.0,
        updated_at=1.0,
        sealed_headers=None,
    )


def know_nothing(source: Source) -> dict[str, str]:
    return {}


def diff(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    known = define(**old)
    changes = list_field_changes(hide_headers(known), define(**new), lambda: known.headers)
    return [(each.field, each.old, each.new) for each in changes]


def summarise(changes: list[SourceChange]) -> list[str]:
    return [f"{each.name} {each.kind}" for each in changes]


def test_sources_are_matched_by_name_regardless_of_case() -> None:
    known = [keep(1, define("a")), keep(2, define("B")), keep(3, define("c"))]
    wanted = [define("b"), define("a"), define("d")]
    assert summarise(plan_changes(known, wanted, know_nothing, prune=False)) == [
        "b changed",
        "a unchanged",
        "d added",
    ]
    assert summarise(plan_changes(known, wanted, know_nothing, prune=True))[3:] == ["c removed"]


def test_what_is_said_and_what_goes_without_saying_are_the_same() -> None:
    assert diff({}, {"enabled": True, "limits": {"max_depth": 3}, "scope": {}, "schedule": None}) == []


def test_fields_are_named_with_what_they_were_and_will_be() -> None:
    hourly = {"interval_minutes": 1, "interval_type": "hours"}
    assert diff(
        {"delay_s": 1, "schedule": hourly, "limits": {"max_pages": 5}},
        {"delay_s": 2, "enabled": False, "schedule": {**hourly, "interval_minutes": 6}},
    ) == [
        ("delay_s", 1.0, 2.0),
        ("enabled", None, False),
        ("limits.max_pages", 5, None),
        ("schedule.interval_minutes", 1, 6),
    ]


def test_a_changed_header_reveals_no_secret() -> None:
    assert diff({"headers": {"X-Key": "old"}}, {"headers": {"X-Key": "new"}}) == [
        ("headers.X-Key", "***", "***")
    ]
    assert diff({"headers": {"X-Key": "old"}}, {}) == [("headers.X-Key", "***", None)]


def test_a_header_that_is_hidden_is_no_change() -> None:
    assert diff({"headers": {"X-Key": "old"}}, {"headers": {"X-Key": "***"}}) == []


def test_a_new_source_is_reported_with_its_fields() -> None:
    (change,) = plan_changes([], [define()], know_nothing, prune=False)
    assert change.fields == [
        FieldChange(field="name", old=None, new="news"),
        FieldChange(field="seeds", old=None, new=["https://a.example/"]),
    ]
