"""`tenax parsers record`: what it says of the items that it recorded."""

from tenax.cli.commands.parsers import describe_made
from tenax.records.items import FoundItem


def make(*faults: str) -> FoundItem:
    return FoundItem(kind="product", key="1", data="{}", content_hash=1, faults=faults)


def test_invalid_items_are_counted() -> None:
    assert describe_made([make()]) == "1 item"
    assert describe_made([make(), make("The field price is missing.")]) == "2 items (1 invalid)"
