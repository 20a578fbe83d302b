"""What the answers have in common."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from tenax.api.guarding import GuardedRoute


class Schema(BaseModel):
    """Reads records: their fields by name, their instants as moments."""

    model_config = ConfigDict(from_attributes=True)


def new_router(tag: str) -> APIRouter:
    return APIRouter(route_class=GuardedRoute, tags=[tag])
