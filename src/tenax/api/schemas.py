"""What the answers have in common."""

from pydantic import BaseModel, ConfigDict


class Schema(BaseModel):
    """Reads records: their fields by name, their instants as moments."""

    model_config = ConfigDict(from_attributes=True)
