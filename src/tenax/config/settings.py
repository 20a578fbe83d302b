"""Every setting with its default. Precedence: command line, environment, file, default.

The reference in docs/settings.md is generated from this file.
"""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self, get_args
from urllib.parse import unquote

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from tenax import __version__
from tenax.errors import ConfigError
from tenax.wording import as_sentence

PRODUCT_TOKEN = "tenax"
DAY_S = 86_400.0
UNLIMITED = 2**62
MOST_SELECTORS = 10  # of a kind
MOST_RESPONSE_HEADERS = 20  # that are kept
HIDDEN = "***"  # stands for a password


class ScopeKind(StrEnum):
    DOMAIN = "domain"  # the seeds' domains; www and ports 80/443 do not count as different
    HOST = "host"  # exactly the seeds' hosts and ports
    SITE = "site"  # the seeds' registrable domains with all their subdomains
    ANY = "any"  # everything


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MergeRule(Section):
    """Urls of a domain that differ in nothing else than what it names are one to the crawl."""

    name: str | None = Field(
        None, min_length=1, max_length=100, description="What people call it; none: what it says."
    )
    under: str | None = Field(
        None,
        min_length=1,
        max_length=2000,
        description="Where it holds, as example.com, example.com/list or /list; none: everywhere.",
    )
    ignore_parameters: tuple[Annotated[str, Field(min_length=1, max_length=300)], ...] = Field(
        (), max_length=100, description="Names of parameters that do not count, in any case."
    )
    ignore_matching: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="RE2 patterns; a parameter, as `name=value` without escapes, that matches one does not "
        "count.",
    )
    ignore_trailing_slash: bool = Field(False, description="Whether /a and /a/ are one.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.ignore_parameters or self.ignore_matching or self.ignore_trailing_slash):
            raise ValueError("A merge rule says what does not count: parameters or the trailing slash.")
        return self


class ScopeSettings(Section):
    kind: ScopeKind = Field(ScopeKind.DOMAIN, description="Which links are followed.")
    include: tuple[str, ...] = Field(
        (), description="RE2 patterns; when given, a URL must match one. Seeds are exempt."
    )
    exclude: tuple[str, ...] = Field((), description="RE2 patterns; a URL that matches one is refused.")
    keep_parameters: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="Parameters that count here, such as `ref`: others of their kind follow visitors or "
        "hold sessions, and are left out of addresses.",
    )
    merge_rules: tuple[MergeRule, ...] = Field(
        (),
        max_length=100,
        description="Which URLs of a domain are one, though they differ: one of them is fetched. For example "
        '`[{"ignore_parameters": ["sort"]}, {"ignore_trailing_slash": true}]`.',
    )

    @property
    def kept_names(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.keep_parameters)


class LimitSettings(Section):
    max_pages: int | None = Field(None, ge=1, description="Pages per run; none: no limit.")
    pages_per_domain: int = Field(1000, ge=0, description="Pages per domain and run; 0: no limit.")
    max_depth: int = Field(10, ge=0, description="Links from a seed to the page.")
    links_per_page: int = Field(1000, ge=0, description="Links taken from one page.")
    url_length: int = Field(2000, ge=16, description="Characters of a URL.")
    max_hops: int = Field(5, ge=0, description="Redirects in a row.")

    @property
    def domain_budget(self) -> int:
        """Pages that one domain may have in a run; more than any has, where there is no limit."""
        return self.pages_per_domain or UNLIMITED


class PaceUnit(StrEnum):
    DOMAIN = "domain"  # every domain has a pace of its own
    SITE = "site"  # all domains of a registrable domain share one


class PolitenessSettings(Section):
    delay_s: float = Field(1.0, ge=0, description="Least time between two requests to a domain.")
    per_domain: int = Field(1, ge=1, description="Requests to one domain at the same time.")
    share_pace: PaceUnit = Field(
        PaceUnit.DOMAIN,
        description="What is asked once in `delay_s`: each domain, or each site with all its subdomains, of"
        " which only one is asked at a time.",
    )
    max_crawl_delay_s: float = Field(60.0, ge=0, description="Cap on robots.txt's Crawl-delay.")
    jitter: float = Field(0.1, ge=0, le=1, description="Random share added to the delay.")
    backoff_s: float = Field(60.0, gt=0, description="First rest after 429, 503 or repeated 403.")
    max_backoff_s: float = Field(86400.0, gt=0, description="Longest rest, Retry-After included.")
    forgive_s: float = Field(1800.0, gt=0, description="Quiet time that forgets earlier rests.")
    longest_wait_s: float = Field(
        900.0, ge=0, description="A run ends when all that is left rests longer than this."
    )
    longest_retry_wait_s: float = Field(
        75.0,
        ge=0,
        description="The same when all that is left has failed before: the first rest after 429 is waited"
        " for, longer ones are left to the next run.",
    )

    @property
    def site_gap_s(self) -> float | None:
        """Least time between requests to different domains of a site; None: they have nothing in common."""
        return self.delay_s if self.share_pace is PaceUnit.SITE else None

    @property
    def retry_patience(self) -> tuple[float, str]:
        """How long a run waits for urls that have failed, in seconds, and the setting that says so."""
        if self.longest_wait_s < self.longest_retry_wait_s:
            return self.longest_wait_s, "longest_wait_s"
        return self.longest_retry_wait_s, "longest_retry_wait_s"


class RobotsSettings(Section):
    cache_s: float = Field(3600.0, ge=0, description="How long a robots.txt is used.")
    max_cache_s: float = Field(86400.0, ge=0, description="Cap on what Cache-Control may ask for.")
    max_bytes: int = Field(512_000, ge=512_000, description="Bytes of robots.txt that are read.")
    timeout_s: float = Field(10.0, gt=0, description="Deadline of a robots.txt request.")
    retry_s: float = Field(60.0, gt=0, description="Pause before an outdated copy is renewed again.")
    skip_s: float = Field(3600.0, gt=0, description="Rest of a domain whose robots.txt fails three times.")


def hide_header(line: str) -> str:
    """A header as anybody may see it: what it says is often a key."""
    return f"{line.partition(':')[0]}: {HIDDEN}"


HeaderLine = Annotated[str, PlainSerializer(hide_header)]


class FetchSettings(Section):
    user_agent: str | None = Field(None, description="Replaces the default `tenax/VERSION (+contact)`.")
    contact: str | None = Field(
        None, description="URL or mail address for site owners; part of the user agent."
    )
    timeout_s: float = Field(30.0, gt=0, description="Total deadline of a request.")
    connect_timeout_s: float = Field(10.0, gt=0, description="Deadline of connecting, TLS included.")
    max_bytes: int = Field(10_000_000, ge=1024, description="Decoded bytes of a body.")
    max_header_bytes: int = Field(65_536, ge=1024, description="Bytes of all headers of an answer.")
    allow_private: bool = Field(False, description="Allow loopback, private and other special addresses.")
    resolve: tuple[str, ...] = Field(
        (), description="HOST:IP pairs that replace look-ups; `*` as HOST means every host."
    )
    dns_timeout_s: float = Field(5.0, gt=0, description="Deadline of a look-up.")
    dns_servers: tuple[str, ...] = Field((), description="Name servers; none: the system's.")
    headers: tuple[HeaderLine, ...] = Field(
        (), description="`Name: value` lines that are sent to `header_origins`, and nowhere else."
    )
    header_origins: tuple[str, ...] = Field(
        (), description="Origins that get `headers`, as https://example.com or http://127.0.0.1:8080."
    )

    def format_user_agent(self) -> str:
        if self.user_agent:
            return self.user_agent
        contact = f" (+{self.contact})" if self.contact else ""
        return f"{PRODUCT_TOKEN}/{__version__}{contact}"


_match_header_name = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]{1,100}").fullmatch


def _read_header_name(name: str) -> str:
    lower = name.lower()
    if _match_header_name(lower) is None:
        raise ValueError("this is not the name of a header, such as server")
    return lower


HeaderName = Annotated[str, AfterValidator(_read_header_name)]


class ExtractSettings(Section):
    only: tuple[str, ...] = Field(
        (),
        max_length=MOST_SELECTORS,
        description="CSS selectors; when given, the text of a page is that of the elements that match one.",
    )
    without: tuple[str, ...] = Field(
        (),
        max_length=MOST_SELECTORS,
        description="CSS selectors; elements that match one are left out of the text.",
    )
    response_headers: tuple[HeaderName, ...] = Field(
        (),
        max_length=MOST_RESPONSE_HEADERS,
        description="Headers of answers that are kept with the url, such as `server` or `x-cache`.",
    )


class ReaderSettings(Section):
    """Of the process that reads what is too large for a worker, or has killed one."""

    memory_mb: int = Field(
        512,
        ge=100,
        description="Most memory that it takes, in millions of bytes, beside that of its worker. One large "
        "document is read at a time on a machine.",
    )
    cpu_s: int = Field(60, ge=1, description="Most CPU time that one document takes there.")


class RetrySettings(Section):
    attempts: int = Field(3, ge=0, description="Retries after a transient failure.")
    base_s: float = Field(1.0, gt=0, description="First pause; doubles each time.")
    jitter_s: float = Field(0.5, ge=0, description="Random addition to a pause.")


class BreakerSettings(Section):
    failures: int = Field(5, ge=1, description="Failures in a row that open a domain's breaker.")
    open_s: float = Field(60.0, gt=0, description="How long it stays open.")
    successes: int = Field(2, ge=1, description="Successes in half-open that close it.")
    trips: int = Field(3, ge=1, description="Openings in a row after which a domain is unreachable.")


class DomainSettings(Section):
    """When a domain is left alone, and for how long."""

    rests_before_block: int = Field(
        5, ge=1, description="Rests (429, 503) in a row, without a good answer, that block a domain."
    )
    forbidden_before_block: int = Field(10, ge=1, description="403 in a row that block a domain.")
    logins_before_block: int = Field(10, ge=1, description="Login walls in a row that block a domain.")
    login_s: float = Field(30 * DAY_S, gt=0, description="Cooldown of a domain behind a login.")
    rate_limited_s: float = Field(
        7 * DAY_S, gt=0, description="Cooldown of a domain that we are too fast for."
    )
    forbidden_s: float = Field(14 * DAY_S, gt=0, description="Cooldown of a domain that forbids itself.")
    robots_denied_s: float = Field(
        90 * DAY_S, gt=0, description="Cooldown of a domain whose robots.txt forbids all of it."
    )
    unreachable_s: float = Field(7 * DAY_S, gt=0, description="Cooldown of a domain that does not answer.")
    retries: int = Field(
        3, ge=0, description="Cooldowns in a row, without a page between, before a block is for good."
    )


class RefreshSettings(Section):
    enabled: bool = Field(True, description="Plan when each page is fetched again, for `tenax refresh`.")
    first_s: float = Field(
        86_400.0,
        gt=0,
        description="When a new or changed page is due again; doubles while it stays the same.",
    )
    min_s: float = Field(
        3600.0, gt=0, description="Shortest interval; also how soon a missing page is asked again."
    )
    max_s: float = Field(2_592_000.0, gt=0, description="Longest interval.")


class WorkerSettings(Section):
    processes: int | None = Field(
        None, ge=1, le=256, description="Worker processes of a crawl at most; none: one per core."
    )
    runs: int = Field(
        8, ge=1, le=256, description="Runs that `tenax worker` and `tenax serve` work on at the same time."
    )
    concurrency: int = Field(
        100,
        ge=1,
        le=10_000,
        description="Requests at the same time, in each worker process. Those that wait for domains which are"
        " slow to answer come on top: up to ten times as many, as memory and descriptors allow.",
    )
    lease_s: float = Field(60.0, ge=1, description="How long a domain is leased; renewed meanwhile.")
    batch_pages: int = Field(500, ge=1, description="Pages per transaction.")
    batch_s: float = Field(1.0, gt=0, description="Longest time between transactions.")
    queue_head: int = Field(64, ge=1, description="Urls of a domain's queue kept in memory.")
    memory_mb: int = Field(300, ge=1, description="Most memory that a worker takes, in millions of bytes.")
    drain_s: float = Field(15.0, gt=0, description="Grace for running requests after a stop.")
    disk_full_wait_s: float = Field(
        300.0, ge=0, description="How long to wait for a disk or store that takes nothing."
    )


# Names of parameters whose value is nobody's business: sslpassword, access_token, X-Amz-Signature, api-key.
_SECRET_NAME = re.compile(r"passw|pwd|secret|token|credential|signature|auth|key$|^(pass|sig)$")
_PARAMETER = re.compile(r"(?P<name>(?:^|[?&;#\s])[\w.%-]+\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^&;#\s]*)")
_USER = re.compile(r"(?P<scheme>[\w+.-]*)://(?P<name>[^:/?#@]*)(?P<rest>:.*@|[^/?#]*@)")
_NAMED_USERS = ("postgres", "postgresql", "amqp", "amqps")  # what stands alone before the @ is a name there


def hide_password(url: str) -> str:
    """The address of a server as anybody may see it, or what else names a server and its password."""
    return _PARAMETER.sub(_hide_parameter, _USER.sub(_hide_user, url, count=1))


def _hide_user(match: re.Match[str]) -> str:
    scheme, name = match["scheme"], match["name"]
    if match["rest"].startswith(":"):
        return f"{scheme}://{name}:{HIDDEN}@"
    return match[0] if scheme.lower() in _NAMED_USERS else f"{scheme}://{HIDDEN}@"


def _hide_parameter(match: re.Match[str]) -> str:
    name = unquote(match["name"]).strip(" \t\n?&;#=").lower().replace("-", "_")
    return f"{match['name']}{HIDDEN}" if _SECRET_NAME.search(name) else match[0]


# Settings are shown and kept with each run: a password stays out of both.
ServerUrl = Annotated[str | None, PlainSerializer(lambda url: url and hide_password(url))]


class StoreSettings(Section):
    url: ServerUrl = Field(
        None, description="Where crawls are kept: postgresql://USER@HOST/DATABASE, or a directory."
    )


class RedisSettings(Section):
    url: ServerUrl = Field(None, description="`redis://`, `rediss://` or `unix://`; none: no Redis.")
    timeout_s: float = Field(0.1, gt=0, description="How long a reply is waited for.")
    seen_urls: int = Field(5_000_000, ge=10_000, description="Urls in the seen filter, at most.")


# Never shown, not even in part.
Secret = Annotated[str | None, PlainSerializer(lambda secret: secret and HIDDEN)]


class ServerSettings(Section):
    """Of `tenax serve`."""

    host: str = Field("127.0.0.1", description="Address to listen at; beyond loopback only with an account.")
    port: int = Field(8060, ge=0, le=65_535, description="Port to listen at; 0: any that is free.")
    hosts: tuple[str, ...] = Field(
        (), description="Names that browsers may call it by; none: those of loopback, or any beyond it."
    )
    trusted_proxies: tuple[str, ...] = Field(
        (), description="Addresses of reverse proxies whose X-Forwarded-For and -Proto are believed."
    )
    anonymous_per_min: int = Field(10, ge=1, description="Requests a minute without an account, per address.")
    user_per_min: int = Field(100, ge=1, description="Requests a minute of a user.")
    admin_per_min: int = Field(500, ge=1, description="Requests a minute of an administrator.")
    seeds_per_min: int = Field(10, ge=1, description="Orders of seeds a minute, of anybody.")
    requests_at_once: int = Field(
        3,
        ge=1,
        description="Requests of one account, or of one address without an account, that run at a time.",
    )
    connections_per_address: int = Field(
        100, ge=1, description="Connections of one address at a time; those of trusted proxies do not count."
    )
    max_body_bytes: int = Field(1_000_000, ge=1024, description="Bytes of a request.")
    session_s: float = Field(86_400.0, gt=0, le=86_400, description="How long a login lasts.")
    public_metrics: bool = Field(False, description="Show /metrics to everybody.")
    jwt_secret: Secret = Field(
        None,
        description="Key of bearer tokens (JWT, HS256) that other services sign; none: no such token.",
    )
    jwt_issuer: str = Field("tenax", description="Issuer that such a token must name.")


class JobSettings(Section):
    """Of the scheduler that every `tenax serve` has."""

    poll_s: float = Field(10.0, gt=0, description="Pause between two looks for jobs whose time has come.")
    stale_lock_s: float = Field(
        300.0,
        ge=10,
        description="A scheduler that is silent for so long is dead; others go on with its jobs.",
    )
    max_running: int = Field(
        10, ge=1, description="Scheduled jobs at the same time, of one server; forced ones come on top."
    )
    keep_executions: int = Field(100, ge=1, description="Executions of a job that are kept, at most.")
    keep_days: float = Field(30.0, gt=0, description="Days for which executions are kept, at most.")


class DispatchKind(StrEnum):
    INLINE = "inline"  # workers look into the store for runs
    CELERY = "celery"  # a broker tells them


class DispatchSettings(Section):
    """How runs reach workers."""

    kind: DispatchKind = Field(DispatchKind.INLINE, description="`inline`: workers poll; `celery`: a broker.")
    broker: ServerUrl = Field(None, description="A RabbitMQ, as amqp://USER:PASSWORD@HOST/VHOST; none: none.")
    queue: str = Field(
        "crawl",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="Queue of the runs that are opened.",
    )


class TracingSettings(Section):
    """Of visits, for OpenTelemetry."""

    url: ServerUrl = Field(
        None, description="A collector that takes OTLP over HTTP, as http://127.0.0.1:4318; none: no traces."
    )
    ratio: float = Field(0.01, gt=0, le=1, description="Share of the visits that are traced.")


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    store: StoreSettings = StoreSettings()
    scope: ScopeSettings = ScopeSettings()
    limits: LimitSettings = LimitSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    robots: RobotsSettings = RobotsSettings()
    fetch: FetchSettings = FetchSettings()
    extract: ExtractSettings = ExtractSettings()
    reader: ReaderSettings = ReaderSettings()
    retry: RetrySettings = RetrySettings()
    breaker: BreakerSettings = BreakerSettings()
    refresh: RefreshSettings = RefreshSettings()
    domains: DomainSettings = DomainSettings()
    worker: WorkerSettings = WorkerSettings()
    redis: RedisSettings = RedisSettings()
    server: ServerSettings = ServerSettings()
    jobs: JobSettings = JobSettings()
    dispatch: DispatchSettings = DispatchSettings()
    tracing: TracingSettings = TracingSettings()


Values = dict[str, dict[str, Any]]  # section → setting → value

# What belongs to the machine that works. All else belongs to the run and means the same to all its workers.
MACHINE_SETTINGS = {
    "store": frozenset(StoreSettings.model_fields),
    "worker": frozenset(WorkerSettings.model_fields) - {"lease_s"},
    "redis": frozenset(RedisSettings.model_fields),
    "server": frozenset(ServerSettings.model_fields),
    "jobs": frozenset(JobSettings.model_fields),
    "dispatch": frozenset(DispatchSettings.model_fields),
    "tracing": frozenset(TracingSettings.model_fields),
    # Headers, as all secrets, are not kept with the run.
    "fetch": frozenset({"dns_timeout_s", "dns_servers", "headers", "header_origins"}),
}


# What says where the parts of a service are, and how it reaches others: for those who run it.
_SERVICE_SETTINGS = {**MACHINE_SETTINGS, "fetch": MACHINE_SETTINGS["fetch"] | {"resolve"}}


def split_settings(shown: Values) -> tuple[Values, Values]:
    """Settings, perhaps of another version, as they are shown to those who use a service, and the rest."""
    of_run: Values = {}
    of_service: Values = {}
    for section, values in shown.items():
        kept = _SERVICE_SETTINGS.get(section, frozenset())
        # A section that is not known here may say anything.
        is_known = section in Settings.model_fields
        for name, value in values.items():
            part = of_run if is_known and name not in kept else of_service
            part.setdefault(section, {})[name] = value
    return of_run, of_service


def join_settings(ordered: Settings, own: Settings, given: Values) -> Settings:
    """Of whoever goes on with a run: the run's as they were ordered, the machine's its own. `given`: what of
    its own was said on the command line, which stands above the run's."""
    joined = {}
    for section in Settings.model_fields:
        names = MACHINE_SETTINGS.get(section, frozenset()) | given.get(section, {}).keys()
        values = {name: getattr(getattr(own, section), name) for name in names}
        joined[section] = getattr(ordered, section).model_copy(update=values)
    return Settings(**joined)


def parse_ordered(text: str) -> Settings:
    """The settings that a run keeps, from their JSON."""
    try:
        return Settings.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(
            f"The run was ordered by another version of Tenax, whose settings this one cannot read: "
            f"{_explain(error)} Use the same version on all machines."
        ) from error


ENV_PREFIX = "TENAX_"
# The key of the store's secrets: no setting, so that nothing that shows or keeps settings ever holds it.
KEY_VARIABLE = "TENAX_SECRET_KEY"
KEY_FILE_VARIABLE = "TENAX_SECRET_KEY_FILE"
# Read from the environment by other parts of Tenax; no settings.
OTHER_VARIABLES = {
    KEY_VARIABLE,
    KEY_FILE_VARIABLE,
    "TENAX_FAILPOINT",
    "TENAX_TEST_POSTGRES",
    "TENAX_TEST_RABBITMQ",
    "TENAX_TEST_REDIS",
}


def load_settings(*, file: Path | None = None, overrides: Values | None = None) -> Settings:
    """The settings in force. Raises ConfigError with one sentence that names the culprit."""
    layers = [read_file(file) if file else {}, read_environment(), overrides or {}]
    merged: Values = {}
    for layer in layers:
        for section, values in layer.items():
            merged[section] = {**merged.get(section, {}), **values}
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise ConfigError(_explain(error)) from error


def read_file(path: Path) -> Values:
    try:
        data = tomllib.loads(path.read_text())
    except OSError as error:
        raise ConfigError(f"Cannot read the settings file {path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(as_sentence(f"The settings file {path} is not valid TOML: {error}")) from error
    for section, values in data.items():
        if not isinstance(values, dict):
            raise ConfigError(f"In {path}, {section!r} stands outside a section; see 'tenax config show'.")
    return data


def read_environment() -> Values:
    """Variables such as TENAX_POLITENESS__DELAY_S=2; a list is JSON."""
    found: Values = {}
    for variable, text in sorted(os.environ.items()):
        if not variable.startswith(ENV_PREFIX) or variable in OTHER_VARIABLES:
            continue
        section, _, name = variable.removeprefix(ENV_PREFIX).lower().partition("__")
        _refuse_unknown(section, Settings.model_fields, f"environment variable {variable}")
        found.setdefault(section, {})[name] = _read_value(variable, text, is_secret=_is_secret(section, name))
    return found


def _read_value(variable: str, text: str, *, is_secret: bool) -> Any:
    """Text is what most settings take; pydantic turns it into numbers and words."""
    if not text.startswith("["):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        got = HIDDEN if is_secret else repr(text)
        raise ConfigError(f"The environment variable {variable} is not a JSON list: {got}.") from error


def find_origin(section: str, name: str, *, file: Values, environment: Values, overrides: Values) -> str:
    """Where the value in force comes from, for `tenax config show`."""
    layers = {"command line": overrides, "environment": environment, "file": file}
    return next((origin for origin, layer in layers.items() if name in layer.get(section, {})), "default")


def _is_secret(section: str, name: str) -> bool:
    """Whether its value is shown otherwise than it is, or not at all."""
    part = Settings.model_fields[section].annotation
    field = part.model_fields.get(name) if part is not None else None
    return field is not None and _has_serializer([*field.metadata, field.annotation])


def _has_serializer(parts: Iterable[Any]) -> bool:
    return any(isinstance(each, PlainSerializer) or _has_serializer(get_args(each)) for each in parts)


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    name = ".".join(place)
    if first["type"] != "extra_forbidden":
        # What stands for a whole section may hold all its secrets.
        is_open = len(place) > 1 and not _is_secret(place[0], place[1])
        got = repr(first["input"]) if is_open else HIDDEN
        fault = first["msg"].lower().removeprefix("value error, ")
        return f"The setting {name} is not valid: {fault} (got {got})."
    known = Settings.model_fields
    if len(place) > 1 and (annotation := known[place[0]].annotation) is not None:
        known = annotation.model_fields
    return _format_unknown(place[-1], known, name)


def _refuse_unknown(word: str, known: dict[str, Any], name: str) -> None:
    if word not in known:
        raise ConfigError(_format_unknown(word, known, name))


def _format_unknown(word: str, known: dict[str, Any], name: str) -> str:
    close = difflib.get_close_matches(word, known, 1)
    hint = f"did you mean {close[0]!r}?" if close else "'tenax config show' lists all settings."
    return f"Unknown setting {name}: {hint}"
