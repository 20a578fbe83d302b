"""Waits for a run to join, for workers that belong to a store and not to a crawl."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

from tenax.config import parse_ordered
from tenax.errors import StoreError
from tenax.records import RunState
from tenax.runtime import find_last_run
from tenax.stores.base import LastRun
from tenax.stores.place import Place
from tenax.workers.process import STOP_SIGNALS

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 5.0


class Waiting:
    """Between two runs. The process has no workers then, so it may open the store itself."""

    def __init__(
        self,
        place: Place,
        *,
        until_idle: bool,
        longest_pause_s: float = LONGEST_PAUSE_S,
        say: Callable[[str], None],
        leave_at_once: Callable[[], None],
    ) -> None:
        self._place = place
        self._until_idle = until_idle
        self._longest_pause_s = longest_pause_s
        self._say = say
        self._leave_at_once = leave_at_once
        self._said = ""
        self._pause_s = FIRST_PAUSE_S
        self._left: int | None = None  # the run in which there was nothing left for this machine
        self._is_put_off = False
        self.is_stopped = False

    def find(self) -> LastRun | None:
        """A run to work on; None: it was told to stop, or nothing is under way and that is enough."""
        found = asyncio.run(self._find())
        self._said, self._pause_s, self._left = "", FIRST_PAUSE_S, None
        return found

    def leave(self, run_id: int) -> None:
        """Nothing is left in the run: whoever comes back at once would only keep it open."""
        self._left = run_id

    def put_off(self) -> None:
        """Something failed that may pass: give it a moment."""
        self._is_put_off = True

    async def _find(self) -> LastRun | None:
        task = asyncio.create_task(self._poll())
        with self._listening(task):
            try:
                return await task
            except asyncio.CancelledError:
                return None

    async def _poll(self) -> LastRun | None:
        if self._is_put_off:
            self._is_put_off = False
            await self._pause()
        while True:
            try:
                last = await find_last_run(self._place)
            except StoreError as error:
                if not error.is_transient:
                    raise
                self._say_once("trouble", f"{error} Waiting for it.")
            else:
                if last is not None and may_join(last, self._left):
                    return last
                if self._until_idle and (last is None or last.run.state is not RunState.RUNNING):
                    return None
                waits_for = self._describe(last)
                self._say_once(waits_for, waits_for)
            await self._pause()

    def _describe(self, last: LastRun | None) -> str:
        if last is not None and last.run.state is RunState.PAUSED:
            return f"Run {last.run.id} is paused; waiting until somebody resumes it."
        if last is not None and last.run.state is RunState.RUNNING:
            return f"Others go on with run {last.run.id}; waiting until there is something to do."
        return f"Waiting for a run in {self._place}; `tenax crawl URL {self._place.option}` starts one."

    def _say_once(self, kind: str, sentence: str) -> None:
        """`kind`: the same while nothing has changed that is worth another sentence."""
        if self._said != kind:
            self._said = kind
            self._pause_s = FIRST_PAUSE_S
            self._say(sentence)

    async def _pause(self) -> None:
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(1.5 * self._pause_s, self._longest_pause_s)

    @contextlib.contextmanager
    def _listening(self, task: asyncio.Task[LastRun | None]) -> Iterator[None]:
        """Signals are held back elsewhere: one that came between two runs is heard here."""
        loop = asyncio.get_running_loop()

        def stop() -> None:
            if self.is_stopped:
                self._leave_at_once()
            self.is_stopped = True
            task.cancel()

        for number in STOP_SIGNALS:
            loop.add_signal_handler(number, stop)
        held_back = signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held_back)
            for number in STOP_SIGNALS:
                loop.remove_signal_handler(number)


def may_join(last: LastRun, left: int | None) -> bool:
    """Whether there is something to do in the run for those who have left `left`."""
    if last.run.state is not RunState.RUNNING:
        return False
    if last.run.id != left or not last.live_workers:
        return True  # also one that nobody is at any more: somebody has to close it
    limit = parse_ordered(last.settings_json).limits.max_pages
    return last.can_claim and (limit is None or last.run.pages < limit)
