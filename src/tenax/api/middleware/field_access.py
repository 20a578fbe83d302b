"""Response fields that require a higher role than the route itself. Each declares its role in its annotation,
and the guard removes it for lower roles. Such a field needs a default, for clients that do not receive it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel

from tenax.accounts.permissions import Role
from tenax.record import record

Rules = Mapping[str, "Role | Rules"]  # field → the role that may see it, or the rules of its own fields


@record
class ShownTo:
    """In the annotation of a field: the minimum role that may see it."""

    role: Role


ForAdmins = ShownTo(role=Role.ADMIN)


def find_rules(annotation: Any) -> Rules:
    """The rules of a response model; empty: all callers may see every field. Raises TypeError for a
    restricted field without a default."""
    return {name: rule for model in _iter_models(annotation) for name, rule in _list_rules(model)}


def remove_hidden(value: Any, rules: Rules, role: Role) -> None:
    """Remove what this role may not see from an object, or from every object of a list."""
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, dict):
            continue
        for name, rule in rules.items():
            if not isinstance(rule, Role):
                remove_hidden(each.get(name), rule, role)
            elif not role.allows(rule):
                each.pop(name, None)


def _iter_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _iter_models(part)


def _list_rules(model: type[BaseModel]) -> Iterator[tuple[str, "Role | Rules"]]:
    for name, field in model.model_fields.items():
        shown = next((each for each in field.metadata if isinstance(each, ShownTo)), None)
        key = field.serialization_alias or field.alias or name
        if shown is None:
            if inner := find_rules(field.annotation):
                yield key, inner
        elif field.is_required():
            raise TypeError(f"{model.__name__}.{name} is not visible to every role, so it needs a default.")
        else:
            yield key, shown.role
