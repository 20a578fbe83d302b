"""What the exit codes of `tenax` mean. docs/exit-codes.md has the same table, with what to do."""

from enum import IntEnum

from tenax.errors import (
    ConfigError,
    InternalError,
    MemoryExceeded,
    StoreGivenUp,
    TenaxError,
    UsageError,
    WorkerError,
)


class Exit(IntEnum):
    DONE = 0  # everything requested is done
    ERROR = 1  # something failed; the message on stderr says what, and what to do
    USAGE = 2  # a command, URL or setting is wrong
    STOPPED = 3  # stopped early by a signal, a user, a domain's page limit or late retries; it can be resumed
    NOTHING = 4  # the crawl ended without fetching a single page
    # A worker ended itself. Whoever started it may start it again: nothing is lost.
    STORE = 69  # the store could not be used for too long
    INTERNAL = 70  # an internal error that could not be contained
    BLOCKED = 71  # its event loop was blocked
    MEMORY = 72  # it needed more memory than promised
    QUIT = 130  # stopped twice: exited at once; run the same command to continue


# Workers that ended with one of these are replaced.
REPLACED = frozenset({Exit.INTERNAL, Exit.BLOCKED, Exit.MEMORY})

_WORDS = {
    Exit.STORE: "the store could not be used",
    Exit.INTERNAL: "internal error",
    Exit.BLOCKED: "event loop blocked",
    Exit.MEMORY: "too much memory",
}


def find_exit(error: TenaxError) -> Exit:
    match error:
        case UsageError() | ConfigError():
            return Exit.USAGE
        case StoreGivenUp():
            return Exit.STORE
        case InternalError():
            return Exit.INTERNAL
        case MemoryExceeded():
            return Exit.MEMORY
        case WorkerError():
            return Exit(error.exit_code)
    return Exit.ERROR


def describe_exit(code: int) -> str:
    words = _WORDS.get(Exit(code)) if code in Exit._value2member_map_ else None
    return f"exit code {code}" if words is None else f"exit code {code}: {words}"
