"""Waits for a run to join, for workers that belong to a store and not to a crawl."""

import asyncio
import contextlib
import signal
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence

from tenax.config import parse_ordered
from tenax.errors import StoreError
from tenax.records import RunState
from tenax.runtime.runs import list_open_runs
from tenax.stores.contracts.runs import LastRun
from tenax.stores.place import Place
from tenax.workers.process import ORPHANED, STOP_SIGNALS

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 5.0
LONGEST_REST_S = 60.0  # of a run that cannot be worked on


class RunFinder:
    """Until there is something to do. This process has no workers itself, so it may open the store."""

    def __init__(
        self,
        place: Place,
        *,
        until_idle: bool,
        longest_pause_s: float = LONGEST_PAUSE_S,
        say: Callable[[str], None],
        leave_at_once: Callable[[], None],
        find_busy: Callable[[], Collection[int]],
        has_room: Callable[[], bool],
    ) -> None:
        """`find_busy`: the runs that this machine is at; `has_room`: it may take on another one."""
        self._place = place
        self._until_idle = until_idle
        self._longest_pause_s = longest_pause_s
        self._say = say
        self._leave_at_once = leave_at_once
        self._find_busy = find_busy
        self._has_room = has_room
        self._said = ""
        self._pause_s = FIRST_PAUSE_S
        self._left: set[int] = set()  # runs in which there was nothing left for this machine
        self._refused: set[int] = set()  # runs that cannot be worked on here
        self._rests: dict[int, tuple[float, float]] = {}  # by run: until when, and for how long
        self.is_stopped = False

    def find(self) -> LastRun | None:
        """A run to work on; None: it was told to stop, or nothing is under way and that is enough."""
        found = asyncio.run(self._find())
        self._said, self._pause_s = "", FIRST_PAUSE_S
        return None if self.is_stopped else found

    def leave(self, run_id: int) -> None:
        """Nothing is left in the run: whoever comes back at once would only keep it open."""
        self._left.add(run_id)
        self._rests.pop(run_id, None)

    def put_off(self, run_id: int) -> None:
        """Something failed that may pass: give it a moment, a longer one each time."""
        rest_s = min(2 * self._rests.get(run_id, (0.0, FIRST_PAUSE_S / 2))[1], LONGEST_REST_S)
        self._rests[run_id] = (time.monotonic() + rest_s, rest_s)

    def give_up(self, run_id: int) -> None:
        """The run cannot be worked on here, now or later."""
        self._refused.add(run_id)

    async def _find(self) -> LastRun | None:
        task = asyncio.create_task(self._poll())
        async with self._listening(task):
            try:
                return await task
            except asyncio.CancelledError:
                return None

    async def _poll(self) -> LastRun | None:
        while True:
            try:
                runs = await self._list_runs()
            except StoreError as error:
                if not error.is_transient:
                    raise
                self._say_once("trouble", f"{error} Waiting for it.")
            else:
                busy = self._find_busy()
                self._forget_ended(runs)
                if (found := self._choose(runs, busy)) is not None:
                    self._left.discard(found.run.id)
                    return found
                if self._until_idle and not busy and not _are_running(runs):
                    return None
                if not busy:
                    waits_for = self._describe(runs)
                    self._say_once(waits_for, waits_for)
            await self._pause()

    async def _list_runs(self) -> list[LastRun]:
        return [each for each in await list_open_runs(self._place) if each.run.id not in self._refused]

    def _choose(self, runs: Sequence[LastRun], busy: Collection[int]) -> LastRun | None:
        """The one with the fewest workers: nobody waits while others have more than they need."""
        if not self._has_room():
            return None
        now = time.monotonic()
        free = [
            each
            for each in runs
            if each.run.id not in busy
            and may_join(each, self._left)
            and self._rests.get(each.run.id, (0.0, 0.0))[0] <= now
        ]
        return min(free, key=lambda each: each.live_workers, default=None)

    def _forget_ended(self, runs: Sequence[LastRun]) -> None:
        open_ids = {each.run.id for each in runs}
        self._left &= open_ids
        self._rests = {run_id: rest for run_id, rest in self._rests.items() if run_id in open_ids}

    def _describe(self, runs: Sequence[LastRun]) -> str:
        if not runs:
            return f"Waiting for a run in {self._place}; 'tenax crawl URL {self._place.option}' starts one."
        newest = runs[-1].run
        if newest.state is RunState.PAUSED:
            return f"Run {newest.id} is paused; waiting until somebody resumes it."
        return f"Others go on with run {newest.id}; waiting until there is something to do."

    def _say_once(self, kind: str, sentence: str) -> None:
        """`kind`: the same while nothing has changed that is worth another sentence."""
        if self._said != kind:
            self._said = kind
            self._pause_s = FIRST_PAUSE_S
            self._say(sentence)

    async def _pause(self) -> None:
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(1.5 * self._pause_s, self._longest_pause_s)

    @contextlib.asynccontextmanager
    async def _listening(self, task: asyncio.Task[LastRun | None]) -> AsyncIterator[None]:
        """Signals are held back elsewhere: one that came between two runs is heard here."""
        loop = asyncio.get_running_loop()

        def stop() -> None:
            self.is_stopped = True
            task.cancel()

        def stop_or_leave() -> None:
            if self.is_stopped:
                self._leave_at_once()
            stop()

        handlers = {**dict.fromkeys(STOP_SIGNALS, stop_or_leave), ORPHANED: stop}
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
        held_back = signal.pthread_sigmask(signal.SIG_UNBLOCK, handlers)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held_back)
            # One that came a moment ago: the loop hears of it in its next round, and calls in the one after.
            for _ in range(2):
                await asyncio.sleep(0)
            for number in handlers:
                loop.remove_signal_handler(number)


def _are_running(runs: Sequence[LastRun]) -> bool:
    return any(each.run.state is RunState.RUNNING for each in runs)


def may_join(last: LastRun, left: Collection[int]) -> bool:
    """Whether there is something to do in the run for those who have left these."""
    if last.run.state is not RunState.RUNNING:
        return False
    if last.run.id not in left or not last.live_workers:
        return True  # also one that nobody is at any more: somebody has to close it
    limit = parse_ordered(last.settings_json).limits.max_pages
    return last.can_claim and (limit is None or last.run.pages < limit)
