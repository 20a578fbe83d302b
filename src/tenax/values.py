"""`record`: how values are defined. The type checker reads values.pyi instead."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


def record(*, frozen: bool, **options: bool) -> Callable[[type[T]], type[T]]:
    """A dataclass that the type checker alone keeps frozen.

    A page makes a dozen records. Freezing them at run time trebles the time it takes to make one and
    doubles the time it takes to define its class at start-up.
    """
    return dataclass(unsafe_hash=frozen, **options)
