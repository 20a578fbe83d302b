"""Bounds the bytes of all bodies that are coming in: past the bound transfers wait, all but one."""

from collections.abc import Callable


class BodyRoom:
    """Shared by the transfers of one fetcher. A transfer that waits keeps its connection; the kernel's
    buffers fill up and its server slows down."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._runner: object | None = None  # the one that may go on, or none would ever end
        self._waiting: dict[object, Callable[[], None]] = {}
        self._whole_bytes = 0
        self.is_closed = False  # nobody takes more
        self.held_bytes = 0

    def is_full_for(self, who: object) -> bool:
        """Whether `who` has to wait before it takes more."""
        if self.is_closed:
            return True
        if not self._is_full() or self._runner is who:
            return False
        if self._runner is None and not self._whole_bytes:
            self._runner = who
            return False
        return True

    def wait(self, who: object, go_on: Callable[[], None]) -> None:
        """`go_on` is called by `wake` once there is room."""
        self._waiting[who] = go_on

    def leave(self, who: object, held_bytes: int) -> None:
        """It has ended, well or not."""
        self.held_bytes -= held_bytes
        self._waiting.pop(who, None)
        if self._runner is who:
            self._runner = None

    def keep(self, whole_bytes: int) -> None:
        """A body is whole and not handed over yet; until it is, nobody goes on in a full room."""
        self._whole_bytes += whole_bytes
        self.held_bytes += whole_bytes

    def hand_over(self, whole_bytes: int) -> None:
        self._whole_bytes -= whole_bytes
        self.held_bytes -= whole_bytes

    def wake(self) -> None:
        """Let those go on that wait, if there is room now. They may have to wait again."""
        if not self._waiting or self.is_closed or (self._is_full() and self._is_busy()):
            return
        waiting, self._waiting = self._waiting, {}
        for go_on in waiting.values():
            go_on()

    def _is_full(self) -> bool:
        return self.held_bytes >= self._max_bytes

    def _is_busy(self) -> bool:
        """Something is about to make room, so that nobody else need go on. The runner waits like all others
        while the room is closed."""
        return bool(self._whole_bytes) or (self._runner is not None and self._runner not in self._waiting)
