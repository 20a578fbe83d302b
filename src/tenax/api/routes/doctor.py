"""What holds the crawl back now."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.middleware.hiding import ForAdmins
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.crawl.insight.store_doctor import diagnose_store, diagnose_write_obstacle
from tenax.crawl.insight.verdicts import VerdictCode
from tenax.stores.commands.secret_checks import list_warnings
from tenax.stores.connection import Connection
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import find_signs
from tenax.stores.queries.doctor import load_facts
from tenax.stores.reading import find_foreign, tell_store_time

router = new_router("doctor")


class VerdictView(Schema):
    code: VerdictCode
    sentence: str = Field(examples=["All domains that wait may be asked later."])
    detail: Annotated[str | None, ForAdmins] = Field(
        None, description="Whose fault it is; only administrators are told."
    )
    since: datetime | None = Field(description="null: it cannot be told.")
    advice: str | None = Field(description="null: there is nothing to do.")
    warnings: Annotated[list[str] | None, ForAdmins] = Field(
        None, description="What is wrong with how the store is kept; only administrators are told."
    )


@router.get(
    "/doctor", summary="Ask what holds the crawl back", response_model=VerdictView, **allow(Role.USER)
)
async def get_verdict(service: ServiceDep) -> VerdictView:
    """The one thing that binds, since when, and what to do; whoever runs the workers."""

    if obstacles := await service.obstacles.get():
        return VerdictView.model_validate(diagnose_write_obstacle(obstacles[0]))

    def examine(connection: Connection) -> VerdictView:
        place = service.place
        verdict = diagnose_store(
            load_facts(
                connection,
                signs=find_signs(place.folder / WORKERS_NAME),
                foreign=find_foreign(place, connection),
                now=tell_store_time(place, connection),
            )
        )
        warnings = list_warnings(connection, place)
        return VerdictView.model_validate(verdict).model_copy(update={"warnings": warnings})

    return await service.access.read(examine)
