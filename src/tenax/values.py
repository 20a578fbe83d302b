"""`record`: how values are defined. The type checker reads values.pyi instead."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def record(*, frozen: bool, slots: bool, kw_only: bool) -> Callable[[type[T]], type[T]]:
    """A dataclass that the type checker alone keeps frozen.

    A page makes a dozen records. Freezing them at run time trebles the time it takes to make one. Methods
    that need no code of their own are shared: writing them anew for each of seventy classes took a tenth
    of the time until the first request.
    """

    def define(cls: type[T]) -> type[T]:
        if frozen:
            cls.__hash__ = _hash
        cls.__eq__ = _equals
        if cls.__repr__ is object.__repr__:
            cls.__repr__ = _represent
        return dataclass(repr=False, eq=False, match_args=True, slots=slots, kw_only=kw_only)(cls)

    return define


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, name) for name in value.__dataclass_fields__)


def _equals(self: Any, other: Any) -> bool:
    if type(self) is not type(other):
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _represent(self: Any) -> str:
    names = [name for name, field in self.__dataclass_fields__.items() if field.repr]
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
    return f"{type(self).__qualname__}({fields})"
