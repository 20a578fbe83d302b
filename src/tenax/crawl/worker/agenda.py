"""When each store operation of a worker is due, and what the worker has room for."""

from collections.abc import Iterator

from tenax.clock import Instant
from tenax.crawl.visits.context import RunContext, WorkerMemory
from tenax.crawl.worker.operations import OperationKind, StoreOperations
from tenax.crawl.worker.store_sync import StoreSync
from tenax.fetch.base import Fetcher

DOMAINS_PER_SLOT = 10
FIRST_CLAIM = 8
CLAIM_LIMIT = 64
LEAST_POLL_S = 0.05
IDLE_POLL_S = 0.5
# A user who pauses a run or changes the rules of a domain expects that to take effect soon, even while
# everything waits for politeness.
CHECK_EVERY_S = 1.0
# A machine that becomes short of something, a worker that stalls, and their recovery are reported this soon.
TROUBLE_REPORT_S = 1.0

_Kind = OperationKind
_SETTLE, _CLAIM, _GRANT = _Kind.SETTLE, _Kind.CLAIM, _Kind.GRANT
_CHECK_RUN, _CHECK_RULES = _Kind.CHECK_RUN, _Kind.CHECK_RULES


class Agenda:
    def __init__(
        self,
        context: RunContext,
        memory: WorkerMemory,
        fetcher: Fetcher,
        store_sync: StoreSync,
        operations: StoreOperations,
    ) -> None:
        self._settings = context.settings
        self._held_bytes = context.memory.bodies + context.memory.results
        self._memory = memory
        self._fetcher = fetcher
        self._store_sync = store_sync
        self._operations = operations
        self._next_claim_at: Instant = 0.0
        self._poll_s = LEAST_POLL_S

    # --- room ----------------------------------------------------------------------------------------

    def has_room(self) -> bool:
        """Whether another request may start."""
        return self._can_go_on() and self.count_pages_left() > 0

    @property
    def is_full(self) -> bool:
        """Answers and results take all the memory they may."""
        return self._fetcher.held_bytes + self._memory.unsettled.bytes >= self._held_bytes

    def count_pages_left(self) -> int:
        return self._memory.budget.count_left(self._memory.unsettled.possible_pages)

    def count_claimable(self) -> int:
        """How many domains the next claim asks for."""
        concurrency, held = self._settings.worker.concurrency, len(self._memory.pool)
        # Domains that do not answer leave nothing to do: they do not count, as far as they can wait.
        idle = min(self._memory.pool.count_slow(), self._memory.slots.most_waiting)
        room = concurrency * DOMAINS_PER_SLOT - held + idle
        # Few at first, then as many again: workers that start at the same moment find their shares untaken.
        return min(max(FIRST_CLAIM, held), CLAIM_LIMIT, concurrency, room)

    def _can_go_on(self) -> bool:
        """Whatever more it fetches, it can keep."""
        memory = self._memory
        return (
            memory.slots.in_flight < memory.headroom.limit
            and not memory.unsettled.is_too_long
            and not self.is_full
            and self._store_sync.store_retry.trouble is None
        )

    def _may_claim(self) -> bool:
        # Without pages to spend, more domains would only be kept from other workers.
        is_stuck = self._memory.budget.is_dry and self._wants_pages()
        return self._memory.slots.has_work_room and self._can_go_on() and not is_stuck

    def _wants_pages(self) -> bool:
        return self.count_pages_left() <= 0 and len(self._memory.pool) > 0

    # --- operations ------------------------------------------------------------------------------------

    def iter_due(self, now: Instant) -> Iterator[OperationKind]:
        pool, sync, budget = self._memory.pool, self._store_sync, self._memory.budget
        if self._wants_settling(now):
            yield _SETTLE
        if pool.has_hungry:
            yield _Kind.REFILL
        if pool.has_given_back:
            yield _Kind.RELEASE
        if now >= self._find_renew_at():
            yield _Kind.RENEW
        if now >= sync.run_checked_at + CHECK_EVERY_S:
            yield _CHECK_RUN
        if len(pool) and now >= sync.rules_checked_at + CHECK_EVERY_S:
            yield _CHECK_RULES
        if now >= self._next_claim_at and self._may_claim():
            yield _CLAIM
        if now >= budget.next_grant_at and self._wants_pages():
            yield _GRANT
        if budget.has_spare and budget.max_pages is not None:
            yield _Kind.RETURN_PAGES

    def find_next_at(self, now: Instant) -> Instant:
        """When the worker has something to do next, unless an answer or an operation wakes it earlier."""
        memory, sync, active = self._memory, self._store_sync, self._operations
        instants = [self._find_renew_at()]
        if _CHECK_RUN not in active:
            instants.append(sync.run_checked_at + CHECK_EVERY_S)
        if len(memory.pool) and _CHECK_RULES not in active:
            instants.append(sync.rules_checked_at + CHECK_EVERY_S)
        if not memory.unsettled.is_empty and _SETTLE not in active:
            instants.append(self._find_settle_at())
        if self._may_claim() and _CLAIM not in active:
            instants.append(self._next_claim_at)
        if self._wants_pages() and _GRANT not in active:
            instants.append(memory.budget.next_grant_at)
        if (paused_until := memory.headroom.paused_until) is not None and paused_until > now:
            instants.append(paused_until)
        if self.has_room():
            if (ready_at := memory.pool.next_ready_at(memory.slots.list_open())) is not None:
                instants.append(ready_at)
            if (sweep_s := memory.slots.find_sweep_s()) is not None:
                instants.append(now + sweep_s)
        return min(instants)

    def claim_soon(self) -> None:
        """The next claim may find something at once."""
        self._next_claim_at = 0.0

    def note_claim(self, claimed: int, now: Instant) -> None:
        """After a claim that brought nothing, the next one waits, longer each time."""
        if claimed:
            self._poll_s = LEAST_POLL_S
            return
        self._next_claim_at = now + self._poll_s
        self._poll_s = min(2 * self._poll_s, IDLE_POLL_S)

    def note_release(self) -> None:
        """Perhaps that was the last domain of all: see at once whether anything is left."""
        if not len(self._memory.pool):
            self._next_claim_at = 0.0
            self._poll_s = LEAST_POLL_S

    def _find_renew_at(self) -> Instant:
        sync = self._store_sync
        memory = self._memory
        is_news = (memory.headroom.is_short, memory.activity.stall is not None) != sync.reported
        return sync.renewed_at + (TROUBLE_REPORT_S if is_news else self._settings.worker.lease_s / 3)

    def _wants_settling(self, now: Instant) -> bool:
        unsettled = self._memory.unsettled
        if _SETTLE in self._operations or unsettled.is_empty:
            return False
        # Only what is settled brings pages of the budget back.
        return self._memory.budget.is_dry or unsettled.is_due(now, self._find_settle_at())

    def _find_settle_at(self) -> Instant:
        memory = self._memory
        return memory.unsettled.due_at(memory.pool.next_commit_at(), is_busy=memory.slots.is_busy)
