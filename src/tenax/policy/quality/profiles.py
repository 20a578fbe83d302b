"""How the values of a field are distributed, and whether that shifted. Pure.

Two profiles of the same items are compared: as they were, and as they are. A field shifted if enough items
have it, LEAST_ITEMS both times, and

- fewer items have it: by LEAST_LOSS of what it was, and by more than chance does (parser_health.py);
- its values are of another type: the share of numbers among them differs by LEAST_TYPES;
- its numbers are of another size: their mean differs by LEAST_LEVEL of what it was, and by more than SIGMAS
  standard errors, so that a few outliers do not count.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from tenax.policy.quality.parser_health import SIGMAS
from tenax.record import record

LEAST_ITEMS: Final = 50
LEAST_LOSS: Final = 0.1
LEAST_TYPES: Final = 0.1
LEAST_LEVEL: Final = 0.5
USUAL_SHARE: Final = 0.9  # of items that have a field, from which one without it lacks something
MOST_FIELDS: Final = 200  # names come from pages, too


class ShiftKind(StrEnum):
    PRESENCE = "presence"  # fewer items have it
    TYPE = "type"  # numbers became texts, or the other way round
    LEVEL = "level"  # its numbers are of another size


@dataclass(slots=True)
class FieldProfile:
    present: int = 0
    numbers: int = 0
    sum: float = 0.0
    squares: float = 0.0

    def add(self, value: Any) -> None:
        self.present += 1
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.numbers += 1
            self.sum += value
            self.squares += float(value) * value

    @property
    def mean(self) -> float:
        return self.sum / self.numbers

    @property
    def variance(self) -> float:
        return max(self.squares / self.numbers - self.mean * self.mean, 0.0)


@dataclass(slots=True)
class Profile:
    items: int = 0
    fields: dict[str, FieldProfile] = field(default_factory=dict)

    def add(self, data: Mapping[str, Any]) -> None:
        self.items += 1
        for name, value in data.items():
            self._add_field(name, value)
            if isinstance(value, Mapping):  # a price with its currency
                for part, inner in value.items():
                    self._add_field(f"{name}.{part}", inner)

    def _add_field(self, name: str, value: Any) -> None:
        if is_missing(value):
            return
        known = self.fields.get(name)
        if known is None:
            if len(self.fields) >= MOST_FIELDS:
                return
            known = self.fields[name] = FieldProfile()
        known.add(value)


@record
class Shift:
    kind: ShiftKind
    field: str
    before: float
    now: float


def is_missing(value: Any) -> bool:
    """Whether a field says nothing. False and 0 do."""
    return value is None or value == "" or value == [] or value == {}


def find_gaps(profile: Profile) -> dict[str, int]:
    """Fields that nearly all items have, and how many lack each."""
    if not profile.items:
        return {}
    return {
        name: profile.items - each.present
        for name, each in profile.fields.items()
        if USUAL_SHARE <= each.present / profile.items < 1.0
    }


def find_shifts(before: Profile, now: Profile) -> list[Shift]:
    if before.items < LEAST_ITEMS or now.items < LEAST_ITEMS:
        return []
    shifts = []
    for name, old in before.fields.items():
        new = now.fields.get(name, FieldProfile())
        for found in (
            _compare_presence(name, before, now),
            _compare_type(name, old, new),
            _compare_level(name, old, new),
        ):
            if found is not None:
                shifts.append(found)
    return shifts


def _compare_presence(name: str, before: Profile, now: Profile) -> Shift | None:
    old = before.fields[name].present / before.items
    new = now.fields[name].present / now.items if name in now.fields else 0.0
    lost = old - new
    mean = (old * before.items + new * now.items) / (before.items + now.items)
    deviation = math.sqrt(mean * (1.0 - mean) * (1.0 / before.items + 1.0 / now.items))
    if lost <= 0 or lost < LEAST_LOSS * old or lost <= SIGMAS * deviation:
        return None
    return Shift(kind=ShiftKind.PRESENCE, field=name, before=old, now=new)


def _compare_type(name: str, old: FieldProfile, new: FieldProfile) -> Shift | None:
    if old.present < LEAST_ITEMS or new.present < LEAST_ITEMS:
        return None
    was, is_ = old.numbers / old.present, new.numbers / new.present
    if abs(was - is_) < LEAST_TYPES:
        return None
    return Shift(kind=ShiftKind.TYPE, field=name, before=was, now=is_)


def _compare_level(name: str, old: FieldProfile, new: FieldProfile) -> Shift | None:
    if old.numbers < LEAST_ITEMS or new.numbers < LEAST_ITEMS:
        return None
    moved = abs(new.mean - old.mean)
    if not math.isfinite(moved) or moved < LEAST_LEVEL * abs(old.mean):
        return None
    error = math.sqrt(old.variance / old.numbers + new.variance / new.numbers)
    if moved == 0 or moved <= SIGMAS * error:
        return None
    return Shift(kind=ShiftKind.LEVEL, field=name, before=old.mean, now=new.mean)


def describe_shift(shift: Shift) -> str:
    if shift.kind is ShiftKind.PRESENCE:
        return f"{_percent(shift.now)} of items have the field {shift.field}, after {_percent(shift.before)}"
    if shift.kind is ShiftKind.TYPE:
        now, before = _percent(shift.now), _percent(shift.before)
        return f"{now} of the values of {shift.field} are numbers, after {before}"
    return f"the mean of {shift.field} is {shift.now:.6g}, after {shift.before:.6g}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
