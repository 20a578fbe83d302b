"""Builders for what workers share."""

import uuid
from typing import Any

from tenax.clock import Clock
from tenax.config.fetch import FetchSettings
from tenax.config.worker import RedisSettings
from tenax.coordination.address import parse_address
from tenax.coordination.base import WorkerReport
from tenax.coordination.keys import RedisNames, build_names
from tenax.coordination.redis import RedisCoordination
from tenax.coordination.redis_gate import RedisGate
from tenax.records.domains import RobotsRecord
from tenax.records.requests import Addresses
from tests.support.clock import START

ORIGIN = "https://a.test"
PATIENT_S = 5.0  # on a busy machine; tests of deadlines have their own


def new_names() -> RedisNames:
    """Names for a store and a web that no other test uses."""
    return build_names(uuid.uuid4().hex, FetchSettings(contact=uuid.uuid4().hex))


def build_redis(
    url: str, clock: Clock, names: RedisNames | None = None, *, timeout_s: float = PATIENT_S, **settings: Any
) -> RedisCoordination:
    limits = RedisSettings(url=url, timeout_s=timeout_s, **settings)
    return RedisCoordination(parse_address(url), limits, names or new_names(), clock)


def build_gate(
    url: str, clock: Clock, names: RedisNames | None = None, *, timeout_s: float = PATIENT_S
) -> RedisGate:
    settings = RedisSettings(url=url, timeout_s=timeout_s)
    return RedisGate(parse_address(url), settings, names or new_names(), clock)


def make_robots(body: bytes = b"User-agent: *\nDisallow: /x\n", **fields: Any) -> RobotsRecord:
    known: dict[str, Any] = {
        "origin": ORIGIN,
        "status": 200,
        "body": body,
        "fetched_at": START,
        "expires_at": START + 3600,
    }
    return RobotsRecord(**{**known, **fields})


def make_addresses(*ips: str, expires_at: float = START + 300) -> Addresses:
    return Addresses(ips=ips or ("192.0.2.1", "2001:db8::1"), stored_at=START, expires_at=expires_at)


def make_report(worker: str = "w1", **fields: Any) -> WorkerReport:
    known: dict[str, Any] = {
        "worker": worker,
        "run_id": 1,
        "at": START,
        "pages": 10,
        "requests": 12,
        "wire_bytes": 3400,
        "pages_per_s": 2.5,
        "in_flight": 3,
        "outcomes": {"fetched": 10},
        "waiting_for": None,
    }
    return WorkerReport(**{**known, **fields})
