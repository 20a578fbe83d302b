from dataclasses import field, replace
from typing import TypeVar, dataclass_transform

T = TypeVar("T")

@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]: ...

__all__ = ["record", "replace"]
