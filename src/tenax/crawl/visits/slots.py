"""Room for requests: slots for domains that answer, and many cheaper ones for domains that do not.

Answers are work, and a worker can do only so much of it. Waiting for a silent domain costs memory and a
descriptor but no work, so it must not keep other domains from being requested.
"""

from collections import deque
from collections.abc import Callable
from time import monotonic

from tenax.crawl.domains.leased_domain import LeasedDomain, Responsiveness

PROMPT_S = 1.0
WAITS_PER_SLOT = 10
# Measured: a request that waits without TLS, and one that waits in the handshake or after it.
PLAIN_BYTES, TLS_BYTES = 10_000, 100_000

# Reading members through their class would cost more than everything else in here.
_PROMPT, _UNKNOWN, _SLOW = Responsiveness.PROMPT, Responsiveness.UNKNOWN, Responsiveness.SLOW

# Shares of the waiting slots, for requests that start there: slow domains leave some to unknown ones, and
# both leave some to domains that used to answer.
_SHARES = {_UNKNOWN: 0.75, _SLOW: 0.5}
# Shares of the working slots, when there is no room to wait: where all are slow, about as many run as ever.
_LOANS = {_UNKNOWN: 0.6, _SLOW: 0.5}


def count_slots(concurrency: int) -> int:
    """Slots of all kinds, if the machine has room for them."""
    return concurrency * (1 + WAITS_PER_SLOT)


class Slot:
    """What one request holds from its start to its end."""

    __slots__ = ("bytes", "domain", "is_borrowed", "is_over", "is_silent", "is_waiting", "since_s")

    def __init__(self, domain: LeasedDomain, weight_bytes: int, since_s: float) -> None:
        self.domain = domain
        self.bytes = weight_bytes
        self.since_s = since_s
        self.is_waiting = False  # it takes no working slot
        self.is_borrowed = False  # it takes a working slot that belongs to domains that answer
        self.is_silent = False  # without an answer for longer than PROMPT_S
        self.is_over = False


class Slots:
    """Mutable, of one worker. Times are monotonic: a clock that is set must not make anybody slow."""

    def __init__(
        self,
        concurrency: int,
        waiting_bytes: int,
        *,
        most_waiting: int,
        time: Callable[[], float] = monotonic,
    ) -> None:
        """`waiting_bytes`: memory for waiting requests. `most_waiting`: limited by descriptors."""
        self.concurrency = concurrency
        self.most_waiting = most_waiting
        self._most_bytes = waiting_bytes
        self._time = time
        self._young: deque[Slot] = deque()  # in the order of their start, over or not
        self._stuck: deque[Slot] = deque()  # silent, but in a working slot for lack of room to wait
        self._waiting_bytes = 0
        self._borrowed = 0
        self.working = 0
        self.waiting = 0
        self.silent = 0

    @property
    def in_flight(self) -> int:
        return self.working + self.waiting

    @property
    def is_busy(self) -> bool:
        """At least half of the working slots are in use."""
        return 2 * (self.in_flight - self.silent) >= self.concurrency

    @property
    def is_silent(self) -> bool:
        """No request in flight has been answered for longer than a moment."""
        return 0 < self.in_flight <= self.silent

    @property
    def has_work_room(self) -> bool:
        return self.working < self.concurrency

    def list_open(self) -> tuple[Responsiveness, ...]:
        """The groups of domains of which another request may start, in order of preference."""
        opened: tuple[Responsiveness, ...] = ()
        if self._is_open(_SLOW):
            opened = (_UNKNOWN, _SLOW)
        elif self._is_open(_UNKNOWN):
            opened = (_UNKNOWN,)
        return (_PROMPT, *opened) if self.working < self.concurrency else opened

    def take(self, domain: LeasedDomain, url: str) -> Slot:
        """A request starts, of a domain whose group is open."""
        slot = Slot(domain, TLS_BYTES if url.startswith("https:") else PLAIN_BYTES, self._time())
        self._young.append(slot)
        if domain.manner is _PROMPT:
            self.working += 1
        elif self._has_waiting_room(_SHARES[domain.manner]):
            self._begin_waiting(slot)
        else:
            self.working += 1
            self._borrowed += 1
            slot.is_borrowed = True
        return slot

    def give_back(self, slot: Slot) -> None:
        """The request has ended; its duration decides the group of its domain."""
        slot.is_over = True
        is_prompt = self._time() < slot.since_s + PROMPT_S
        slot.domain.manner = _PROMPT if is_prompt else _SLOW
        if slot.is_silent:
            slot.domain.silent -= 1
            self.silent -= 1
        if slot.is_waiting:
            self.waiting -= 1
            self._waiting_bytes -= slot.bytes
        else:
            self._stop_working(slot)

    def sweep(self) -> None:
        """Find requests that have become silent. They leave their slots, as far as there is room to wait."""
        late_s = self._time() - PROMPT_S
        while self._young and (self._young[0].is_over or self._young[0].since_s <= late_s):
            slot = self._young.popleft()
            if slot.is_over:
                continue
            slot.is_silent = True
            slot.domain.manner = _SLOW
            slot.domain.silent += 1
            self.silent += 1
            if not slot.is_waiting:
                self._stuck.append(slot)
        while self._stuck and (self._stuck[0].is_over or self._has_waiting_room(1.0)):
            slot = self._stuck.popleft()
            if not slot.is_over:
                self._stop_working(slot)
                self._begin_waiting(slot)

    def find_sweep_s(self) -> float | None:
        """Seconds until a request may become silent whose slot is needed; None: none is needed."""
        if self.has_work_room or not self._young:
            return None
        return max(self._young[0].since_s + PROMPT_S - self._time(), 0.0)

    def _is_open(self, manner: Responsiveness) -> bool:
        if self._has_waiting_room(_SHARES[manner]):
            return True
        return self.has_work_room and self._borrowed < max(1, self.concurrency * _LOANS[manner])

    def _has_waiting_room(self, share: float) -> bool:
        return (
            self.waiting < share * self.most_waiting
            and self._waiting_bytes + TLS_BYTES <= share * self._most_bytes
        )

    def _begin_waiting(self, slot: Slot) -> None:
        slot.is_waiting = True
        self.waiting += 1
        self._waiting_bytes += slot.bytes

    def _stop_working(self, slot: Slot) -> None:
        self.working -= 1
        self._borrowed -= slot.is_borrowed
        slot.is_borrowed = False
