"""A receiver of webhooks, and a sender that sends on request."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import orjson
from sqlalchemy import Connection, insert

from tenax.clock import Clock, Instant
from tenax.config.settings import Settings
from tenax.jobs.webhooks.sender import WebhookSender
from tenax.runtime.engine import open_fetcher
from tenax.stores.access import Access
from tenax.stores.change_log import LogTopic, add_to_log
from tenax.stores.paging import SliceRequest
from tenax.stores.schema.runs import runs
from tenax.stores.webhooks.deliveries import Delivery, slice_deliveries
from tenax.stores.webhooks.webhooks import Webhook, WebhookEvent, WebhookValues, add_webhook
from tests.support.clock import FakeClock
from tests.support.hostile import Peer, hostile_origin

SECRET = "a secret of a test"
ALL = SliceRequest(key="id", is_descending=False, after=None, limit=500)
LOCAL = Settings.model_validate(
    {"fetch": {"allow_private": True, "resolve": ["*:127.0.0.1"], "connect_timeout_s": 5}}
)


class Receiver:
    """Keeps what it receives and responds with `status`; a status of 0: it hangs."""

    def __init__(self) -> None:
        self.messages: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        self.headers = ""
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://receiver.test:{self.port}/hook?token=1&utm_x=2"

    @property
    def events(self) -> list[tuple[str, Any]]:
        read = (orjson.loads(body) for _, body in self.messages)
        return [(message["event"], message["data"]) for message in read]

    def behave(self, peer: Peer) -> None:
        head, _, body = peer.read_request().partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            body += peer.read_more()
        self.messages.append(({**headers, "": first}, body))
        if not self.status:
            peer.hang()
        answer = (
            f"HTTP/1.1 {self.status} OK\r\nContent-Length: 5000\r\nConnection: close\r\n{self.headers}\r\n"
        )
        peer.send(answer.encode() + b"x" * 5000)


@contextlib.contextmanager
def run_receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    with hostile_origin(receiver.behave) as origin:
        receiver.port = origin.port
        yield receiver


@contextlib.asynccontextmanager
async def run_sender(
    access: Access, clock: Clock, settings: Settings = LOCAL
) -> AsyncIterator[WebhookSender]:
    async with open_fetcher(settings) as fetcher:
        yield WebhookSender(access, fetcher, clock)


def add_ended_run(connection: Connection, at: Instant, source_id: int = 0) -> int:
    """A run that ended at this instant, and its entry in the log."""
    values = {"state": "done", "settings": "{}", "started_at": 1.0, "ended_at": at, "pages": 3}
    statement = insert(runs).values(**values, source_id=source_id).returning(runs.c.id)
    run_id: int = connection.execute(statement).scalar_one()
    add_to_log(connection, LogTopic.RUN, source_id, run_id, at)
    return run_id


async def add_hook(access: Access, clock: FakeClock, url: str, **others: Any) -> Webhook:
    values = {"name": "hook", "events": tuple(WebhookEvent), "source_id": None, "enabled": True, **others}
    made = await access.write(
        lambda connection: add_webhook(
            connection, WebhookValues(url=url, **values), SECRET, access.vault, clock.now()
        )
    )
    assert made is not None
    return made


async def list_deliveries(access: Access, hook: Webhook) -> list[Delivery]:
    found = await access.read(lambda connection: slice_deliveries(connection, ALL, hook.id, None))
    return list(found.items)
