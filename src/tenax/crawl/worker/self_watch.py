"""A worker watches itself: finds out that it is stalled, why, and acts; ends requests that hang; keeps to its
memory. What is judged how is in policy/stalls.py."""

import asyncio
import ctypes
import gc
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from time import monotonic

from tenax.crawl.domains.phases import Phase
from tenax.crawl.worker.diagnosis import WatchedParts, find_hung_operation, gather_evidence
from tenax.crawl.worker.heartbeat import read_rss_bytes
from tenax.errors import InternalError, MemoryExceeded, StoreGivenUp
from tenax.policy.stalls import (
    MB,
    MEMORY_SAMPLES,
    STEADY_S,
    Stall,
    StallAction,
    diagnose,
    exceeds_memory,
    measure_idle,
    plan_action,
)
from tenax.telemetry import log

LOOK_EVERY_S = 1.0
EXAMINE_EVERY_S = 30.0
MEMORY_EVERY_S = 2.0
USUAL_START_BYTES = 80 * MB  # what a worker takes before it has done anything


class SelfWatch:
    def __init__(
        self,
        parts: WatchedParts,
        *,
        time: Callable[[], float] = monotonic,
        read_memory: Callable[[], int] = read_rss_bytes,
    ) -> None:
        self._parts = parts
        self._settings = parts.context.settings.watchdog
        self._activity = parts.memory.activity
        self._time = time
        self._read_memory = read_memory
        fetch, robots = parts.context.settings.fetch, parts.context.settings.robots
        self._request_s = max(fetch.timeout_s, robots.timeout_s) + self._settings.transfer_s
        self._quiet_s = min(10.0, self._settings.stall_s / 2)
        now = time()
        self._ticked_s = self._looked_s = self._steady_s = self._acted_s = self._sampled_s = now
        self._seen_actions = 0
        self._lag_s = 0.0
        self._due_s: float | None = None
        self._samples: deque[int] = deque(maxlen=MEMORY_SAMPLES)
        # Of a large program that runs a worker in its own process, or was forked to be one.
        self._foreign_bytes = max(read_memory() - USUAL_START_BYTES, 0)
        self._examination: asyncio.Task[None] | None = None
        self._examined_s = -EXAMINE_EVERY_S
        self._checks = 0

    def tick(self, every_s: float) -> None:
        """To be called by the loop every `every_s` seconds."""
        now = self._time()
        gap_s, self._ticked_s = now - self._ticked_s, now
        if gap_s > STEADY_S:
            self._steady_s = now
        self._lag_s = max(self._lag_s, gap_s - every_s)
        if now >= self._looked_s + LOOK_EVERY_S:
            self._looked_s = now
            self._look(now)
            self._lag_s = 0.0

    def stop(self) -> None:
        if self._examination is not None:
            self._examination.cancel()

    # --- looking -----------------------------------------------------------------------------

    def _look(self, now: float) -> None:
        self._end_hung(now)
        self._check_memory(now)
        if self._activity.actions != self._seen_actions:
            self._seen_actions, self._acted_s = self._activity.actions, now
            self._note_well()
        elif now - self._acted_s >= self._quiet_s:
            self._check_stall(now)

    def _end_hung(self, now: float) -> None:
        started_before_s = now - self._request_s
        # Requests had no time to end while the process was not running.
        if self._steady_s < started_before_s:
            self._parts.fetcher.end_overdue(started_before_s, self._request_s)

    def _check_memory(self, now: float) -> None:
        if now < self._sampled_s + MEMORY_EVERY_S:
            return
        self._sampled_s = now
        memory_mb = self._parts.context.settings.worker.memory_mb
        limit_bytes = memory_mb * MB * self._settings.memory_percent // 100
        if self._measure_memory() <= limit_bytes:
            self._samples.clear()
            return
        free_memory()
        self._samples.append(self._measure_memory())
        if exceeds_memory(list(self._samples), limit_bytes):
            used_mb = min(self._samples) // MB
            self._parts.end(
                MemoryExceeded(
                    f"The worker uses {used_mb} MB of memory, and worker.memory_mb is {memory_mb}. It gives"
                    " everything back and ends itself; run the same command to continue."
                )
            )

    def _measure_memory(self) -> int:
        """What the worker takes: less than its process, which may have held something before."""
        return self._read_memory() - self._foreign_bytes

    def _check_stall(self, now: float) -> None:
        if not self._is_due():
            self._note_well()
            return
        if self._due_s is None:
            self._due_s = now
        idle_s = measure_idle(now, acted_at=self._acted_s, due_since=self._due_s, steady_since=self._steady_s)
        every_s = min(EXAMINE_EVERY_S, self._settings.stall_s)
        if idle_s >= self._settings.stall_s and now >= self._examined_s + every_s and not self._is_examining:
            self._examined_s = now
            self._examination = asyncio.get_running_loop().create_task(self._examine(idle_s))

    @property
    def _is_examining(self) -> bool:
        return self._examination is not None and not self._examination.done()

    def _is_due(self) -> bool:
        """Something could be done at once, or should have ended by now."""
        parts, memory = self._parts, self._parts.memory
        blame = memory.blame
        if parts.store_retry.trouble is not None or not blame.headroom.limit or blame.network.is_waiting:
            return False  # that is waited out, and shown
        if find_hung_operation(parts, self._quiet_s) is not None:
            return True
        if memory.slots.in_flight or memory.activity.find_longest_reading() is not None:
            return self._has_ready_domain()  # else they end by themselves
        return parts.agenda.is_full or self._has_ready_domain() or self._has_lost_domain()

    def _has_ready_domain(self) -> bool:
        memory = self._parts.memory
        # With a page limit, domains wait for their turn, and workers for pages that others return.
        if memory.fair_share.is_limited or not self._parts.agenda.has_room():
            return False
        ready_at = memory.pool.next_ready_at(memory.slots.list_open())
        return ready_at is not None and ready_at <= self._parts.context.clock.now()

    def _has_lost_domain(self) -> bool:
        """Nothing is in flight and no operation is active: no domain waits for anything but its time."""
        now = self._parts.context.clock.now()
        return any(
            domain.phase is not Phase.SCHEDULED and domain.ready_at <= now
            for domain in self._parts.memory.pool
        )

    def _note_well(self) -> None:
        self._due_s = None
        self._checks = 0
        if (stall := self._activity.stall) is not None:
            self._activity.stall = None
            log.info(
                "stall_over", cause=stall.cause, seconds=self._parts.context.clock.now() - stall.began_at
            )

    # --- examining ---------------------------------------------------------------------------

    async def _examine(self, idle_s: float) -> None:
        evidence = await gather_evidence(self._parts, idle_s, self._lag_s, self._read_memory())
        if self._due_s is None:
            return  # it goes on
        cause, sentence = diagnose(evidence)
        earlier = self._activity.stall
        self._checks = self._checks + 1 if earlier is not None and earlier.cause is cause else 1
        action = plan_action(evidence, cause, self._checks, self._settings.store_checks)
        began_at = self._parts.context.clock.now() - idle_s if earlier is None else earlier.began_at
        self._activity.stall = Stall(cause=cause, sentence=sentence, began_at=began_at)
        log.error("stall_detected", cause=cause, verdict=sentence, action=action, **asdict(evidence))
        self._act(action, sentence)

    def _act(self, action: StallAction, sentence: str) -> None:
        if action is StallAction.WAKE:
            self._parts.wake()
        elif action is StallAction.GIVE_UP:
            self._parts.end(StoreGivenUp(f"{sentence} Run the same command to continue."))
        elif action is StallAction.RESTART:
            self._parts.end(
                InternalError(f"The worker was stalled. {sentence} Run the same command to continue.")
            )


def free_memory() -> None:
    """Collect garbage, and return free memory to the system where its library can."""
    gc.collect()
    if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
