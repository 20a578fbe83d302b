"""Schemas of items: what they find, in which words, and which are refused."""

from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator

from tenax.errors import ConfigError
from tenax.items.schema import MAX_FAULTS, build_check


def check(schema: Any, **data: Any) -> tuple[str, ...]:
    return build_check(schema)(data)


def of(**rules: Any) -> dict[str, Any]:
    return {"properties": {"a": rules}}


@pytest.mark.parametrize(
    ("schema", "value", "fault"),
    [
        (of(type="number"), "x", 'The field a must be of type number, but is "x".'),
        (of(type=["integer", "null"]), 1.5, "The field a must be of type integer or null, but is 1.5."),
        (of(type="integer"), True, "The field a must be of type integer, but is true."),
        (of(minimum=1), 0, "The field a is 0, but must be at least 1."),
        (of(maximum=1), 2, "The field a is 2, but must be at most 1."),
        (of(exclusiveMinimum=0), 0, "The field a is 0, but must be more than 0."),
        (of(exclusiveMaximum=0), 0, "The field a is 0, but must be less than 0."),
        (of(multipleOf=0.01), 0.015, "The field a is 0.015, but must be a multiple of 0.01."),
        (of(minLength=2), "x", "The field a has 1 character, but must have at least 2."),
        (of(maxItems=1), [1, 2], "The field a has 2 values, but must have at most 1."),
        (of(minProperties=1), {}, "The field a has 0 fields, but must have at least 1."),
        (of(enum=["x", "y"]), "z", 'The field a is "z", not one of ["x","y"].'),
        (of(const=1), 2, "The field a is 2, not one of [1]."),
        (of(pattern="^[0-9]+$"), "x1", 'The field a is "x1", which does not match "^[0-9]+$".'),
        (of(uniqueItems=True), [1, 1.0], "The field a holds a value twice."),
        (of(items={"type": "string"}), ["x", 1], "The field a.1 must be of type string, but is 1."),
        (of(anyOf=[{"type": "null"}, {"minimum": 5}]), 1, "The field a is 1, which fits none of 2 schemas."),
        (of(allOf=[{"minimum": 5}]), 1, "The field a is 1, but must be at least 5."),
        (
            of(properties={"b": {"type": "string"}}),
            {"b": 1},
            "The field a.b must be of type string, but is 1.",
        ),
        (of(required=["b"]), {}, "The field a.b is missing."),
        (of(additionalProperties=False), {"c": 1}, "The field a.c is not in the schema."),
        (
            of(additionalProperties={"type": "string"}),
            {"c": 1},
            "The field a.c must be of type string, but is 1.",
        ),
    ],
)
def test_a_fault_is_a_sentence(schema: Any, value: Any, fault: str) -> None:
    assert check(schema, a=value) == (fault,)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (of(type="integer"), 2.0),
        (of(multipleOf=0.01), 19.99),
        (of(minimum=1), "not a number"),
        (of(enum=[1]), 1.0),
        (of(pattern="^x"), "xy"),
        (of(anyOf=[{"type": "null"}, {"minimum": 5}]), None),
        (of(title="A", description="B", default=1), "anything"),
        ({"additionalProperties": True}, 1),
    ],
)
def test_what_a_schema_allows_has_no_fault(schema: Any, value: Any) -> None:
    assert check(schema, a=value) == ()


def test_without_a_schema_everything_is_valid() -> None:
    assert check(None, a=1) == ()


def test_there_are_only_so_many_faults() -> None:
    faults = check({"additionalProperties": False}, **{f"f{n}": n for n in range(100)})
    assert len(faults) == MAX_FAULTS + 1
    assert faults[-1] == "There are more faults."


class Lamp(BaseModel):
    name: str
    watts: int = Field(ge=1)
    color: str = "white"

    @field_validator("color")
    @classmethod
    def _is_a_color(cls, color: str) -> str:
        if color == "loud":
            raise ValueError("that is no color")
        return color


def test_a_pydantic_model_is_a_schema() -> None:
    assert check(Lamp, name="x", watts=5) == ()
    assert check(Lamp, watts=0, color="loud") == (
        "The field name is missing.",
        "The field watts: input should be greater than or equal to 1 (got 0).",
        "The field color: value error, that is no color.",
    )


def nest(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("text", "must be a JSON Schema"),
        ({"properties": {"a": {"$ref": "#"}}}, 'of a: "$ref" is not supported'),
        ({"type": "text"}, "type must be one of"),
        ({"minimum": "1"}, "minimum must be a number"),
        ({"properties": []}, "properties must be an object"),
        ({"required": "a"}, "required must be a list of names"),
        ({"enum": []}, "enum must be a list"),
        ({"items": 1}, "must be an object"),
        ({"pattern": "(?=x)"}, "is not a valid RE2 pattern"),
        ({"pattern": "((((x{9}){9}){9}){9}){9}"}, "pattern"),
        (nest(1_000), "too large"),
        ({"properties": {f"f{n}": {"type": "string"} for n in range(10_000)}}, "too large"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(schema: Any, reason: str) -> None:
    with pytest.raises(ConfigError, match="schema") as refused:
        build_check(schema)
    assert reason in str(refused.value)
