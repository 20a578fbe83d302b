"""What currently limits the crawl."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.field_access import ForAdmins
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.crawl.insight.store_doctor import diagnose_store, diagnose_write_obstacle
from tenax.crawl.insight.verdicts import VerdictCode
from tenax.runtime.bodies import list_body_warnings
from tenax.stores.commands.secret_checks import list_warnings
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import find_foreign, tell_store_time, tell_time
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import find_signs
from tenax.stores.queries.doctor import load_facts
from tenax.stores.queries.parsers import list_parser_warnings

router = new_router("doctor")


class VerdictView(Schema):
    code: VerdictCode
    sentence: str = Field(examples=["No domain may be requested right now."])
    detail: Annotated[str | None, ForAdmins] = Field(
        None, description="Visible to administrators only: the underlying error."
    )
    since: datetime | None = Field(description="null: not known.")
    advice: str | None = Field(description="null: no action is needed.")
    warnings: Annotated[list[str] | None, ForAdmins] = Field(
        None, description="Visible to administrators only: problems with how the store is protected."
    )


@router.get("/doctor", summary="Diagnose the crawl", response_model=VerdictView, **allow(Role.USER))
async def get_verdict(service: ServiceDep) -> VerdictView:
    """Returns the one thing that currently limits the crawl, since when, and what to do about it."""

    if obstacles := await service.obstacles.get():
        return VerdictView.model_validate(diagnose_write_obstacle(obstacles[0]))

    def examine(connection: Connection) -> VerdictView:
        place = service.place
        now = tell_store_time(place, connection)
        signs = find_signs(place.folder / WORKERS_NAME)
        foreign = find_foreign(place, connection)
        verdict = diagnose_store(load_facts(connection, signs=signs, foreign=foreign, now=now))
        warnings = [
            *list_warnings(connection, place),
            *list_parser_warnings(connection, tell_time(place, connection)),
            *list_body_warnings(connection, place),
        ]
        return VerdictView.model_validate(verdict).model_copy(update={"warnings": warnings})

    return await service.access.read(examine)
