"""Reads the members of a list or set that another program keeps in Redis, without changing it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from tenax.coordination.address import RedisAddress
from tenax.coordination.wire import Refusal, Wire, Word, connect
from tenax.errors import ServiceError, UsageError
from tenax.wording import as_sentence

BATCH = 1000
DEADLINE_S = 10.0

Member = tuple[bytes, float | None]  # with its score, in a sorted set


async def read_members(address: RedisAddress, key: str) -> AsyncIterator[Sequence[Member]]:
    """Read all members, in batches: lists in order, sorted sets by score, sets in any order and possibly with
    repeats. Concurrent changes may be missed. Raises ServiceError, and UsageError when there is nothing to
    read."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            wire = await connect(address)
    except (OSError, Refusal) as error:
        raise _unreachable(address, error) from error
    try:
        kind = (await _call(wire, address, "TYPE", key)).decode()
        match kind:
            case "list" | "zset":
                parts = _read_in_order(wire, address, key, kind)
            case "set":
                parts = _scan(wire, address, key)
            case "none":
                raise UsageError(f"There is no key {key!r} in Redis at {address.place}.")
            case _:
                raise UsageError(f"{key!r} in Redis at {address.place} is a {kind}, not a list or a set.")
        async for part in parts:
            yield part
    finally:
        wire.close()


async def _read_in_order(
    wire: Wire, address: RedisAddress, key: str, kind: str
) -> AsyncIterator[Sequence[Member]]:
    members: list[Member]
    start = 0
    while True:
        end = start + BATCH - 1
        if kind == "list":
            found = await _call(wire, address, "LRANGE", key, start, end)
            members = [(member, None) for member in found]
        else:
            found = await _call(wire, address, "ZRANGE", key, start, end, "WITHSCORES")
            members = [(found[at], float(found[at + 1])) for at in range(0, len(found), 2)]
        if not members:
            return
        yield members
        start += BATCH


async def _scan(wire: Wire, address: RedisAddress, key: str) -> AsyncIterator[Sequence[Member]]:
    cursor: Word = 0
    while True:
        cursor, members = await _call(wire, address, "SSCAN", key, cursor, "COUNT", BATCH)
        if members:
            yield [(member, None) for member in members]
        if cursor == b"0":
            return


async def _call(wire: Wire, address: RedisAddress, *words: Word) -> Any:
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await wire.start(*words)
    except (OSError, Refusal) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: RedisAddress, error: Exception) -> ServiceError:
    reason = str(error) or f"no reply within {DEADLINE_S:g} s"
    return ServiceError(as_sentence(f"Redis at {address.place} cannot be read: {reason}"))
