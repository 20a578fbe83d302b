"""Errors as they are kept: a message, the frames of the user's code, a fingerprint that groups those that are
alike.
"""

import re
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType
from typing import Final

import xxhash

from tenax.records.items import MAX_MESSAGE_CHARS, MAX_STACK_CHARS, ErrorCategory, LoggedError

MAX_FRAMES: Final = 20  # the innermost
MAX_TYPE_CHARS: Final = 200
_OURS: Final = str(Path(__file__).parents[1]) + "/"
_STANDARD: Final = sysconfig.get_path("stdlib") + "/"
_INSTALLED: Final = ("/site-packages/", "/dist-packages/")
# What is quoted, addresses, and words with digits. Linear: only the last quote of each kind can lack its
# partner, and a word is looked at from its beginning alone.
_VALUES: Final = re.compile(r"'[^']*'|\"[^\"]*\"|https?://\S+|(?<![\w.,:-])[\w.,:-]*[0-9][\w.,:-]*")


def build_error(
    category: ErrorCategory,
    kind: str,
    message: str,
    *,
    stack: str | None = None,
    place: str = "",
    parser: str | None = None,
) -> LoggedError:
    """`place`: file and function in which it happened."""
    message = _cut(message, MAX_MESSAGE_CHARS)
    alike = "\n".join((category.value, kind, place, _VALUES.sub("?", message), parser or ""))
    return LoggedError(
        category=category,
        type=kind[:MAX_TYPE_CHARS],
        message=message,
        stack=None if stack is None else _cut(stack, MAX_STACK_CHARS),
        fingerprint=_sign(xxhash.xxh3_64_intdigest(alike.encode("utf-8", "replace"))),
        parser=parser,
    )


def build_fault(kind: str, message: str, parser: str) -> LoggedError:
    """An error of a parser that no exception of its own code shows."""
    return build_error(ErrorCategory.HANDLER, kind, message, parser=parser)


def describe_exception(error: BaseException, parser: str) -> LoggedError:
    """An exception that the code of a parser raised."""
    kind = type(error).__name__
    frames = _find_frames(error.__traceback__)
    message = _read_message(error)
    last = frames[-1] if frames else None
    return build_error(
        ErrorCategory.HANDLER,
        kind,
        message or kind,
        stack="".join([*traceback.format_list(frames), f"{kind}: {message}" if message else kind]),
        place=f"{Path(last.filename).name}:{last.name}" if last is not None else "",
        parser=parser,
    )


def _find_frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """The frames of the user's code; of all code, if none is the user's."""
    frames = traceback.extract_tb(trace)
    own = [frame for frame in frames if _is_users(frame.filename)]
    return (own or frames)[-MAX_FRAMES:]


def _is_users(file: str) -> bool:
    if file.startswith(_OURS):
        return False
    return not file.startswith((_STANDARD, "<frozen")) or any(part in file for part in _INSTALLED)


def _read_message(error: BaseException) -> str:
    try:
        return _cut(str(error), MAX_MESSAGE_CHARS)
    except Exception:  # the text of an exception is code of the user, too
        return ""


def _cut(text: str, limit: int) -> str:
    """Without what databases refuse."""
    text = text.replace("\0", "").encode("utf-8", "replace").decode()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _sign(digest: int) -> int:
    return digest - (1 << 64) if digest >> 63 else digest
