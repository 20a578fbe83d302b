"""Bounds the bytes of all bodies that are coming in: past the bound transfers wait, all but one."""

from collections.abc import Callable


class BodyRoom:
    """Shared by the transfers of one fetcher. A transfer that waits keeps its connection; the kernel's
    buffers fill up and its server slows down."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._runner: object | None = None  # the one that may go on, or none would ever end
        self._waiting: dict[object, Callable[[], None]] = {}
        self.held_bytes = 0

    def is_full_for(self, who: object) -> bool:
        """Whether `who` has to wait before it takes more."""
        if self.held_bytes < self._max_bytes or self._runner is who:
            return False
        if self._runner is None:
            self._runner = who
            return False
        return True

    def wait(self, who: object, go_on: Callable[[], None]) -> None:
        """`go_on` is called by `wake` once there is room."""
        self._waiting[who] = go_on

    def leave(self, who: object) -> None:
        """It has ended, well or not."""
        self._waiting.pop(who, None)
        if self._runner is who:
            self._runner = None

    def wake(self) -> None:
        """Let those go on that wait, if there is room now. They may have to wait again."""
        if not self._waiting or (self._runner is not None and self.held_bytes >= self._max_bytes):
            return
        waiting, self._waiting = self._waiting, {}
        for go_on in waiting.values():
            go_on()
