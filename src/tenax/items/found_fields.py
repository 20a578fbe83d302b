"""What a parser finds on a page, with where it finds it: for parsers that can say."""

from collections.abc import Iterator
from typing import Any

from tenax.items.page import Page
from tenax.items.parser import Parser
from tenax.record import record


@record
class FoundField:
    name: str
    value: Any  # None: it was not found
    place: str | None = None  # where it was found, such as "jsonld Product.name"; None: it was not
    confidence: float = 0.0
    unread: tuple[str, ...] = ()  # what was found but is not of its type, with its place


@record
class FoundFields:
    """The fields of an item, in the order in which they are shown."""

    fields: tuple[FoundField, ...]

    @property
    def data(self) -> dict[str, Any]:
        return {field.name: field.value for field in self.fields if field.value is not None}


class FieldParser(Parser):
    """A parser that knows where it finds each field."""

    def find_items(self, page: Page) -> Iterator[FoundFields]:
        """Find the items that `parse` makes, in the same order."""
        raise NotImplementedError
