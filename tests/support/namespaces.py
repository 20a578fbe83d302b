"""Two machines joined by one cable that a test can cut: network namespaces. Needs root, and iproute2.

with Cable() as cable, TestWeb(address=cable.far_ip, launcher=cable.far) as web:
    process = Process(arguments, launcher=cable.near)
    cable.cut()
    cable.mend()
"""

import itertools
import os
import subprocess
from types import TracebackType
from typing import Self

_NUMBERS = itertools.count()


class Cable:
    """Joins a near machine, on which a test crawls, and a far one, on which its web is."""

    near_ip, far_ip = "198.18.0.1", "198.18.0.2"  # the range for tests of network devices

    def __init__(self) -> None:
        name = f"tx{os.getpid()}-{next(_NUMBERS)}"
        self._near, self._far = f"{name}n", f"{name}f"

    @property
    def near(self) -> tuple[str, ...]:
        """Runs the command that follows on the near machine."""
        return ("ip", "netns", "exec", self._near)

    @property
    def far(self) -> tuple[str, ...]:
        return ("ip", "netns", "exec", self._far)

    def __enter__(self) -> Self:
        try:
            self._make()
        except BaseException:
            self._remove()
            raise
        return self

    def _make(self) -> None:
        for name in (self._near, self._far):
            _run("ip", "netns", "add", name)
            _run("ip", "-n", name, "link", "set", "lo", "up")
        _run("ip", "-n", self._near, "link", "add", "near", "type", "veth", "peer", "far", "netns", self._far)
        for name, device, ip in ((self._near, "near", self.near_ip), (self._far, "far", self.far_ip)):
            _run("ip", "-n", name, "address", "add", f"{ip}/24", "dev", device)
            _run("ip", "-n", name, "link", "set", device, "up")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        for name in (self._near, self._far):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)

    def cut(self, *, at_near: bool = False) -> None:
        """Lose everything from now on: at the far end, which the near machine only notices by silence, or at
        the near end, which leaves it without a route."""
        self._set(at_near, "down")

    def mend(self, *, at_near: bool = False) -> None:
        self._set(at_near, "up")

    def _set(self, at_near: bool, state: str) -> None:
        name, device = (self._near, "near") if at_near else (self._far, "far")
        _run("ip", "-n", name, "link", "set", device, state)


def _run(*command: str) -> None:
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, (
        f"this test needs network namespaces (root, iproute2, no sandbox that forbids them):"
        f" {' '.join(command)}: {ended.stderr.strip()}"
    )
