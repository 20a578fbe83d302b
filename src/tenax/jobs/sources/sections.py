"""What the definition of a source says about each section of the settings. What is left out comes from the
server's settings.
"""

from functools import partial
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tenax.config.crawl import MergeRule, ScopeKind
from tenax.config.fetch import MAX_CONTENT_TYPES, MAX_RESPONSE_HEADERS, ArticleUse, ContentType, HeaderName
from tenax.config.guesses import ArchivePath
from tenax.config.parsers import MAX_PARSERS, ParserName
from tenax.config.refresh import RefreshRule
from tenax.config.section import Section
from tenax.errors import ConfigError
from tenax.items.declarative.definition import MAX_FIELDS, ParserDefinition, ParserFields
from tenax.items.schema import build_check
from tenax.jobs.sources.fields import Line, Patterns, Selectors, SignatureName, check_by
from tenax.policy.merging import MAX_RULES, parse_under
from tenax.records.items import MAX_KIND_CHARS

USUAL_DEPTH: Final = 3


class SourceMergeRule(MergeRule):
    name: Line | None = Field(
        None, max_length=100, description="A display name; null: a description of the rule."
    )
    under: Annotated[Line, AfterValidator(partial(check_by, parse_under))] | None = Field(
        None,
        description="Where the rule applies, such as example.com, example.com/list or /list; null: "
        "everywhere.",
    )
    ignore_parameters: Annotated[tuple[Line, ...], Field(max_length=100)] = Field(
        (), description="Names of query parameters to ignore, regardless of case."
    )
    ignore_matching: Annotated[Patterns, Field(max_length=100)] = Field(
        (),
        description="RE2 patterns; a parameter is ignored if its unescaped `name=value` matches one of them.",
    )


class SourceScope(Section):
    kind: ScopeKind | None = Field(None, description="Which links to follow.")
    include: Patterns | None = Field(
        None, description="RE2 patterns; a URL must match at least one. Seeds are exempt."
    )
    exclude: Patterns | None = Field(
        None, description="RE2 patterns; a URL that matches any of them is refused."
    )
    keep_parameters: Annotated[tuple[Line, ...], Field(max_length=100)] | None = Field(
        None,
        description="Query parameters to keep in URLs, such as `ref`. Parameters of this kind usually track "
        "visitors or sessions and are removed.",
    )
    merge_rules: Annotated[tuple[SourceMergeRule, ...], Field(max_length=MAX_RULES)] | None = Field(
        None,
        description="Rules for different URLs of a domain that count as the same page: only one of them is "
        "fetched.",
    )


class SourceExtract(Section):
    only: Selectors | None = Field(
        None, description="CSS selectors; only the text of matching elements counts as the text of a page."
    )
    without: Selectors | None = Field(
        None, description="CSS selectors; matching elements are left out of the text."
    )
    response_headers: Annotated[tuple[HeaderName, ...], Field(max_length=MAX_RESPONSE_HEADERS)] | None = (
        Field(
            None,
            description="Response headers to store with the URL, such as `server` or `x-cache`.",
        )
    )
    article: ArticleUse | None = Field(
        None,
        description="Whether the built-in parser makes an item of each article: `never`, `always`, or as a "
        "`fallback` of pages from which no other parser made an item.",
    )
    detect_language: bool | None = Field(
        None, description="Whether to detect the language of pages that do not say it."
    )
    markdown: bool | None = Field(None, description="Whether to keep the Markdown of each page.")
    content_types: Annotated[tuple[ContentType, ...], Field(max_length=MAX_CONTENT_TYPES)] | None = Field(
        None, description="Content types to read besides HTML: `application/pdf`."
    )
    pdf_pages: int | None = Field(None, ge=1, le=100_000, description="How many pages of a PDF to read.")


class SourceSitemaps(Section):
    enabled: bool | None = Field(None, description="Whether to read sitemaps and crawl the URLs they list.")
    guess: bool | None = Field(
        None, description="Whether to look for sitemaps that no robots.txt and no page names."
    )
    urls_per_domain: int | None = Field(
        None, ge=1, le=100_000_000, description="How many URLs of a domain may come from its sitemaps."
    )


class SourceArchives(Section):
    enabled: bool | None = Field(None, description="Whether to guess the addresses of archives.")
    queue_below: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="A search starts when fewer URLs than this with high or medium priority are waiting.",
    )
    per_day: int | None = Field(
        None, ge=1, le=10_000, description="Maximum guesses at archives per domain and day."
    )
    paths: Annotated[tuple[ArchivePath, ...], Field(max_length=50)] | None = Field(
        None, description="Paths to try when nothing else is waiting in a domain."
    )


class SourcePagination(Section):
    enabled: bool | None = Field(None, description="Whether to guess further pages of lists.")
    per_day: int | None = Field(
        None, ge=1, le=10_000, description="Maximum guesses at pages per domain and day."
    )


class SourceSimilarity(Section):
    enabled: bool | None = Field(
        None, description="Whether to find pages that nearly repeat another page of their domain."
    )
    distance: int | None = Field(
        None,
        ge=0,
        le=3,
        description="Maximum number of bits, of 64, in which the fingerprints of near-duplicates differ.",
    )
    least_chars: int | None = Field(
        None, ge=200, lt=1 << 31, description="Minimum length of a text to be compared, in characters."
    )
    keep: bool | None = Field(None, description="Whether to store near-duplicates, marked.")


class SourceNetwork(Section):
    enabled: bool | None = Field(
        None,
        description="Whether to wait out outages of the crawler's own network instead of counting failures "
        "against sites.",
    )


class SourceParser(ParserDefinition):
    """A parser without code, or the name of an installed one."""

    fields_: ParserFields = Field(
        {},
        alias="fields",
        max_length=MAX_FIELDS,
        description="The fields of an item by name. Empty: the parser is installed where workers run.",
    )
    uses: ParserName | None = Field(
        None, description="The installed parser that makes its items; null: the one of that name."
    )

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        given = self.model_dump(exclude_defaults=True).keys() - {"name", "uses", "share"}
        if not self.fields_ and given:
            raise ValueError("A parser without fields is an installed one: give nothing but its name.")
        if self.fields_ and self.uses is not None:
            raise ValueError("A parser with fields uses no other one: give either fields or uses.")
        return self


class SourceCandidate(SourceParser):
    """What may replace the parser of the same name: it runs beside it on a share of pages."""

    share: float = Field(0.1, gt=0, le=1, description="The fraction of pages that it sees.")

    @model_validator(mode="after")
    def _is_another(self) -> Self:
        if not self.fields_ and self.uses is None:
            raise ValueError("A candidate has fields, or names the installed parser that it uses.")
        return self


def _as_parser(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


SourceParsers = Annotated[
    tuple[
        Annotated[SourceParser, BeforeValidator(_as_parser, json_schema_input_type=str | SourceParser)], ...
    ],
    Field(max_length=MAX_PARSERS),
]


def _check_schema(schema: dict[str, Any]) -> dict[str, Any]:
    try:
        build_check(schema)
    except ConfigError as error:
        raise ValueError(str(error)) from error
    return schema


ItemSchemas = Annotated[
    dict[
        Annotated[Line, Field(max_length=MAX_KIND_CHARS)],
        Annotated[dict[str, Any], AfterValidator(_check_schema)],
    ],
    Field(max_length=MAX_PARSERS),
]


class SourceRefresh(Section):
    every: Annotated[tuple[RefreshRule, ...], Field(max_length=100)] | None = Field(
        None,
        description="Fixed intervals for pages that show items of a kind, or whose URL matches a pattern.",
    )


class SourceValidation(Section):
    enabled: bool | None = Field(None, description="Whether to reject answers that are no pages.")
    ignore: Annotated[tuple[SignatureName, ...], Field(max_length=200)] | None = Field(
        None, description="Names of signatures that do not apply."
    )
    min_bytes: int | None = Field(
        None, ge=0, lt=1 << 31, description="Smallest document that is accepted as a page, in bytes."
    )
    require_paragraphs: bool | None = Field(
        None, description="Whether to reject documents without a single `<p>` element."
    )
    reject_scripts_only: bool | None = Field(
        None, description="Whether to reject documents that hold scripts and nothing to show."
    )
    soft_404: bool | None = Field(
        None, description="Whether to learn how a site answers where there is no page."
    )
    soft_404_pages: int | None = Field(
        None, ge=1, lt=1 << 31, description="Pages of a domain, without a 404, before it is probed."
    )
    soft_404_refresh_s: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="Seconds after which a domain is probed again."
    )


class SourceLimits(Section):
    max_depth: int = Field(
        USUAL_DEPTH,
        ge=0,
        le=1000,
        description="Maximum number of links from a seed to a page; a value above 5 causes a warning.",
    )
    max_pages: int | None = Field(None, ge=1, lt=1 << 31, description="Maximum pages per run.")
    pages_per_domain: int | None = Field(
        None, ge=0, lt=1 << 31, description="Maximum pages per domain and run; 0: no limit."
    )
    new_urls_per_s: int | None = Field(
        None,
        ge=0,
        le=1_000_000,
        description="How many new URLs may become due per second; those beyond that wait; 0: no limit.",
    )


class SourceTraps(Section):
    enabled: bool | None = Field(
        None, description="Whether to slow down and close clusters of URLs that bring nothing new."
    )
    window: int | None = Field(
        None, ge=10, le=60, description="Consecutive pages of a cluster that decide about it."
    )
    novelty: float | None = Field(
        None, ge=0, lt=0.3, description="Share of them with something new up to which it is slowed down."
    )
    budget: int | None = Field(
        None, ge=0, lt=1 << 31, description="Pages of a slowed cluster to fetch before it is closed."
    )
