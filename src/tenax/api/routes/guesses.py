"""What was learned about the lists and archives of a domain; administrators can change it."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, TypeVar

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict, invalid, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import find_name
from tenax.api.routes.domains import NamePath
from tenax.api.schemas import Schema
from tenax.api.service import PrincipalDep, Service, ServiceDep
from tenax.errors import ConfigError
from tenax.policy.guesses.url_patterns import (
    MOST_CHARS,
    ChosenState,
    check_archive_pattern,
    check_list_pattern,
)
from tenax.records.guesses import GuessState
from tenax.stores.commands.guesses import (
    MOST_RULES,
    TooManyRules,
    remove_archive_rule,
    remove_list_rule,
    set_archive_rule,
    set_list_rule,
)
from tenax.stores.connection import Connection
from tenax.stores.queries.domains import find_domain
from tenax.stores.queries.guesses import ArchiveRule, ListRule, list_patterns, list_rules

router = new_router("domains")

T = TypeVar("T")

PatternQuery = Annotated[
    str, Query(max_length=MOST_CHARS, description="The pattern of the rule.", examples=["/news?page={n}"])
]


class PaginationRuleView(Schema):
    """How a list of the domain is paged."""

    pattern: str = Field(description="The path with {n} for the page number.", examples=["/news?page={n}"])
    path: str = Field(description="The path of the list.", examples=["/news"])
    state: GuessState
    step: int = Field(description="From page to page.")
    last_n: int = Field(description="The greatest number that is known to exist.")
    hits: int = Field(description="Guesses that found a page with new URLs.")
    misses: int
    is_linked: bool = Field(description="Whether the list links to its pages.")
    set_by: str | None = Field(description="The user who set the state; null: it was learned.")
    changed_at: datetime


class ArchivePatternView(Schema):
    """Where the domain has, or may have, archives."""

    pattern: str = Field(
        description="A path with {Y} for a year, {MM} or {M} for a month, {n} for a number.",
        examples=["/{Y}/{MM}/"],
    )
    state: GuessState
    hits: int
    misses: int = Field(description="Since the last hit; after three, the pattern is dropped.")
    set_by: str | None = Field(description="The user who set the state; null: it was learned.")
    changed_at: datetime


class GuessesView(BaseModel):
    pagination: list[PaginationRuleView]
    archives: list[ArchivePatternView]


class GuessBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"pattern": "/news?page={n}", "state": "off"}]}
    )

    pattern: str = Field(min_length=1, max_length=MOST_CHARS)
    state: ChosenState = Field(description="`valid`: guess by this pattern; `off`: never.")


@router.get(
    "/domains/{name}/guesses",
    summary="Get what was learned about lists and archives",
    response_model=GuessesView,
    **allow(Role.USER, responses=(404,)),
)
async def get_guesses(service: ServiceDep, name: NamePath) -> GuessesView:
    """Returns how lists of the domain are paged and where it has archives, as learned by guessing."""
    return await _load(service, find_name(name))


@router.put(
    "/domains/{name}/pagination",
    summary="Set a pagination rule",
    response_model=GuessesView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def set_pagination(
    service: ServiceDep, principal: PrincipalDep, audit: AuditDep, name: NamePath, body: GuessBody
) -> GuessesView:
    """Sets the state of a pattern, and adds the pattern if it is new. Crawls do not change that state."""
    domain, wall = find_name(name), service.clock.wall()
    path = _check(lambda: check_list_pattern(body.pattern))
    async with audit("domain.pagination", target=domain, **body.model_dump(mode="json")):
        await _write(
            service,
            domain,
            lambda connection: set_list_rule(
                connection, domain, body.pattern, path, body.state.state, principal.name, wall
            ),
        )
    return await _load(service, domain)


@router.put(
    "/domains/{name}/archives",
    summary="Set an archive pattern",
    response_model=GuessesView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def set_archives(
    service: ServiceDep, principal: PrincipalDep, audit: AuditDep, name: NamePath, body: GuessBody
) -> GuessesView:
    """Sets the state of a pattern, and adds the pattern if it is new. Crawls do not change that state."""
    domain, wall = find_name(name), service.clock.wall()
    _check(lambda: check_archive_pattern(body.pattern))
    async with audit("domain.archives", target=domain, **body.model_dump(mode="json")):
        await _write(
            service,
            domain,
            lambda connection: set_archive_rule(
                connection, domain, body.pattern, body.state.state, principal.name, wall
            ),
        )
    return await _load(service, domain)


@router.delete(
    "/domains/{name}/pagination",
    summary="Remove a pagination rule",
    response_model=GuessesView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def remove_pagination(
    service: ServiceDep, audit: AuditDep, name: NamePath, pattern: PatternQuery
) -> GuessesView:
    """Forgets a rule. It can be learned again; `off` prevents that."""
    domain = find_name(name)
    async with audit("domain.pagination.remove", target=domain, pattern=pattern):
        await _write(service, domain, lambda connection: remove_list_rule(connection, domain, pattern))
    return await _load(service, domain)


@router.delete(
    "/domains/{name}/archives",
    summary="Remove an archive pattern",
    response_model=GuessesView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def remove_archives(
    service: ServiceDep, audit: AuditDep, name: NamePath, pattern: PatternQuery
) -> GuessesView:
    """Forgets a pattern. It can be learned again; `off` prevents that."""
    domain = find_name(name)
    async with audit("domain.archives.remove", target=domain, pattern=pattern):
        await _write(service, domain, lambda connection: remove_archive_rule(connection, domain, pattern))
    return await _load(service, domain)


def _check(check: Callable[[], T]) -> T:
    try:
        return check()
    except ConfigError as error:
        raise invalid(str(error), "body.pattern") from error


async def _write(service: Service, domain: str, work: Callable[[Connection], bool]) -> None:
    try:
        is_done = await service.access.write(work)
    except TooManyRules as error:
        raise conflict(f"The domain {domain} has {MOST_RULES:,} rules already; remove some.") from error
    if not is_done:
        raise not_found(f"The domain {domain}, or this pattern of it,")


async def _load(service: Service, domain: str) -> GuessesView:
    def load(connection: Connection) -> tuple[bool, list[ListRule], list[ArchiveRule]]:
        is_known = find_domain(connection, domain) is not None
        return is_known, list_rules(connection, domain), list_patterns(connection, domain)

    is_known, rules, patterns = await service.access.read(load)
    if not is_known:
        raise not_found(f"The domain {domain}")
    return GuessesView(
        pagination=[PaginationRuleView.model_validate(each) for each in rules],
        archives=[ArchivePatternView.model_validate(each) for each in patterns],
    )
