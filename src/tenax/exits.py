"""What the exit codes of `tenax` mean."""

from enum import IntEnum


class Exit(IntEnum):
    DONE = 0  # everything requested is done
    ERROR = 1  # something failed; the message on stderr says what, and what to do
    USAGE = 2  # a command, URL or setting is wrong
    STOPPED = 3  # stopped early by a signal, a user, a domain's page limit or late retries; it can be resumed
    NOTHING = 4  # the crawl ended without fetching a single page
    QUIT = 130  # stopped twice: exited at once; run the same command to continue
