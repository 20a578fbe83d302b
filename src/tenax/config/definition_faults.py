"""Explains what is wrong with a definition that a user wrote, in sentences for its author."""

import difflib
import json
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from tenax.record import record
from tenax.wording import as_sentence, to_json_terms

Path = tuple[str | int, ...]  # to a field, from the top

SHOWN_CHARS = 60


class PlacedFault(ValueError):
    """A fault of a definition that a validator of the whole definition finds in one of its fields."""

    def __init__(self, message: str, *path: str) -> None:
        super().__init__(message)
        self.path = path


@record
class DefinitionFault:
    path: Path
    message: str  # one sentence


def list_faults(error: ValidationError, model: type[BaseModel], noun: str) -> list[DefinitionFault]:
    """All faults, in the order of the fields. `noun`: what is defined."""
    errors = error.errors()
    # A list whose entries are all invalid is too short only because of that.
    blamed = {tuple(each["loc"][:-1]) for each in errors}
    return [
        DefinitionFault(path=_find_place(each), message=_explain(tuple(each["loc"]), each, model, noun))
        for each in errors
        if each["type"] != "too_short" or tuple(each["loc"]) not in blamed
    ]


def _find_place(error: Any) -> Path:
    return (*error["loc"], *getattr(error.get("ctx", {}).get("error"), "path", ()))


def _explain(path: Path, error: Any, model: type[BaseModel], noun: str) -> str:
    name = ".".join(map(str, path))
    kind = error["type"]
    if kind == "extra_forbidden":
        return _format_unknown(path, model)
    if kind == "missing":
        return f"The field {name} is missing."
    if kind == "value_error":
        reason = str(error["ctx"]["error"])
        return f"{name}: {reason}" if name else reason
    if not path:
        return f"A {noun} must be a mapping of fields: {to_json_terms(error['msg']).lower()}."
    reason = to_json_terms(error["msg"])
    reason = f"{reason[0].lower()}{reason[1:]}"
    if path[-1] == "[key]":
        within = ".".join(map(str, path[:-2]))
        return as_sentence(f"{_show(error['input'])} cannot be a name in {within}: {reason}")
    # The value of a header may be a secret.
    got = "" if "headers" in path else f" (got {_show(error['input'])})"
    return f"The field {name} is not valid: {reason}{got}."


def _show(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _format_unknown(path: Path, model: type[BaseModel]) -> str:
    known = _list_fields(model, path[:-1])
    close = difflib.get_close_matches(str(path[-1]), known, 1)
    hint = f"did you mean {close[0]}?" if close else f"the known fields are {', '.join(known)}."
    return f"Unknown field {'.'.join(map(str, path))[:200]}: {hint}"


def _list_fields(model: type[BaseModel], path: Path) -> list[str]:
    is_inside = False  # of a list or a mapping, so that the next part is one of its entries
    for part in path:
        if is_inside:
            is_inside = False
            continue
        annotation = dict(_name_fields(model)).get(str(part))
        model = _find_model(annotation) or model
        is_inside = get_origin(annotation) in (dict, list, tuple) or any(
            get_origin(each) in (dict, list, tuple) for each in get_args(annotation)
        )
    return [name for name, _ in _name_fields(model)]


def _name_fields(model: type[BaseModel]) -> list[tuple[str, Any]]:
    return [(field.alias or name, field.annotation) for name, field in model.model_fields.items()]


def _find_model(annotation: Any) -> type[BaseModel] | None:
    """The first model in a type such as `dict[str, Annotated[Model, …]] | None`."""
    waiting = [annotation]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and not get_args(kind) and issubclass(kind, BaseModel):
            return kind
        waiting.extend(get_args(kind))
    return None
