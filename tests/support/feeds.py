"""Sources with feeds, an origin that serves feeds, and a poller that uses a test's clock."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from sqlalchemy import Connection, insert, update

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.jobs.feeds.poller import FeedPoller
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import open_fetcher
from tenax.stores.access import Access
from tenax.stores.schema.jobs import sources
from tenax.stores.secrets.sealing import SecretOwner
from tests.support.clock import FakeClock
from tests.support.hostile import Peer, hostile_origin
from tests.support.store import StoreUnderTest

RSS_TYPE = "application/rss+xml"
SETTINGS = Settings.model_validate(
    {"fetch": {"allow_private": True, "resolve": ["*:127.0.0.1"], "timeout_s": 5, "connect_timeout_s": 5}}
)


@dataclass(slots=True, kw_only=True)
class Reply:
    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def make_rss(*paths: str) -> Reply:
    items = "".join(f"<item><link>{path}</link></item>" for path in paths)
    body = f"<rss version='2.0'><channel><title>News</title>{items}</channel></rss>"
    return Reply(body=body, headers={"Content-Type": RSS_TYPE})


def make_page(*feeds: str) -> Reply:
    links = "".join(f'<link rel="alternate" type="{RSS_TYPE}" href="{feed}">' for feed in feeds)
    return Reply(body=f"<title>A page</title>{links}", headers={"Content-Type": "text/html"})


class FeedOrigin:
    """Answers with the entry of `replies` for a path, 404 for all else, 304 if the client has the ETag."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.asked: list[str] = []
        self.heads: list[str] = []
        self.port = 0

    def url(self, path: str, host: str = "news.test") -> str:
        return f"http://{host}:{self.port}{path}"

    def take_requests(self) -> list[str]:
        asked, self.asked = self.asked, []
        return asked

    def behave(self, peer: Peer) -> None:
        while True:
            head = peer.read_request().decode("latin-1")
            path = head.split()[1]
            self.asked.append(path)
            self.heads.append(head)
            reply = self.replies.get(path, Reply(status=404))
            etag = reply.headers.get("ETag")
            if etag is not None and f"If-None-Match: {etag}" in head:
                reply = Reply(status=304)
            body = reply.body.encode()
            lines = [f"HTTP/1.1 {reply.status} OK", f"Content-Length: {len(body)}"]
            lines += [f"{name}: {value}" for name, value in reply.headers.items()]
            peer.send("\r\n".join([*lines, "", ""]).encode() + body)


@contextlib.contextmanager
def run_feeds() -> Iterator[FeedOrigin]:
    served = FeedOrigin()
    with hostile_origin(served.behave) as origin:
        served.port = origin.port
        yield served


def add_source(connection: Connection, now: Instant, *seeds: str, **definition: Any) -> int:
    """Add a source without headers."""
    number: int = connection.execute(
        insert(sources)
        .values(
            name=seeds[0],
            key=seeds[0],
            definition=orjson.dumps(
                {"name": "News", "seeds": seeds, "feeds": True, "feed_interval_minutes": 15, **definition}
            ).decode(),
            enabled=1,
            created_at=now,
            updated_at=now,
        )
        .returning(sources.c.id)
    ).scalar_one()
    return number


class FeedFollower:
    """A server's poller that polls on request."""

    def __init__(self, poller: FeedPoller, access: Access, clock: FakeClock) -> None:
        self.poller = poller
        self._access = access
        self._clock = clock

    async def add_source(self, *seeds: str, **definition: Any) -> int:
        now = self._clock.now()
        headers = definition.pop("headers", {})

        def add(connection: Connection) -> int:
            number = add_source(connection, now, *seeds, **definition, headers=dict.fromkeys(headers, "***"))
            sealed = self._access.vault.seal(
                orjson.dumps(headers).decode(), SecretOwner(table="sources", id=number)
            )
            connection.execute(update(sources).where(sources.c.id == number).values(headers=sealed))
            return number

        number = await self._access.write(add)
        await self.poller.refresh_sources()
        return number

    async def poll_all(self, within_s: float = 600.0) -> None:
        """Poll everything that is due within the next minutes."""
        until = self._clock.now() + within_s
        while self._clock.now() < until:
            while await self.poller.poll():
                pass
            self._clock.advance(5)


@contextlib.asynccontextmanager
async def follow_feeds(
    store: StoreUnderTest, access: Access, clock: FakeClock, settings: Settings = SETTINGS
) -> AsyncIterator[FeedFollower]:
    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    async with (
        find_backend(store.place).open_stores(store.place, clock) as stores,
        open_fetcher(settings, clock) as fetcher,
    ):
        yield FeedFollower(FeedPoller(settings, access, stores, fetcher, sleep), access, clock)
