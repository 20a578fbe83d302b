"""Limits the memory of all response bodies in transit: beyond the limit all transfers but one wait."""

from collections.abc import Callable


class BodyBudget:
    """Shared by the transfers of a fetcher. A transfer that waits keeps its connection: the kernel's buffers
    fill up and its server slows down."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        # One transfer may exceed the limit. Otherwise all would wait forever.
        self._exempt: object | None = None
        self._waiting: dict[object, Callable[[], None]] = {}
        self._complete_bytes = 0
        self.is_closed = False  # no transfer may receive more
        self.held_bytes = 0

    def must_wait(self, transfer: object) -> bool:
        """Whether the transfer has to wait before it receives more."""
        if self.is_closed:
            return True
        if not self._is_exhausted() or self._exempt is transfer:
            return False
        if self._exempt is None and not self._complete_bytes:
            self._exempt = transfer
            return False
        return True

    def wait(self, transfer: object, resume: Callable[[], None]) -> None:
        """Register a transfer; `wake` calls `resume` once there is budget again."""
        self._waiting[transfer] = resume

    def leave(self, transfer: object, held_bytes: int) -> None:
        """Release the bytes of a transfer that has ended, successfully or not."""
        self.held_bytes -= held_bytes
        self._waiting.pop(transfer, None)
        if self._exempt is transfer:
            self._exempt = None

    def keep(self, complete_bytes: int) -> None:
        """Count a complete body that is not delivered yet. Until then no transfer exceeds the limit."""
        self._complete_bytes += complete_bytes
        self.held_bytes += complete_bytes

    def hand_over(self, complete_bytes: int) -> None:
        """Release a body that is being delivered."""
        self._complete_bytes -= complete_bytes
        self.held_bytes -= complete_bytes

    def wake(self) -> None:
        """Resume the waiting transfers if there is budget now. They may have to wait again."""
        if not self._waiting or self.is_closed or (self._is_exhausted() and self._is_about_to_free()):
            return
        waiting, self._waiting = self._waiting, {}
        for resume in waiting.values():
            resume()

    def _is_exhausted(self) -> bool:
        return self.held_bytes >= self._max_bytes

    def _is_about_to_free(self) -> bool:
        """Whether bytes will be freed without resuming a transfer. While the budget is closed, the exempt
        transfer waits like all others."""
        return bool(self._complete_bytes) or (self._exempt is not None and self._exempt not in self._waiting)
