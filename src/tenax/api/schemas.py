"""Base classes and types that response models share."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from tenax.records.urls import Priority


class Schema(BaseModel):
    """Reads records: fields by name, instants as date-times."""

    model_config = ConfigDict(from_attributes=True)


class PriorityWord(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    DISCOVERY = "discovery"
    SLOWED = "slowed"

    @property
    def priority(self) -> Priority:
        return Priority[self.name]


PriorityField = Annotated[
    PriorityWord, BeforeValidator(lambda value: value.name.lower() if isinstance(value, Priority) else value)
]
