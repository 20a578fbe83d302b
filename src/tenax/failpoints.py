"""Named places in the code where a test can kill the process, to prove that nothing is lost.

TENAX_FAILPOINT=settle.before:3 ends the process, as kill -9 would, the third time it gets there.
TENAX_FAILPOINT=read@/p/3.html does so the first time it reads a page whose url ends with /p/3.html.
TENAX_FAILPOINT=read@/p/3.html!SIGSEGV does so with a signal.
TENAX_FAILPOINT=settle.before!BLOCK blocks the thread forever, !SPIN does so at full speed, !RAISE raises.
TENAX_FAILPOINT=settle.before:3~FILE happens to one process only, the one that creates the file.
"""

import os
import signal
import time

EXIT_CODE = 137
BLOCK, SPIN, RAISE = "BLOCK", "SPIN", "RAISE"

_place, _, _once = os.environ.get("TENAX_FAILPOINT", "").partition("~")
_place, _, _count = _place.partition(":")
_place, _, _action = _place.partition("!")
_name, _, _detail = _place.partition("@")
_left = int(_count or 1)


def reach(name: str, detail: str = "") -> None:
    if not is_reached(name, detail):
        return
    while _action == BLOCK:
        time.sleep(1)
    while _action == SPIN:
        pass
    if _action == RAISE:
        raise RuntimeError(f"failpoint {name}")
    if _action:
        os.kill(os.getpid(), signal.Signals[_action])
    os._exit(EXIT_CODE)


def is_reached(name: str, detail: str = "") -> bool:
    """For a place that knows itself what is to go wrong there."""
    global _left
    if name != _name or not detail.endswith(_detail):
        return False
    _left -= 1
    return _left <= 0 and (not _once or _is_first(_once))


def _is_first(file: str) -> bool:
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
    except FileExistsError:
        return False
    return True
