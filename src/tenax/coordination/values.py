"""Records as bytes and back. A value written by another program or an older Tenax parses as None."""

from ipaddress import ip_address

import orjson

from tenax.clock import Instant
from tenax.coordination.base import Notice, WorkerReport
from tenax.coordination.keys import ADDRESSES
from tenax.records.domains import RobotsRecord
from tenax.records.requests import Addresses


def format_robots(record: RobotsRecord) -> bytes:
    head = {"status": record.status, "fetched_at": record.fetched_at, "expires_at": record.expires_at}
    return orjson.dumps(head) + b"\n" + record.body


def parse_robots(origin: str, value: bytes, now: Instant) -> RobotsRecord | None:
    head, _, body = value.partition(b"\n")
    try:
        fields = orjson.loads(head)
        status = None if fields["status"] is None else int(fields["status"])
        record = RobotsRecord(
            origin=origin,
            status=status,
            body=body,
            # The writer's clock may be ahead of ours.
            fetched_at=min(float(fields["fetched_at"]), now),
            expires_at=float(fields["expires_at"]),
        )
    except (ValueError, KeyError, TypeError):
        return None
    return record if record.expires_at > now else None


def format_addresses(addresses: Addresses) -> bytes:
    return orjson.dumps({"ips": addresses.ips, "expires_at": addresses.expires_at})


def parse_addresses(value: bytes, now: Instant) -> Addresses | None:
    try:
        fields = orjson.loads(value)
        ips = tuple(str(ip_address(ip)) for ip in fields["ips"])
        expires_at = min(float(fields["expires_at"]), now + ADDRESSES.ttl_s)
    except (ValueError, KeyError, TypeError):
        return None
    return Addresses(ips=ips, stored_at=now, expires_at=expires_at) if ips and expires_at > now else None


def format_report(report: WorkerReport) -> bytes:
    return orjson.dumps(report)


def parse_report(value: bytes) -> WorkerReport | None:
    try:
        return WorkerReport(**orjson.loads(value))
    except (ValueError, TypeError):
        return None


def format_notice(notice: Notice) -> bytes:
    return orjson.dumps(notice)


def parse_notice(value: bytes) -> Notice | None:
    try:
        return Notice(**orjson.loads(value))
    except (ValueError, TypeError):
        return None
