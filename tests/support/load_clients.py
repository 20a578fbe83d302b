"""Many concurrent clients that read from a server and listen to its events, like dashboards do.

They implement HTTP themselves: a full client would cost more than the server that is measured.
"""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PATHS = ("/api/v1/stats", "/api/v1/pages?limit=50", "/api/v1/domains?limit=50")
EVENTS = "/sse/crawler/events"
TIMEOUT_S = 30.0

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(slots=True, kw_only=True)
class Findings:
    waits_s: list[float] = field(default_factory=list)
    events: Counter[int] = field(default_factory=Counter)  # listener → number of events received
    errors: Counter[str] = field(default_factory=Counter)

    def percentile_s(self, share: float) -> float:
        ordered = sorted(self.waits_s)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadClients:
    url: str
    tokens: Sequence[str]  # distributed among them
    readers: int
    listeners: int
    every_s: float

    def gather(self, for_s: float) -> Findings:
        """Run the clients. They connect one after another within a round and disconnect together."""
        return asyncio.run(self._gather(for_s))

    async def _gather(self, for_s: float) -> Findings:
        found, until = Findings(), time.monotonic() + for_s
        everybody = [
            *(self._read(number, found, until) for number in range(self.readers)),
            *(self._listen(number, found, until) for number in range(self.listeners)),
        ]
        await asyncio.gather(*everybody)
        return found

    async def _read(self, number: int, found: Findings, until: float) -> None:
        await asyncio.sleep(random.Random(number).uniform(0, self.every_s))
        while time.monotonic() < until:
            started_at = time.monotonic()
            try:
                async with asyncio.timeout(TIMEOUT_S), self._connect() as streams:
                    for path in PATHS:
                        await self._measure(streams, number, path, found)
            except (OSError, EOFError, TimeoutError) as error:
                found.errors[repr(error)] += 1
            await asyncio.sleep(max(0.0, started_at + self.every_s - time.monotonic()))

    async def _measure(self, streams: Streams, number: int, path: str, found: Findings) -> None:
        asked_at = time.monotonic()
        head = await self._ask(streams, number, path)
        await streams[0].readexactly(int(head["content-length"]))
        found.waits_s.append(time.monotonic() - asked_at)
        if head[""] != "200":
            found.errors[head[""]] += 1

    async def _listen(self, number: int, found: Findings, until: float) -> None:
        await asyncio.sleep(random.Random(number).uniform(0, self.every_s))
        try:
            async with self._connect() as streams:
                head = await self._ask(streams, number, EVENTS)
                if head[""] != "200":
                    found.errors[f"{EVENTS} {head['']}"] += 1
                    return
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(
                        asyncio.get_running_loop().time() + until - time.monotonic()
                    ):
                        async for line in streams[0]:
                            found.events[number] += line.startswith(b"event:")
                        found.errors["a stream that ended"] += 1
        except (OSError, EOFError) as error:
            found.errors[repr(error)] += 1

    async def _ask(self, streams: Streams, number: int, path: str) -> dict[str, str]:
        """Send a request and return the headers of the response; "" is its status."""
        token = self.tokens[number % len(self.tokens)]
        lines = (f"GET {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}", "", "")
        streams[1].write("\r\n".join(lines).encode())
        first, *others = (await streams[0].readuntil(b"\r\n\r\n")).decode().split("\r\n")
        head = {name.lower(): value for name, _, value in (line.partition(": ") for line in others if line)}
        return {**head, "": first.split(" ")[1]}

    @contextlib.asynccontextmanager
    async def _connect(self) -> AsyncIterator[Streams]:
        address = urlsplit(self.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        try:
            yield reader, writer
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
