"""Declared schemas of items: a JSON Schema, or a Pydantic model. An item that breaks its schema is kept apart
with its faults, each in a sentence.

Of JSON Schema, what has one meaning and a bounded cost: no references, no conditions, patterns by RE2. An
unknown keyword is refused: a rule that is not checked would be worse than none.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import orjson
from pydantic import BaseModel, ValidationError

from tenax.errors import ConfigError
from tenax.policy.patterns import BadPattern, PatternBudget, compile_pattern
from tenax.wording import as_sentence, count_of, to_json_terms

MAX_FAULTS: Final = 20
MAX_DEPTH: Final = 20
MAX_RULES: Final = 5_000
SHOWN_CHARS: Final = 60

Check = Callable[[Mapping[str, Any]], tuple[str, ...]]  # an item's data → its faults, in sentences
Rule = Callable[[Any, str], Iterable[str]]  # a value and where it is → its faults

_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list | tuple),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        not isinstance(value, bool)
        and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    ),
}
_NOTES: Final = frozenset(
    ("title", "description", "default", "examples", "deprecated", "readOnly", "$schema", "$id", "$comment")
)


def build_check(schema: Any) -> Check:
    """Build the check of a declared schema; None: everything is valid. Raises ConfigError."""
    if schema is None:
        return lambda data: ()
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return _check_by(schema)
    if not isinstance(schema, Mapping):
        raise ConfigError("A schema must be a JSON Schema as a dict, or a Pydantic model.")
    rules = _SchemaReader().read(schema, "")
    return lambda data: tuple(_take(rules, data))


def _take(rules: list[Rule], data: Any) -> Iterator[str]:
    number = 0
    for number, fault in enumerate(_apply(rules, data, ""), 1):
        if number > MAX_FAULTS:
            yield "There are more faults."
            return
        yield fault


def _apply(rules: Iterable[Rule], value: Any, path: str) -> Iterator[str]:
    for rule in rules:
        yield from rule(value, path)


def _check_by(model: type[BaseModel]) -> Check:
    def check(data: Mapping[str, Any]) -> tuple[str, ...]:
        try:
            model.model_validate(dict(data))
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False)
            return tuple(_explain(each) for each in found[:MAX_FAULTS])
        return ()

    return check


def _explain(error: Any) -> str:
    path = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"The field {path} is missing."
    reason = to_json_terms(error["msg"])
    got = "" if error["type"] == "value_error" else f" (got {show(error['input'])})"
    return as_sentence(f"{_name(path)}: {reason[:1].lower()}{reason[1:200]}{got}")


def show(value: Any) -> str:
    """A value as it is quoted in a sentence."""
    try:
        text = orjson.dumps(value, default=str).decode()
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _name(path: str) -> str:
    return f"The field {path}" if path else "The item"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


class _SchemaReader:
    """Turns a schema into rules, within limits. Recurses as deep as the schema, which is limited."""

    def __init__(self) -> None:
        self._budget = PatternBudget()
        self._rules = 0
        self._depth = 0

    def read(self, schema: Any, path: str) -> list[Rule]:
        if schema is True:
            return []
        if not isinstance(schema, Mapping):
            raise ConfigError(f"The schema{_at(path)} must be an object.")
        self._depth += 1
        self._rules += len(schema)
        if self._depth > MAX_DEPTH or self._rules > MAX_RULES:
            raise ConfigError(f"The schema is too large: at most {MAX_DEPTH} levels and {MAX_RULES:,} rules.")
        rules = [rule for word in schema for rule in self._read_word(word, schema, path)]
        self._depth -= 1
        return rules

    def _read_word(self, word: Any, schema: Mapping[str, Any], path: str) -> list[Rule]:
        value = schema[word]
        if word in _NOTES:
            return []
        if word in _LIMITS:
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise ConfigError(f"The schema{_at(path)}: {word} must be a number.")
            return [_LIMITS[word](value)]
        reader = _READERS.get(word) if isinstance(word, str) else None
        if reader is None:
            known = ", ".join(sorted({*_LIMITS, *_READERS}))
            raise ConfigError(f"The schema{_at(path)}: {show(word)} is not supported. Use {known}.")
        return reader(self, value, path, schema)

    def read_type(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        names = value if isinstance(value, list) else [value]
        if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
            raise ConfigError(f"The schema{_at(path)}: type must be one of {', '.join(_TYPES)}.")
        kinds, wanted = [_TYPES[name] for name in names], " or ".join(names)
        return [
            _when(
                lambda got: not any(is_kind(got) for is_kind in kinds),
                lambda got: f"must be of type {wanted}, but is {show(got)}",
            )
        ]

    def read_properties(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        if not isinstance(value, Mapping):
            raise ConfigError(f"The schema{_at(path)}: properties must be an object.")
        fields = {name: self.read(each, _join(path, str(name))) for name, each in value.items()}

        def check(got: Any, where: str) -> Iterator[str]:
            for name, rules in fields.items() if isinstance(got, Mapping) else ():
                if name in got:
                    yield from _apply(rules, got[name], _join(where, name))

        return [check]

    def read_additional(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        known = frozenset(schema.get("properties") or ())
        rules = None if value is False else self.read(value, _join(path, "*"))

        def check(got: Any, where: str) -> Iterator[str]:
            for name in got if isinstance(got, Mapping) else ():
                if name in known:
                    continue
                if rules is None:
                    yield f"The field {_join(where, str(name)[:SHOWN_CHARS])} is not in the schema."
                else:
                    yield from _apply(rules, got[name], _join(where, str(name)))

        return [check]

    def read_required(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ConfigError(f"The schema{_at(path)}: required must be a list of names.")

        def check(got: Any, where: str) -> Iterator[str]:
            for name in value if isinstance(got, Mapping) else ():
                if name not in got:
                    yield f"The field {_join(where, name)} is missing."

        return [check]

    def read_items(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        rules = self.read(value, _join(path, "*"))

        def check(got: Any, where: str) -> Iterator[str]:
            for number, each in enumerate(got if isinstance(got, list | tuple) else ()):
                yield from _apply(rules, each, _join(where, str(number)))

        return [check]

    def read_enum(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        if not isinstance(value, list) or not value:
            raise ConfigError(f"The schema{_at(path)}: enum must be a list of values.")
        known = frozenset(map(_canonical, value))
        shown = show(value)
        return [
            _when(lambda got: _canonical(got) not in known, lambda got: f"is {show(got)}, not one of {shown}")
        ]

    def read_const(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        return self.read_enum([value], path, schema)

    def read_pattern(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        try:
            regex = compile_pattern(str(value), self._budget)
        except BadPattern as error:
            raise ConfigError(as_sentence(f"The schema{_at(path)}: pattern {error}")) from error
        return [
            _when(
                lambda got: isinstance(got, str) and regex.search(got.encode("utf-8", "replace")) is None,
                lambda got: f"is {show(got)}, which does not match {show(value)}",
            )
        ]

    def read_unique(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        def repeats(got: Any) -> bool:
            return isinstance(got, list | tuple) and len(set(map(_canonical, got))) < len(got)

        return [_when(repeats, lambda got: "holds a value twice")] if value else []

    def read_any(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        if not isinstance(value, list) or not value:
            raise ConfigError(f"The schema{_at(path)}: anyOf must be a list of schemas.")
        options = [self.read(each, path) for each in value]

        def fits_none(got: Any) -> bool:
            return all(next(_apply(rules, got, ""), None) is not None for rules in options)

        return [_when(fits_none, lambda got: f"is {show(got)}, which fits none of {len(options)} schemas")]

    def read_all(self, value: Any, path: str, schema: Mapping[str, Any]) -> list[Rule]:
        if not isinstance(value, list):
            raise ConfigError(f"The schema{_at(path)}: allOf must be a list of schemas.")
        return [rule for each in value for rule in self.read(each, path)]


def _at(path: str) -> str:
    return f" of {path}" if path else ""


def _canonical(value: Any) -> bytes:
    """Equal for equal values, with 1 and 1.0 the same."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)
    except TypeError:  # an integer of more than 64 bits
        return repr(value).encode("utf-8", "replace")


def _when(is_broken: Callable[[Any], bool], explain: Callable[[Any], str]) -> Rule:
    def check(got: Any, where: str) -> Iterator[str]:
        if is_broken(got):
            yield f"{_name(where)} {explain(got)}."

    return check


def _limit_number(is_broken: Callable[[float, float], bool], words: str) -> Callable[[float], Rule]:
    return lambda limit: _when(
        lambda got: _TYPES["number"](got) and is_broken(got, limit),
        lambda got: f"is {show(got)}, but must be {words} {show(limit)}",
    )


def _limit_size(
    kind: str, noun: str, is_broken: Callable[[int, float], bool], words: str
) -> Callable[[float], Rule]:
    return lambda limit: _when(
        lambda got: _TYPES[kind](got) and is_broken(len(got), limit),
        lambda got: f"has {count_of(len(got), noun)}, but must have {words} {show(limit)}",
    )


def _is_no_multiple(got: float, of: float) -> bool:
    if of == 0:
        return False
    quotient = got / of
    return abs(quotient - round(quotient)) > 1e-9 if math.isfinite(quotient) else True


_LIMITS: Final[dict[Any, Callable[[float], Rule]]] = {
    "minimum": _limit_number(lambda got, limit: got < limit, "at least"),
    "maximum": _limit_number(lambda got, limit: got > limit, "at most"),
    "exclusiveMinimum": _limit_number(lambda got, limit: got <= limit, "more than"),
    "exclusiveMaximum": _limit_number(lambda got, limit: got >= limit, "less than"),
    "multipleOf": _limit_number(_is_no_multiple, "a multiple of"),
    "minLength": _limit_size("string", "character", lambda got, limit: got < limit, "at least"),
    "maxLength": _limit_size("string", "character", lambda got, limit: got > limit, "at most"),
    "minItems": _limit_size("array", "value", lambda got, limit: got < limit, "at least"),
    "maxItems": _limit_size("array", "value", lambda got, limit: got > limit, "at most"),
    "minProperties": _limit_size("object", "field", lambda got, limit: got < limit, "at least"),
    "maxProperties": _limit_size("object", "field", lambda got, limit: got > limit, "at most"),
}
_READERS: Final[dict[str, Callable[[_SchemaReader, Any, str, Mapping[str, Any]], list[Rule]]]] = {
    "type": _SchemaReader.read_type,
    "properties": _SchemaReader.read_properties,
    "additionalProperties": _SchemaReader.read_additional,
    "required": _SchemaReader.read_required,
    "items": _SchemaReader.read_items,
    "enum": _SchemaReader.read_enum,
    "const": _SchemaReader.read_const,
    "pattern": _SchemaReader.read_pattern,
    "uniqueItems": _SchemaReader.read_unique,
    "anyOf": _SchemaReader.read_any,
    "allOf": _SchemaReader.read_all,
}
