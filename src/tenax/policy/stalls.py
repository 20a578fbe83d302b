"""Whether a worker is stalled, why, and what it does about it.

A worker is stalled when it has done nothing for long although something is due. Waiting for politeness, for a
domain that rests, for a server within its timeout or for a store that is tried again is not a stall. A false
alarm does more harm than a late one, so time that nobody was running (a suspended laptop, SIGSTOP) never
counts.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from tenax.clock import Instant
from tenax.record import record
from tenax.wording import as_sentence

MB: Final = 1_000_000
# The loop notes every tenth of a second that it turns. After a longer gap the process was not running, or the
# machine was overloaded: nothing that happened before counts.
STEADY_S: Final = 5.0
LEAST_DISK_BYTES: Final = MB  # a batch fails with less
SLOW_LOOP_S: Final = 1.0
# In a row: a page may need much memory for a moment, and the system takes freed memory back late.
MEMORY_SAMPLES: Final = 5
# With the same unexplained verdict. The first one wakes the worker up, which may be enough.
CHECKS_BEFORE_RESTART: Final = 2


class StallCause(StrEnum):
    STORE = "store"  # it does not answer, or an operation on it does not end
    DISK = "disk"  # it is full
    NETWORK = "network"  # this machine has lost its network
    DNS = "dns"  # no name server answers
    MEMORY = "memory"  # results take all the memory they may, and none of them is stored
    LOOP = "loop"  # the event loop turns too slowly
    WORKER = "worker"  # all of these work: the fault is the worker's own


class StallAction(StrEnum):
    WAIT = "wait"
    WAKE = "wake"  # look again for everything that is due
    GIVE_UP = "give_up"  # the store: leave the run to whoever can use it
    RESTART = "restart"  # give everything back and let another process continue


ADVICE: Final = {
    StallCause.STORE: "Check the database server or the disk of the store, and who holds locks in it.",
    StallCause.DISK: "Free disk space on the machine of the worker.",
    StallCause.NETWORK: "Check the network of the machine that crawls. The crawl continues by itself.",
    StallCause.DNS: "Check the name servers of the machine that crawls, or set fetch.dns_servers.",
    StallCause.MEMORY: "Nothing: the worker restarts itself. If it happens again, raise worker.memory_mb.",
    StallCause.LOOP: "Check the load of the machine that crawls, or lower worker.concurrency.",
    StallCause.WORKER: "Nothing: the worker restarts itself. Please report it, with the log.",
}


@record
class Stall:
    """A worker that is stalled."""

    cause: StallCause
    sentence: str
    began_at: Instant


@record
class StallEvidence:
    """What a worker finds when it examines itself."""

    idle_s: float  # without any action, while something was due
    operation: str | None  # of the store, that has not ended
    store_error: str | None  # why a query was not answered; None: it was
    store_s: float  # how long that took
    disk_free_bytes: int | None  # None: unknown
    rss_bytes: int
    is_full: bool  # answers and results take all the memory they may
    lag_s: float  # by which the event loop is late
    network: str | None  # what is known to be wrong with it
    answered_s: float | None  # since the last answer of any server; None: none yet
    names: str | None  # why no name server answers; None: one does, or none is needed
    longest_url: str | None  # of the longest visit under way
    longest_s: float


def measure_idle(now: float, *, acted_at: float, due_since: float | None, steady_since: float) -> float:
    """How long nothing was done although something was due, by a clock that cannot be set. `steady_since`:
    when the process was last seen running after a gap."""
    return 0.0 if due_since is None else now - max(acted_at, due_since, steady_since)


def diagnose(evidence: StallEvidence) -> tuple[StallCause, str]:
    """The first thing that is wrong, and a sentence about it."""
    free = evidence.disk_free_bytes
    if evidence.store_error is not None:
        return StallCause.STORE, as_sentence(f"The store does not answer: {evidence.store_error}")
    if free is not None and free < LEAST_DISK_BYTES:
        return StallCause.DISK, f"The disk is full: {free:,} bytes are left."
    if evidence.operation is not None:
        return StallCause.STORE, (
            f"The store answers a query, but the operation {evidence.operation!r} has not ended for"
            f" {evidence.idle_s:.0f} s."
        )
    if evidence.network is not None:
        return StallCause.NETWORK, as_sentence(f"The network does not work: {evidence.network}")
    if evidence.names is not None:
        return StallCause.DNS, as_sentence(f"No name server answers: {evidence.names}")
    return _diagnose_worker(evidence)


def _diagnose_worker(evidence: StallEvidence) -> tuple[StallCause, str]:
    if evidence.is_full:
        return StallCause.MEMORY, "Results take all the memory they may, and none of them is being stored."
    if evidence.lag_s > SLOW_LOOP_S:
        return StallCause.LOOP, f"The event loop is {evidence.lag_s:.1f} s late."
    return StallCause.WORKER, (
        f"Urls have been due for {evidence.idle_s:.0f} s, and none was requested, although store, disk,"
        " network and memory are well."
    )


def plan_action(evidence: StallEvidence, cause: StallCause, checks: int, store_checks: int) -> StallAction:
    """`checks`: in a row with this cause. A slow store, a network that is down and a full disk are waited
    for; only what another process could do better ends this one."""
    if cause is StallCause.STORE and evidence.store_error is not None:
        return StallAction.GIVE_UP if checks >= store_checks else StallAction.WAIT
    if cause in (StallCause.WORKER, StallCause.MEMORY):
        return StallAction.RESTART if checks >= CHECKS_BEFORE_RESTART else StallAction.WAKE
    return StallAction.WAIT


def exceeds_memory(samples: Sequence[int], limit_bytes: int) -> bool:
    """Whether a worker needs more than it may, judged by the last samples, each taken after collecting."""
    last = samples[-MEMORY_SAMPLES:]
    return len(last) == MEMORY_SAMPLES and min(last) > limit_bytes


def add_silence(silent_s: float, passed_s: float, every_s: float) -> float:
    """How long an event loop has not turned, as seen by a thread that looks every `every_s` seconds and that
    may itself have been stopped in between."""
    return silent_s + min(passed_s, 2 * every_s)
