"""Imports a seed list in chunks, one transaction each, and counts and shows its progress."""

import contextlib
import signal
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenax.cli.seeds.files import open_list
from tenax.cli.seeds.lines import MAX_RANK, BadLine, SeedLines
from tenax.cli.show.steps import StepView
from tenax.errors import UsageError
from tenax.records.urls import ListedSeed
from tenax.runtime.redis import read_redis

# A transaction of this size takes a second, and concurrent crawls wait for it. Names come in no order, so
# each transaction writes most pages of their indexes: fewer transactions write far less for a million seeds.
SEEDS_AT_ONCE = 10_000
BAD_SHOWN = 5
MAX_SOURCE_CHARS = 100

Found = ListedSeed | BadLine

_PLAIN_HANDLERS: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}


@dataclass(slots=True, kw_only=True)
class ImportTally:
    lines: int = 0
    usable: int = 0
    bad: int = 0
    first_bad: list[BadLine] = field(default_factory=list)

    def add(self, found: Found) -> bool:
        """Count it, and return whether it is a seed."""
        if isinstance(found, ListedSeed):
            self.usable += 1
            return True
        self.bad += 1
        if self.bad <= BAD_SHOWN:
            self.first_bad.append(found)
        return False


def name_source(source: str | None, file: Path | None, key: str | None) -> str:
    """Choose the name of the list. Raises UsageError."""
    if source is None:
        source = key or ("stdin" if file is None or str(file) == "-" else file.name.partition(".")[0])
    if not source or len(source) > MAX_SOURCE_CHARS or not source.isprintable():
        raise UsageError(f"--source must be 1 to {MAX_SOURCE_CHARS} printable characters.")
    return source


async def read_file(
    stack: contextlib.ExitStack, file: Path, tally: ImportTally, view: StepView
) -> AsyncIterator[list[ListedSeed]]:
    """Yield chunks of seeds. Raises UsageError, also when there are none."""
    opened = stack.enter_context(open_list(file))
    lines = SeedLines()
    chunks = cut(lines.read_all(opened.lines), tally)
    while chunk := read_next(chunks):
        yield chunk
        tally.lines = lines.number
        share = opened.share_read()
        view.show("Importing", "seeds", lines.number, int(lines.number / share) if share else None)
    tally.lines = lines.number
    refuse_empty(tally, str(file))


def read_next(chunks: Iterator[list[ListedSeed]]) -> list[ListedSeed] | None:
    """A pipe may block the event loop forever: until it returns, signals must work as without a loop."""
    handlers = {number: signal.signal(number, handler) for number, handler in _PLAIN_HANDLERS.items()}
    try:
        return next(chunks, None)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


async def read_key(url: str, key: str, tally: ImportTally, view: StepView) -> AsyncIterator[list[ListedSeed]]:
    """Yield chunks of seeds from a key in Redis. A sorted set ranks its members by their scores."""
    lines = SeedLines()
    async for members in read_redis(url, key):
        read = (lines.read(decode(member), rank_of(score)) for member, score in members)
        for chunk in cut((found for found in read if found is not None), tally):
            yield chunk
        tally.lines = lines.number
        view.show("Importing", "seeds", lines.number, None)
    refuse_empty(tally, key)


def cut(found: Iterable[Found], tally: ImportTally) -> Iterator[list[ListedSeed]]:
    """Yield the seeds in chunks; bad lines are counted."""
    chunk: list[ListedSeed] = []
    for each in found:
        if tally.add(each):
            chunk.append(each)  # type: ignore[arg-type]
            if len(chunk) == SEEDS_AT_ONCE:
                yield chunk
                chunk = []
    if chunk:
        yield chunk


def decode(member: bytes) -> str:
    return member.decode("utf-8", "surrogateescape")


def rank_of(score: float | None) -> int | None:
    return int(score) if score is not None and score.is_integer() and 1 <= score <= MAX_RANK else None


def refuse_empty(tally: ImportTally, name: str) -> None:
    if tally.usable:
        return
    if not tally.bad:
        raise UsageError(f"{name} holds no seeds: it is empty.")
    raise UsageError(f"{name} holds no seeds; {tally.first_bad[0]}.")
