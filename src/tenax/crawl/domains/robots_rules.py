"""What an answer for a robots.txt means (RFC 9309), and the rules of an origin while its domain is leased."""

from dataclasses import replace

from tenax.clock import Instant
from tenax.config.crawl import RobotsSettings
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.record import record
from tenax.records.domains import RobotsRecord
from tenax.records.requests import Failure, FailureKind, Response
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.web.headers import parse_max_age
from tenax.web.robots import RobotsRules

MAX_HOPS = 5
FIRST_PAUSE_S = 2.0  # before the second try; doubles
TRIES = 3

_ADDRESS_REASONS = {
    FailureKind.FORBIDDEN_ADDRESS: RefusalReason.PRIVATE_ADDRESS,
    FailureKind.NO_ROUTE: RefusalReason.NO_ROUTE,
}


@record
class RobotsRequest:
    """One origin's robots.txt, being followed through its redirects."""

    origin: str
    url: str
    hops: int = 0


@record
class OriginRules:
    """What is allowed on one origin, and until when the rules are valid."""

    rules: RobotsRules
    fetched_at: Instant
    expires_at: Instant
    body_bytes: int = 0  # of the file
    is_usable: bool = True  # False: there was no usable answer
    denial: str | None = None  # the rule that forbids the whole origin, in words
    refusal: Refused | None = None  # for the whole origin: its address is forbidden


def is_failure(answer: Response | Failure) -> bool:
    """No usable answer: everything is disallowed for now. 429 is a server in trouble, not a denial."""
    return isinstance(answer, Failure) or answer.status >= 500 or answer.status == 429


def build_record(
    question: RobotsRequest, answer: Response | Failure, now: Instant, settings: RobotsSettings
) -> RobotsRecord:
    origin = question.origin
    if isinstance(answer, Failure):
        # A file that has moved to a forbidden address counts as missing; its origin is not to blame.
        is_missing = question.hops > 0 and answer.kind is FailureKind.FORBIDDEN_ADDRESS
        return RobotsRecord(
            origin=origin,
            status=None,
            body=b"",
            fetched_at=now,
            expires_at=now + settings.cache_s if is_missing else now,
            error=None if is_missing else answer.detail,
        )
    asked_s = parse_max_age(answer.headers.get("cache-control"))
    cache_s = min(max(asked_s or 0.0, settings.cache_s), settings.max_cache_s)
    is_failed = is_failure(answer)
    return RobotsRecord(
        origin=origin,
        status=answer.status,
        body=answer.body if 200 <= answer.status < 300 else b"",
        fetched_at=now,
        expires_at=now if is_failed else now + cache_s,
        error=f"robots.txt answered {answer.status}" if is_failed else None,
    )


def plan_reuse(record: RobotsRecord, now: Instant, settings: RobotsSettings) -> RobotsRecord | None:
    """A copy that another worker fetched, with the expiry that our settings allow; None: too old."""
    expires_at = min(record.expires_at, record.fetched_at + settings.max_cache_s)
    return replace(record, expires_at=expires_at) if expires_at > now else None


def build_rules(record: RobotsRecord) -> OriginRules:
    """A missing file (4xx, too many redirects) allows everything; no answer or 5xx nothing."""
    if record.error is not None:
        rules = RobotsRules.disallow_all()
    elif record.body:
        rules = RobotsRules.parse(record.body)
    else:
        rules = RobotsRules.allow_all()
    return OriginRules(
        rules=rules,
        fetched_at=record.fetched_at,
        expires_at=record.expires_at,
        body_bytes=len(record.body),
        is_usable=record.error is None,
        denial=_find_denial(rules) if record.error is None else None,
    )


def _find_denial(rules: RobotsRules) -> str | None:
    if not rules.forbids_all(agent=PRODUCT_TOKEN):
        return None
    match = rules.match("http://any.invalid/", agent=PRODUCT_TOKEN)
    return f"robots.txt forbids everything, line {match.line_number}: {match.rule}"


def refuse_address(answer: Response | Failure) -> Refused | None:
    """The refusal of a whole origin whose address is forbidden, or that has no route from here."""
    if isinstance(answer, Failure) and (reason := _ADDRESS_REASONS.get(answer.kind)) is not None:
        return Refused(reason=reason, detail=answer.detail)
    return None


def find_robots_refusal(rules: RobotsRules, url: str) -> Refused | None:
    """The rule that forbids the url, by its line; None: it is allowed."""
    if rules.allowed(url, agent=PRODUCT_TOKEN):
        return None
    match = rules.match(url, agent=PRODUCT_TOKEN)
    return Refused(reason=RefusalReason.ROBOTS, detail=f"robots.txt line {match.line_number}: {match.rule}")


def refuse_origin(refusal: Refused, now: Instant, until: Instant) -> OriginRules:
    return OriginRules(
        rules=RobotsRules.disallow_all(), fetched_at=now, expires_at=until, is_usable=False, refusal=refusal
    )
