"""How parsers do: in total, over time, and against their own past."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal, Self

from fastapi import Path, Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import DomainQuery, find_domain
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.clock import Instant
from tenax.policy.quality.parser_health import Measure, ParserCounts, describe_drop
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.queries.parsers import (
    ParserAlert,
    ParserSummary,
    StatsStep,
    list_alerts,
    list_parser_domains,
    list_parser_points,
    list_parser_totals,
)

router = new_router("parsers")

DAY_S = 86_400.0
HOURS_UP_TO_DAYS = 3

NamePath = Annotated[str, Path(max_length=100, description="The name of the parser.", examples=["shop"])]
DaysQuery = Annotated[int, Query(ge=1, le=400, description="How many days to look back.")]


class ParserFigures(Schema):
    pages: int = Field(description="Pages that it was given.")
    items: int = Field(description="Valid items.")
    invalid: int = Field(description="Items that break its schema.")
    empty: int = Field(description="Pages without an item or a follow-up.")
    errors: int = Field(description="Pages on which it failed.")
    share_with_items: float | None = Field(description="Of pages that gave an item; null: there were none.")
    share_valid: float | None = Field(description="Of valid items; null: there were none.")
    confidence: float | None = Field(description="The mean of its items; null: it does not say.")

    @classmethod
    def build(cls, counts: ParserCounts) -> Self:
        return cls(
            pages=counts.pages,
            items=counts.items,
            invalid=counts.invalid,
            empty=counts.empty,
            errors=counts.errors,
            share_with_items=counts.find_value(Measure.ITEMS),
            share_valid=counts.find_value(Measure.VALID),
            confidence=counts.find_value(Measure.CONFIDENCE),
        )


class ParserVersion(Schema):
    version: str = Field(examples=["2"])
    domains: int = Field(description="The domains that it was used on.")
    last_at: datetime = Field(description="The hour in which it last had a page.")
    figures: ParserFigures


class ParserAlertView(Schema):
    """A drop against its own past."""

    id: int
    parser: str
    domain: str | None = Field(description="null: all of its domains together.")
    measure: Measure
    past: float
    recent: float
    past_pages: int
    recent_pages: int
    sentence: str
    at: datetime
    ended_at: datetime | None = Field(description="null: it still does worse.")


class ParserView(Schema):
    name: str = Field(examples=["shop"])
    versions: list[ParserVersion] = Field(description="Newest first.")
    alerts: list[ParserAlertView] = Field(description="Those that are not over.")


class ParserList(Schema):
    parsers: list[ParserView]


class ParserPointView(Schema):
    at: datetime = Field(description="The start of an hour or a day.")
    version: str
    figures: ParserFigures


class ParserDomainView(Schema):
    domain: str
    figures: ParserFigures


class ParserStats(Schema):
    name: str
    step: Literal["hour", "day"]
    points: list[ParserPointView] = Field(description="Oldest first; spans without a page are left out.")
    domains: list[ParserDomainView] = Field(description="Up to 100, those with most pages first.")
    alerts: list[ParserAlertView] = Field(description="Up to 100, newest first.")


@router.get("/parsers", summary="List parsers", response_model=ParserList, **allow(Role.USER))
async def list_parsers(service: ServiceDep, days: DaysQuery = 30) -> ParserList:
    """Returns the parsers that had pages in these days, with how each version did."""

    def load(connection: Connection) -> ParserList:
        totals = list_parser_totals(connection, since=_find_since(service, connection, days))
        alerts = [_view_alert(each) for each in list_alerts(connection, is_open=True)]
        names = dict.fromkeys(each.parser for each in totals)
        return ParserList(parsers=[_view_parser(name, totals, alerts) for name in names])

    return await service.access.read(load)


@router.get(
    "/parsers/{name}/stats",
    summary="Get how a parser did over time",
    response_model=ParserStats,
    **allow(Role.USER, responses=(404,)),
)
async def get_parser_stats(
    service: ServiceDep, name: NamePath, days: DaysQuery = 30, domain: DomainQuery = None
) -> ParserStats:
    """Returns its figures by hour, or by day for more than three days, by domain, and its alerts."""
    found = await service.access.read(
        partial(_load_stats, service=service, name=name, days=days, domain=find_domain(domain))
    )
    if not (found.points or found.alerts or domain):
        raise not_found(f"A parser {name} with pages in the last {days} days")
    return found


def _load_stats(
    connection: Connection, service: Service, name: str, days: int, domain: str | None
) -> ParserStats:
    since = _find_since(service, connection, days)
    step = StatsStep.HOUR if days <= HOURS_UP_TO_DAYS else StatsStep.DAY
    points = list_parser_points(connection, name, since=since, step=step, domain=domain)
    return ParserStats(
        name=name,
        step="hour" if step is StatsStep.HOUR else "day",
        points=[
            ParserPointView(at=each.at, version=each.version, figures=ParserFigures.build(each.counts))
            for each in points
        ],
        domains=[
            ParserDomainView(domain=each.domain, figures=ParserFigures.build(each.counts))
            for each in list_parser_domains(connection, name, since=since)
        ],
        alerts=[_view_alert(each) for each in list_alerts(connection, parser=name)],
    )


def _find_since(service: Service, connection: Connection, days: int) -> Instant:
    return tell_time(service.place, connection) - days * DAY_S


def _view_parser(name: str, totals: list[ParserSummary], alerts: list[ParserAlertView]) -> ParserView:
    return ParserView(
        name=name,
        versions=[
            ParserVersion(
                version=each.version,
                domains=each.domains,
                last_at=each.last_at,
                figures=ParserFigures.build(each.counts),
            )
            for each in totals
            if each.parser == name
        ],
        alerts=[each for each in alerts if each.parser == name],
    )


def _view_alert(alert: ParserAlert) -> ParserAlertView:
    drop = alert.drop
    return ParserAlertView(
        id=alert.id,
        parser=alert.parser,
        domain=alert.domain,
        measure=drop.measure,
        past=drop.past,
        recent=drop.recent,
        past_pages=drop.past_pages,
        recent_pages=drop.recent_pages,
        sentence=describe_drop(alert.parser, alert.domain, drop),
        at=alert.at,
        ended_at=alert.ended_at,
    )
