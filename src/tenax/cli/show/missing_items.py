"""Why a list of items is empty, where a mistyped kind or field is the reason."""

from collections.abc import Iterator
from typing import Final

from tenax.stores.connection import Connection
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.items import ItemFilter, list_kinds, slice_items
from tenax.visible import clean

SHOWN_KINDS: Final = 20
MOST_SCANS: Final = 10  # of up to a second each


def explain_nothing(connection: Connection, only: ItemFilter) -> Iterator[str]:
    """Sentences about what the filter names and no item has."""
    missing = explain_kind(connection, only.item_kind)
    if missing is not None:
        yield missing
        return
    for field in dict.fromkeys(each.field for each in only.fields):
        if not _may_have(connection, ItemFilter(item_kind=only.item_kind, having=field)):
            of_kind = "" if only.item_kind is None else f" of the kind {clean(only.item_kind)}"
            yield f"No item{of_kind} has a field {clean(field)}."


def explain_kind(connection: Connection, kind: str | None) -> str | None:
    """A sentence if there are items, but none of this kind."""
    kinds = [] if kind is None else [each.kind for each in list_kinds(connection)]
    if kind is None or not kinds or kind in kinds:
        return None
    known = ", ".join(clean(each) for each in kinds[:SHOWN_KINDS])
    more = ", …" if len(kinds) > SHOWN_KINDS else ""
    return f"There is no item of the kind {clean(kind)}; there are: {known}{more}."


def _may_have(connection: Connection, only: ItemFilter) -> bool:
    """False: no item has the field. True: one has, or there are too many items to say."""
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=1)
    for _ in range(MOST_SCANS):
        found = slice_items(connection, wanted, only)
        connection.commit()
        if found.items:
            return True
        if found.next is None:
            return False
        wanted = SliceRequest(key="id", is_descending=True, after=found.next, limit=1)
    return True
