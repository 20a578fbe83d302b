"""Loads scripts of users without running their crawlers."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_loading: ContextVar[bool] = ContextVar("_is_loading", default=False)


class ReachedRun(BaseException):
    """A script that is only loaded would crawl now. `except Exception` does not catch it."""


@contextmanager
def loading() -> Iterator[None]:
    """Inside, a script that would run its crawler ends there."""
    token = _is_loading.set(True)
    try:
        yield
    except ReachedRun:
        pass
    finally:
        _is_loading.reset(token)


def refuse_while_loading() -> None:
    """To be called before a crawler is run."""
    if _is_loading.get():
        raise ReachedRun
