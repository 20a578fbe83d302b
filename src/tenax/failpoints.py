"""Named places in the code where a test can kill the process, to prove that nothing is lost.

TENAX_FAILPOINT=settle.before:3 ends the process, as kill -9 would, the third time it gets there.
TENAX_FAILPOINT=read@/p/3.html does so the first time it reads a page whose url ends with /p/3.html.
TENAX_FAILPOINT=read@/p/3.html!SIGSEGV does so with a signal.
"""

import os
import signal

EXIT_CODE = 137

_place, _, _count = os.environ.get("TENAX_FAILPOINT", "").partition(":")
_place, _, _signal = _place.partition("!")
_name, _, _detail = _place.partition("@")
_left = int(_count or 1)


def reach(name: str, detail: str = "") -> None:
    global _left
    if name != _name or not detail.endswith(_detail):
        return
    _left -= 1
    if _left <= 0:
        if _signal:
            os.kill(os.getpid(), signal.Signals[_signal])
        os._exit(EXIT_CODE)
