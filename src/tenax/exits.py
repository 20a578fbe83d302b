"""What the exit code of `tenax` means."""

from enum import IntEnum


class Exit(IntEnum):
    DONE = 0  # everything that was asked for is done
    ERROR = 1  # something broke; the sentence on stderr says what and what to do
    USAGE = 2  # the command, a URL or a setting is wrong
    STOPPED = 3  # stopped early, by a signal, an order, a domain's page cap or late retries; it can go on
    NOTHING = 4  # the crawl ended and not one page could be fetched
    QUIT = 130  # told twice to stop: left at once, the same command goes on
