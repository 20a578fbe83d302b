"""The parser that a definition describes."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from tenax.errors import ConfigError
from tenax.items.declarative.definition import MAX_STEPS, FieldDefinition, ParserDefinition
from tenax.items.declarative.places import (
    CONFIDENCES,
    MAX_VALUES,
    FieldPlace,
    PagePart,
    PageView,
    build_places,
    find_limited,
    find_matches,
)
from tenax.items.declarative.values import RawValue, read_value, read_words
from tenax.items.found_fields import FieldParser, FoundField, FoundFields
from tenax.items.page import Page
from tenax.items.parser import Item
from tenax.policy.patterns import BadPattern, PatternBudget, compile_pattern
from tenax.web.selectors import parse_selector
from tenax.wording import as_sentence

MAX_UNREAD: Final = 3  # values of another type that are remembered for a field
_UNREAD_CHARS: Final = 80
# Found on every page, so they do not say that it shows an item.
_EVERYWHERE: Final = ("url ", "default")


class FieldReader:
    """Finds one field."""

    def __init__(self, name: str, field: FieldDefinition, budget: PatternBudget) -> None:
        self.name = name
        self._field = field
        self._places = build_places(field, budget)
        self._match = compile_pattern(field.match, budget, captures=True) if field.match else None

    def read(self, view: PageView, part: PagePart) -> FoundField:
        unread: list[str] = []
        for place in self._places:
            values = self._read_place(place, view, part, unread)
            found = list(islice(values, MAX_VALUES if self._field.is_list else 1))
            if found:
                value = found if self._field.is_list else found[0]
                return self._build(value, place.name, place.confidence, unread)
        if self._field.default is not None:
            return self._build(self._field.default, "default", CONFIDENCES["default"], unread)
        return self._build(None, None, 0.0, unread)

    def _build(self, value: Any, place: str | None, confidence: float, unread: list[str]) -> FoundField:
        return FoundField(
            name=self.name, value=value, place=place, confidence=confidence, unread=tuple(unread)
        )

    def _read_place(
        self, place: FieldPlace, view: PageView, part: PagePart, unread: list[str]
    ) -> Iterator[Any]:
        for raw in islice(place.find(view, part), MAX_VALUES):
            for each in self._take_part(raw):
                value = read_value(each, self._field, view.reading)
                if value is not None:
                    yield value
                elif len(unread) < MAX_UNREAD and (words := read_words(each)):
                    unread.append(f"{place.name}: {words[:_UNREAD_CHARS]}")

    def _take_part(self, raw: RawValue) -> list[RawValue]:
        if self._match is None:
            return [raw]
        found = islice(find_matches(self._match, read_words(raw)), 1)
        return [RawValue(value=part, holder=raw.holder, is_plain=raw.is_plain) for part in found]


class DeclarativeParser(FieldParser):
    """A parser without code."""

    def __init__(self, definition: ParserDefinition) -> None:
        """Raises ConfigError: a pattern cannot be used."""
        self.name = definition.name
        self.version = definition.find_version()
        self.patterns = definition.patterns
        self.kind = definition.kind or definition.name
        self.schema = _build_schema(definition)
        self._definition = definition
        self._each = parse_selector(definition.each, max_steps=MAX_STEPS) if definition.each else None
        budget = PatternBudget()
        try:
            self._readers = [FieldReader(name, field, budget) for name, field in definition.fields_.items()]
        except BadPattern as error:
            raise ConfigError(as_sentence(f"The parser {self.name}: a pattern {error}")) from error

    def parse(self, page: Page) -> Iterator[Item]:
        for found in self.find_items(page):
            data = found.data
            key = data.get(self._definition.key or "")
            yield Item(
                data,
                key=str(key) if isinstance(key, str | int | float) else None,
                confidence={field.name: field.confidence for field in found.fields if self._counts(field)},
            )

    def find_items(self, page: Page) -> Iterator[FoundFields]:
        """Find items with where each field was found."""
        view = PageView(page)
        for part in self._list_parts(view):
            found = FoundFields(fields=tuple(reader.read(view, part) for reader in self._readers))
            if _is_item(found):
                yield found

    def _list_parts(self, view: PageView) -> list[PagePart]:
        if self._each is None:
            return [PagePart(all_parts=set())]
        nodes = find_limited(self._each, view.tree)
        all_parts = {node.mem_id for node in nodes}
        return [PagePart(node=node, all_parts=all_parts) for node in nodes]

    def _counts(self, field: FoundField) -> bool:
        """A field that may be missing says nothing about an item if it is."""
        return field.value is not None or self._definition.fields_[field.name].required


def _build_schema(definition: ParserDefinition) -> dict[str, Any] | None:
    required = [name for name, field in definition.fields_.items() if field.required]
    if not required:
        return definition.schema_
    rules = [definition.schema_] if definition.schema_ is not None else []
    return {"required": required, "allOf": rules}


def _is_item(found: FoundFields) -> bool:
    """Whether the page shows anything of it."""
    return any(field.place is not None and not field.place.startswith(_EVERYWHERE) for field in found.fields)
