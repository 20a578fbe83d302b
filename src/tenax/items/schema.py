"""Schemas of items: what a field must be."""

from collections.abc import Callable
from typing import Any

Check = Callable[[Any], tuple[str, ...]]  # the faults of the data of an item; empty: it is valid


def build_check(schema: Any) -> Check | None:
    """None: there is no schema, everything is valid. Raises ConfigError: it cannot be used."""
    return None
