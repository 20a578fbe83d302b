"""The definition of a source: what to crawl, how, and when. What is left out comes from the server's
settings.

It is read from JSON and YAML written by users and programs. Anything that cannot work is refused with one
sentence per fault, so that it does not surface in the middle of a crawl at night.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, model_validator

from tenax.config.crawl import DAY_S, PaceUnit
from tenax.config.definition_faults import list_faults
from tenax.config.masking import HIDDEN
from tenax.config.parsers import MAX_PARSERS, ParserCandidate
from tenax.config.section import Section
from tenax.config.settings import Settings
from tenax.jobs.schedule.hours import parse_zone
from tenax.jobs.sources.definition_errors import BadDefinition, UnreadableSource
from tenax.jobs.sources.fields import (
    Day,
    Line,
    Seed,
    TimeOfDay,
    check_by,
    check_headers,
    check_name,
    check_text,
)
from tenax.jobs.sources.sections import (
    ItemSchemas,
    SourceArchives,
    SourceCandidate,
    SourceExtract,
    SourceLimits,
    SourceNetwork,
    SourcePagination,
    SourceParsers,
    SourceRefresh,
    SourceScope,
    SourceSimilarity,
    SourceSitemaps,
    SourceTraps,
    SourceValidation,
)
from tenax.policy.patterns import PatternBudget
from tenax.records.jobs import UNITS, IntervalType, Recrawl, Source
from tenax.web.urls import origin_of, parse_url

DEEP: Final = 5
MOST_SEEDS: Final = 10_000
MOST_HEADERS: Final = 50
LONGEST_INTERVAL_DAYS: Final = 366


class ActiveHours(Section):
    """When runs may start, in the schedule's time zone."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    days: tuple[Day, ...] = Field(tuple(Day), min_length=1, max_length=7)
    from_: TimeOfDay = Field("00:00", alias="from")
    until: TimeOfDay = Field("24:00", description="If earlier than `from`, on the next day.")

    @model_validator(mode="after")
    def _has_length(self) -> Self:
        if self.from_ == self.until:
            raise ValueError("Active hours cannot end when they start; leave them out to allow any time.")
        if len(set(self.days)) < len(self.days):
            raise ValueError("A day is given twice.")
        return self


class Schedule(Section):
    interval_minutes: int = Field(ge=1, lt=1 << 31, description="The interval, in units of `interval_type`.")
    interval_type: IntervalType = Field(IntervalType.MINUTES)
    adaptive_scheduling: bool = Field(
        True, description="Whether the interval grows, up to a day, while the start page does not change."
    )
    timezone: Annotated[str, AfterValidator(partial(check_by, parse_zone))] = Field("UTC", max_length=100)
    active_hours: ActiveHours | None = Field(None, description="null: at any time.")
    max_retries: int = Field(3, ge=0, le=100, description="How often a failed run is retried.")
    retry_backoff_seconds: int = Field(
        60, ge=1, le=3600, description="Pause before the first retry; it doubles with each further one."
    )
    priority: int = Field(5, ge=1, le=10, description="From 1, the most urgent, to 10.")

    @model_validator(mode="after")
    def _is_within_a_year(self) -> Self:
        if self.interval_minutes * UNITS[self.interval_type] > LONGEST_INTERVAL_DAYS * DAY_S:
            raise ValueError(f"The interval is longer than {LONGEST_INTERVAL_DAYS} days.")
        return self


class SourceDefinition(Section):
    """A named definition of what to crawl."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "name": "Example news",
                    "seeds": ["https://example.com/news/"],
                    "limits": {"max_depth": 3, "max_pages": 1000},
                    "schedule": {"interval_minutes": 6, "interval_type": "hours"},
                }
            ]
        },
    )

    name: Annotated[str, AfterValidator(check_name)] = Field(
        min_length=1, max_length=100, description="Unique, regardless of case."
    )
    description: Annotated[str, AfterValidator(check_text)] = Field("", max_length=2000)
    enabled: bool = Field(True, description="Whether the job of the source runs.")
    seeds: tuple[Seed, ...] = Field(
        min_length=1, max_length=MOST_SEEDS, description="Where to start; http or https URLs."
    )
    scope: SourceScope = SourceScope()
    limits: SourceLimits = SourceLimits()
    traps: SourceTraps = Field(
        SourceTraps(), description="What to do about clusters of similar URLs that bring nothing new."
    )
    sitemaps: SourceSitemaps = SourceSitemaps()
    extract: SourceExtract = Field(
        SourceExtract(), description="Which part of a page counts as its text, and therefore as a change."
    )
    archives: SourceArchives = Field(
        SourceArchives(), description="The search for archives that nothing links to."
    )
    pagination: SourcePagination = Field(SourcePagination(), description="Guesses at further pages of lists.")
    similarity: SourceSimilarity = Field(
        SourceSimilarity(), description="What becomes of pages that nearly repeat others."
    )
    validation: SourceValidation = Field(
        SourceValidation(), description="Which answers are no pages although their status says so."
    )
    refresh: SourceRefresh = Field(
        SourceRefresh(), description="How often pages of a kind or a pattern are visited again."
    )
    store_bodies: bool | None = Field(
        None, description="Whether to store the body and the headers of every page visit."
    )
    parsers: SourceParsers = Field(
        (),
        description="What makes items of its pages: names of installed parsers, and parsers without code.",
    )
    candidates: tuple[SourceCandidate, ...] = Field(
        (),
        max_length=MAX_PARSERS,
        description="Parsers that run beside those of the same name on a share of pages, to be compared.",
    )
    item_rules: ItemSchemas = Field(
        default_factory=dict,
        description="Rules that items are audited by: a JSON Schema for each kind, such as required fields, "
        "ranges and formats.",
    )
    audit_every_h: float | None = Field(
        None,
        ge=0,
        le=8784,
        allow_inf_nan=False,
        description="Hours between two audits of its items, whose results are kept; 0: none.",
    )
    delay_s: float | None = Field(
        None,
        ge=0,
        le=86_400,
        allow_inf_nan=False,
        description="Minimum seconds between two requests to a domain; robots.txt may require more.",
    )
    share_pace: PaceUnit | None = Field(
        None, description="What shares one request rate: each domain, or each site with all its subdomains."
    )
    network: SourceNetwork = SourceNetwork()
    user_agent: Line | None = Field(None, description="Replaces the default user agent.")
    contact: Line | None = Field(None, description="URL or email address that site owners can use.")
    headers: Annotated[dict[str, str], AfterValidator(check_headers)] = Field(
        default_factory=dict,
        max_length=MOST_HEADERS,
        description="Request headers, sent only to the origins of the seeds. Values are shown as ***; "
        "sending *** keeps the stored value.",
    )
    feeds: bool = Field(False, description="Whether to find and follow the feeds of its pages.")
    feed_interval_minutes: int = Field(
        60, ge=1, le=100_000, description="Minutes between two polls of a feed."
    )
    recrawl: Recrawl = Field(Recrawl.DUE, description="Which known pages a run visits again.")
    schedule: Schedule | None = Field(None, description="null: the source is crawled once.")

    @model_validator(mode="after")
    def _names_parsers_once(self) -> Self:
        names = [parser.name for parser in self.parsers]
        if repeated := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"The parser {repeated} is given twice.")
        tried = [candidate.name for candidate in self.candidates]
        if repeated := next((name for name in tried if tried.count(name) > 1), None):
            raise ValueError(f"The parser {repeated} has two candidates: it can have one at a time.")
        if unknown := next((name for name in tried if name not in names), None):
            raise ValueError(f"There is a candidate for a parser {unknown}, but no such parser.")
        return self

    @model_validator(mode="after")
    def _drop_parameters(self) -> Self:
        keep = frozenset(map(str.lower, self.scope.keep_parameters or ()))
        seeds = tuple(dict.fromkeys(url for seed in self.seeds if (url := parse_url(seed, keep=keep))))
        return self if seeds == self.seeds else self.model_copy(update={"seeds": seeds})


def check_definition(value: Any, budget: PatternBudget | None = None) -> SourceDefinition:
    """Validate a definition. `budget`: shared by the patterns of several definitions. Raises BadDefinition
    with all faults."""
    try:
        return SourceDefinition.model_validate(value, context=budget or PatternBudget())
    except ValidationError as error:
        raise BadDefinition(list_faults(error, SourceDefinition, "source")) from error


def parse_untrusted_definition(body: bytes) -> SourceDefinition:
    """Parse JSON from a request. Call in a thread: compiling patterns may take half a second. Raises
    ValidationError with all faults."""
    return SourceDefinition.model_validate_json(body, context=PatternBudget())


def parse_definition(text: str) -> SourceDefinition:
    """Parse JSON from the store. The patterns were checked when it was saved, and are compiled again when it
    is crawled. Raises BadDefinition with all faults."""
    try:
        return SourceDefinition.model_validate_json(text)
    except ValidationError as error:
        raise BadDefinition(list_faults(error, SourceDefinition, "source")) from error


def format_definition(definition: SourceDefinition) -> str:
    """Format as JSON for the store, without secrets, which are stored separately, and without `enabled`,
    which `load_definition` adds."""
    return hide_headers(definition).model_dump_json(by_alias=True, exclude_defaults=True, exclude={"enabled"})


def dump_definition(definition: SourceDefinition, *, with_headers: bool = False) -> dict[str, Any]:
    """The values that differ from the defaults, for display. Header values are hidden unless requested."""
    shown = definition if with_headers else hide_headers(definition)
    return shown.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def hide_headers(definition: SourceDefinition) -> SourceDefinition:
    """The definition with its header values hidden, safe to show."""
    return definition.model_copy(update={"headers": dict.fromkeys(definition.headers, HIDDEN)})


def load_definition(source: Source) -> SourceDefinition:
    """The stored definition of a source, with header values hidden; `enabled` comes from its row. Raises
    UnreadableSource."""
    found = read_definition(source)
    if isinstance(found, UnreadableSource):
        raise found
    return found


def read_definition(source: Source) -> SourceDefinition | UnreadableSource:
    """Like `load_definition`, but returns the error, for callers that continue with other sources."""
    try:
        return parse_definition(source.definition).model_copy(update={"enabled": source.enabled})
    except BadDefinition as error:
        return UnreadableSource(source.name, error.faults)


def to_settings(definition: SourceDefinition, base: Settings) -> Settings:
    """The settings of a run of this source, without its headers: no secret is stored with a run. `base`: the
    server's settings."""
    parts: dict[str, Section | Mapping[str, Any]] = {
        "scope": definition.scope,
        "limits": definition.limits,
        "traps": definition.traps,
        "sitemaps": definition.sitemaps,
        "extract": definition.extract,
        "archives": definition.archives,
        "pagination": definition.pagination,
        "similarity": definition.similarity,
        "validation": definition.validation,
        "refresh": definition.refresh,
        "parsers": _list_parsers(definition),
        "bodies": {"store": definition.store_bodies},
        "politeness": {"delay_s": definition.delay_s, "share_pace": definition.share_pace},
        "network": definition.network,
        "fetch": {"user_agent": definition.user_agent, "contact": definition.contact},
    }
    given = {
        name: getattr(base, name).model_copy(update=dict(_list_given(part))) for name, part in parts.items()
    }
    return base.model_copy(update=given)


def _split_parsers(parsers: SourceParsers) -> dict[str, Any]:
    """Split into what is installed where workers run, and what goes with the run."""
    use = tuple(each.name for each in parsers if not each.fields_)
    given = [each for each in parsers if each.fields_]
    definitions = tuple(each.model_dump(mode="json", by_alias=True, exclude_defaults=True) for each in given)
    uses = {each.name: each.uses for each in parsers if each.uses is not None}
    return {"use": use, "definitions": definitions, "uses": uses} if parsers else {}


def _list_parsers(definition: SourceDefinition) -> dict[str, Any]:
    given = _split_parsers(definition.parsers)
    if definition.candidates:
        given["candidates"] = tuple(_to_candidate(each) for each in definition.candidates)
    if definition.item_rules:
        given["item_rules"] = definition.item_rules
    return given


def _to_candidate(candidate: SourceCandidate) -> ParserCandidate:
    values = candidate.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"share", "uses"}
    )
    definition = values if candidate.fields_ else None
    return ParserCandidate(
        parser=candidate.name, share=candidate.share, uses=candidate.uses, definition=definition
    )


def with_headers(settings: Settings, definition: SourceDefinition, headers: Mapping[str, str]) -> Settings:
    """Add the headers, for code that sends requests."""
    if not headers:
        return settings
    own = {
        "headers": tuple(f"{name}: {value}" for name, value in headers.items()),
        "header_origins": tuple(sorted(list_header_origins(definition))),
    }
    return settings.model_copy(update={"fetch": settings.fetch.model_copy(update=own)})


def list_header_origins(definition: SourceDefinition) -> set[str]:
    """The origins that receive the headers."""
    return set(map(origin_of, definition.seeds))


def list_warnings(definition: SourceDefinition) -> list[str]:
    """What is valid but may not be intended."""
    warnings = []
    if definition.limits.max_depth > DEEP:
        warnings.append(
            f"max_depth is {definition.limits.max_depth}: beyond {DEEP}, a crawl rarely finds more than "
            "calendars and filters."
        )
    if definition.delay_s == 0:
        warnings.append("delay_s is 0: unless robots.txt sets a delay, requests are sent without one.")
    if definition.headers and any(seed.startswith("http:") for seed in definition.seeds):
        warnings.append("headers are sent to an http origin, where they can be read in transit.")
    return warnings


def _list_given(part: Section | Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in part.items() if isinstance(part, Mapping) else part:
        if value is not None:
            yield name, value
