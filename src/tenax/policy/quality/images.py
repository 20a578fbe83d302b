"""The images of an item, as far as its fields name them. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

FIELDS: Final = ("image", "images")
MOST_IMAGES: Final = 20  # of an item


def has_no_images(data: Mapping[str, Any], before: Mapping[str, Any] | None) -> bool:
    """Whether a field for images is empty, or all images of before are gone."""
    if any(True for _ in list_images(data)):
        return False
    has_field = any(name in data for name in FIELDS)
    return has_field or (before is not None and any(True for _ in list_images(before)))


def list_images(data: Mapping[str, Any]) -> Iterator[str]:
    """Their addresses, at most MOST_IMAGES."""
    left = MOST_IMAGES
    for name in FIELDS:
        value = data.get(name)
        for each in value[:MOST_IMAGES] if isinstance(value, list) else [value]:
            address = each.get("url") if isinstance(each, Mapping) else each
            if left and isinstance(address, str) and address.strip():
                left -= 1
                yield address
