"""What holds the crawl back now."""

from datetime import datetime
from typing import Any

from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.guarding import allow, new_router
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.crawl.store_doctor import Verdict, VerdictCode, diagnose_store
from tenax.stores.doctor_facts import load_facts
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import find_signs
from tenax.stores.reading import find_foreign, tell_time

router = new_router("doctor")


class VerdictView(Schema):
    code: VerdictCode
    sentence: str = Field(examples=["All domains that wait may be asked later."])
    since: datetime | None = Field(description="null: it cannot be told.")
    advice: str | None = Field(description="null: there is nothing to do.")


@router.get(
    "/doctor", summary="Ask what holds the crawl back", response_model=VerdictView, **allow(Role.USER)
)
async def get_verdict(service: ServiceDep) -> Verdict:
    """The one thing that binds, since when, and what to do; whoever runs the workers."""

    def examine(connection: Any) -> Verdict:
        place = service.place
        return diagnose_store(
            load_facts(
                connection,
                signs=find_signs(place.folder / WORKERS_NAME),
                foreign=find_foreign(place, connection),
                now=tell_time(place, connection),
            )
        )

    return await service.access.read(examine)
