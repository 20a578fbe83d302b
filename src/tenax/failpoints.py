"""Named places where a test can make the process die, to prove that dying there loses nothing.

TENAX_FAILPOINT=settle.before_commit:3 ends the process, as kill -9 would, the third time it comes by.
"""

import os

EXIT_CODE = 137

_name, _, _count = os.environ.get("TENAX_FAILPOINT", "").partition(":")
_left = int(_count or 1)


def reach(name: str) -> None:
    global _left
    if name != _name:
        return
    _left -= 1
    if _left <= 0:
        os._exit(EXIT_CODE)
