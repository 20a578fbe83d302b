"""Pydantic models as schemas: an item that fits has the values that the model makes of its data."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from tenax.record import record

_FORBID: Final = "forbid"


@record
class Coercion:
    """What a model makes of data that fits it."""

    model: type[BaseModel]

    def is_done(self, data: Any) -> bool:
        """Whether the model has made it already."""
        return isinstance(data, self.model)

    def apply(self, load: Callable[[], Any]) -> Any:
        """`load`: returns the same data, each time anew, as validators may change what they get."""
        made = self._make(load)
        dumped: Any = made.model_dump()
        if not isinstance(dumped, Mapping):
            return dumped
        # A schema says what an item must have. What else it has stays, as with a JSON Schema.
        return {**(made.model_extra or {}), **dumped}

    def _make(self, load: Callable[[], Any]) -> BaseModel:
        if self.model.model_config.get("extra") != _FORBID:
            try:
                return self.model.model_validate(load(), extra="allow")
            except ValidationError:  # a validator refuses fields that the model would not have shown it
                pass
        return self.model.model_validate(load())


def find_coercion(schema: Any) -> Coercion | None:
    """None: the schema judges values, and makes none."""
    is_model = isinstance(schema, type) and issubclass(schema, BaseModel)
    return Coercion(model=schema) if is_model else None


def convert_value(value: Any) -> Any:
    """What models hold and JSON does not know, such as urls and paths. Raises TypeError."""
    try:
        return to_jsonable_python(value)
    except ValueError as error:
        raise TypeError(str(error)) from error
