"""Finds runs to join, for workers that belong to a store and not to a crawl."""

import asyncio
import contextlib
import signal
import time
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Protocol

from tenax.config.loading import parse_stored
from tenax.errors import StoreError
from tenax.records.runs import RunState
from tenax.runtime.runs import list_open_runs
from tenax.stores.contracts.runs import LastRun
from tenax.stores.place import Place
from tenax.workers.process import ORPHANED, STOP_SIGNALS

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 5.0
LONGEST_REST_S = 60.0  # of a run that cannot be worked on


class RunHost(Protocol):
    """The machine that runs are found for."""

    @property
    def has_room(self) -> bool:
        """Whether it can work on another run."""
        ...

    def find_active(self) -> Collection[int]:
        """The runs that it works on now."""
        ...

    def notify(self, message: str) -> None: ...

    def quit(self) -> None:
        """Exit at once."""
        ...


class RunFinder:
    """Waits until there is work. This process has no workers itself, so it may open the store."""

    def __init__(
        self, place: Place, host: RunHost, *, until_idle: bool, longest_pause_s: float = LONGEST_PAUSE_S
    ) -> None:
        self._place = place
        self._host = host
        self._until_idle = until_idle
        self._longest_pause_s = longest_pause_s
        self._last_notice = ""
        self._pause_s = FIRST_PAUSE_S
        self._exhausted: set[int] = set()  # runs that had no work left for this machine
        self._rejected: set[int] = set()  # runs that cannot be worked on here
        self._rests: dict[int, tuple[float, float]] = {}  # by run: until when, and for how long
        self.is_stopped = False

    def find(self) -> LastRun | None:
        """Wait for a run to work on. None: it was stopped, or no run is active and `until_idle` is set."""
        found = asyncio.run(self._find())
        self._last_notice, self._pause_s = "", FIRST_PAUSE_S
        return None if self.is_stopped else found

    def mark_exhausted(self, run_id: int) -> None:
        """The run has no work left: a worker that came back at once would only keep it open."""
        self._exhausted.add(run_id)
        self._rests.pop(run_id, None)

    def postpone(self, run_id: int) -> None:
        """Leave the run alone for a while after an error that may pass, longer each time."""
        rest_s = min(2 * self._rests.get(run_id, (0.0, FIRST_PAUSE_S / 2))[1], LONGEST_REST_S)
        self._rests[run_id] = (time.monotonic() + rest_s, rest_s)

    def reject(self, run_id: int) -> None:
        """The run can never be worked on here."""
        self._rejected.add(run_id)

    async def _find(self) -> LastRun | None:
        task = asyncio.create_task(self._poll())
        async with self._handling_signals(task):
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
                self._notify_once("trouble", f"{error} Retrying.")
            else:
                active = self._host.find_active()
                self._forget_ended(runs)
                if (found := self._choose(runs, active)) is not None:
                    self._exhausted.discard(found.run.id)
                    return found
                if self._until_idle and not active and not _are_running(runs):
                    return None
                if not active:
                    notice = self._describe_wait(runs)
                    self._notify_once(notice, notice)
            await self._pause()

    async def _list_runs(self) -> list[LastRun]:
        return [each for each in await list_open_runs(self._place) if each.run.id not in self._rejected]

    def _choose(self, runs: Sequence[LastRun], active: Collection[int]) -> LastRun | None:
        """The run with the fewest workers: none starves while others have more than they need."""
        if not self._host.has_room:
            return None
        now = time.monotonic()
        free = [
            each
            for each in runs
            if each.run.id not in active
            and may_join(each, self._exhausted)
            and self._rests.get(each.run.id, (0.0, 0.0))[0] <= now
        ]
        return min(free, key=lambda each: each.live_workers, default=None)

    def _forget_ended(self, runs: Sequence[LastRun]) -> None:
        open_ids = {each.run.id for each in runs}
        self._exhausted &= open_ids
        self._rests = {run_id: rest for run_id, rest in self._rests.items() if run_id in open_ids}

    def _describe_wait(self, runs: Sequence[LastRun]) -> str:
        if not runs:
            command = f"'tenax crawl URL {self._place.option}'"
            return f"Waiting for a run in {self._place}. Start one with {command}."
        newest = runs[-1].run
        if newest.state is RunState.PAUSED:
            return f"Run {newest.id} is paused; waiting for it to be resumed."
        return f"Other workers have all the work of run {newest.id}; waiting for more."

    def _notify_once(self, kind: str, message: str) -> None:
        """Show the message unless the last one was of the same kind."""
        if self._last_notice != kind:
            self._last_notice = kind
            self._pause_s = FIRST_PAUSE_S
            self._host.notify(message)

    async def _pause(self) -> None:
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(1.5 * self._pause_s, self._longest_pause_s)

    @contextlib.asynccontextmanager
    async def _handling_signals(self, task: asyncio.Task[LastRun | None]) -> AsyncIterator[None]:
        """Signals are blocked elsewhere: one that came between two runs is handled here."""
        loop = asyncio.get_running_loop()

        def stop() -> None:
            self.is_stopped = True
            task.cancel()

        def stop_or_quit() -> None:
            if self.is_stopped:
                self._host.quit()
            stop()

        handlers = {**dict.fromkeys(STOP_SIGNALS, stop_or_quit), ORPHANED: stop}
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
        blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, handlers)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            # For a signal that came a moment ago: the loop reads it in its next round, and calls the handler
            # in the one after.
            for _ in range(2):
                await asyncio.sleep(0)
            for number in handlers:
                loop.remove_signal_handler(number)


def _are_running(runs: Sequence[LastRun]) -> bool:
    return any(each.run.state is RunState.RUNNING for each in runs)


def may_join(last: LastRun, exhausted: Collection[int]) -> bool:
    """Whether the run has work for a machine that found no more of it in the `exhausted` runs."""
    if last.run.state is not RunState.RUNNING:
        return False
    if last.run.id not in exhausted or not last.live_workers:
        return True  # also a run without workers: it has to be closed
    limit = parse_stored(last.settings_json).limits.max_pages
    return last.can_claim and (limit is None or last.run.pages < limit)
