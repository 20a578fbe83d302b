"""Sends webhooks: collects events from the store and sends them until they are delivered.

Any number of servers may do this concurrently. A message is sent at least once: if a server dies between
sending and recording it, the lock expires and the message is sent again. Receivers recognize repeated
messages by their id.
"""

import asyncio
import uuid
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Final

from tenax.clock import Clock, Instant
from tenax.errors import SecretError, StoreError
from tenax.failpoints import reach
from tenax.fetch.base import Fetcher
from tenax.jobs.webhooks.signing import SIGNATURE, sign
from tenax.records.requests import Failure, FailureKind, Request, Response
from tenax.stores.access import Access
from tenax.stores.commands.item_events import collect_item_events, find_item_events
from tenax.stores.webhooks.deliveries import (
    DeliveryAttempt,
    DeliveryState,
    WebhookMessage,
    claim_messages,
    is_due,
    save_attempt,
)
from tenax.stores.webhooks.events import NewDelivery, collect_events, find_events
from tenax.stores.webhooks.webhooks import ITEM_EVENTS
from tenax.telemetry import log

SEND_EVERY_S: Final = 2.0
BATCH: Final = 10
DEADLINE_S: Final = 10.0
ANSWER_BYTES: Final = 1024
TRIES: Final = 8
FIRST_PAUSE_S: Final = 30.0
LONGEST_PAUSE_S: Final = 3600.0
SHORTAGE_PAUSE_S: Final = 10.0  # before a machine that was short of a resource tries again


class WebhookSender:
    """Collects events and sends them."""

    def __init__(
        self, access: Access, fetcher: Fetcher, clock: Clock, told: Counter[str] | None = None
    ) -> None:
        """`told`: counts what is told of items, by event."""
        self.told = Counter[str]() if told is None else told
        self._access = access
        self._fetcher = fetcher
        self._clock = clock

    async def repeat(self) -> None:
        """Collect and send until cancelled."""
        while True:
            try:
                await self.collect()
                while await self.send():
                    pass
            except StoreError as error:
                log.warning("webhooks_not_sent", error=str(error))
            await asyncio.sleep(SEND_EVERY_S)

    async def collect(self) -> int:
        """Create messages for new events; returns how many."""
        now = self._clock.now()
        collected = 0
        for find, collect in ((find_item_events, collect_item_events), (find_events, collect_events)):
            pending = await self._access.read(find)
            if pending is not None and (pending.deliveries or pending.is_far):
                added = await self._access.write(partial(collect, now=now))
                collected += len(added)
                self._count(added)
        return collected

    def _count(self, added: Sequence[NewDelivery]) -> None:
        for delivery in added:
            if delivery.event in ITEM_EVENTS:
                self.told[delivery.event] += delivery.changes

    async def send(self) -> int:
        """Send messages that are due, several concurrently; returns how many."""
        now = self._clock.now()
        if not await self._access.read(partial(is_due, now=now)):
            return 0
        token = str(uuid.uuid4())
        taken = await self._access.write(lambda connection: claim_messages(connection, token, BATCH, now))
        async with asyncio.TaskGroup() as group:
            for message in taken:
                group.create_task(self._try(message, token))
        return len(taken)

    async def _try(self, message: WebhookMessage, token: str) -> None:
        answer = await self._post(message)
        reach("webhooks.sent")
        now = self._clock.now()
        attempt = plan_attempt(message.delivery.attempts + 1, answer, now)
        try:
            await self._access.write(
                lambda connection: save_attempt(connection, message.delivery, token, attempt, now)
            )
        except StoreError as error:
            # Its lock expires, and it is sent again.
            log.warning("delivery_not_noted", delivery=message.delivery.id, error=str(error))

    async def _post(self, message: WebhookMessage) -> Response | Failure | SecretError:
        now = self._clock.now()
        try:
            secrets = message.open_secrets(self._access.vault)
            return await self._fetcher.fetch(build_request(message, secrets, now))
        except SecretError as error:
            log.warning("webhook_not_signed", webhook=message.delivery.webhook_id, error=str(error))
            return error
        except Exception as error:
            # A bug that one message triggered: the other messages are sent all the same.
            log.error("delivery_failed", delivery=message.delivery.id, exc_info=error)
            detail = f"internal error: {type(error).__name__}"
            return Failure(kind=FailureKind.INTERNAL, detail=detail, is_transient=True, started_at=now)


def build_request(message: WebhookMessage, secrets: Sequence[str], now: Instant) -> Request:
    delivery = message.delivery
    body = delivery.payload.encode()
    return Request(
        url=message.url,
        html_only=False,
        max_bytes=ANSWER_BYTES,
        truncate=True,
        timeout_s=DEADLINE_S,
        body=body,
        headers=(
            b"Content-Type: application/json",
            f"Tenax-Event: {delivery.event}".encode(),
            f"Tenax-Delivery: {delivery.id}".encode(),
            f"{SIGNATURE}: {sign(secrets, body, int(now))}".encode(),
        ),
    )


def plan_attempt(number: int, answer: Response | Failure | SecretError, now: Instant) -> DeliveryAttempt:
    """`number`: of the attempt, from 1."""
    status = answer.status if isinstance(answer, Response) else None
    if status is not None and 200 <= status < 300:
        return DeliveryAttempt(state=DeliveryState.DELIVERED, next_try_at=None, status=status, error=None)
    error = _explain(answer)
    if isinstance(answer, Failure) and answer.kind is FailureKind.LOCAL:
        # This machine could not send it, so it does not count as an attempt.
        return DeliveryAttempt(
            state=DeliveryState.PENDING,
            next_try_at=now + SHORTAGE_PAUSE_S,
            status=None,
            error=error,
            counts=False,
        )
    if number >= TRIES:
        return DeliveryAttempt(state=DeliveryState.FAILED, next_try_at=None, status=status, error=error)
    pause_s = min(FIRST_PAUSE_S * 2.0 ** (number - 1), LONGEST_PAUSE_S)
    return DeliveryAttempt(state=DeliveryState.PENDING, next_try_at=now + pause_s, status=status, error=error)


def _explain(answer: Response | Failure | SecretError) -> str:
    if isinstance(answer, SecretError):
        return f"the message could not be signed: {answer}"
    if isinstance(answer, Failure):
        return answer.detail
    if 300 <= answer.status < 400:
        return f"the receiver answered {answer.status}: redirects are not followed"
    return f"the receiver answered {answer.status}"
