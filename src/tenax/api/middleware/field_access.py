"""Fields that not everybody is shown who may ask for an answer. Each says so where it is declared, and the
guard drops it for lesser roles; a field that is dropped needs a default, for clients that do not get it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel

from tenax.accounts.permissions import Role
from tenax.record import record

Rules = Mapping[str, "Role | Rules"]  # field → who is shown it, or what holds of its own fields


@record
class ShownTo:
    """Stands in the annotation of a field: its least role."""

    role: Role


ForAdmins = ShownTo(role=Role.ADMIN)


def find_rules(annotation: Any) -> Rules:
    """Of what a route answers with; nothing: everybody is shown all of it. Raises TypeError for a field that
    could not be left out."""
    return {name: rule for model in _iter_models(annotation) for name, rule in _list_rules(model)}


def remove_hidden(value: Any, rules: Rules, role: Role) -> None:
    """Drop from an answer, or from all of a list, what this role is not shown."""
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
            raise TypeError(f"{model.__name__}.{name} is not shown to everybody, so it needs a default.")
        else:
            yield key, shown.role
