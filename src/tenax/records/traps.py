"""Clusters of similar urls that bring nothing new, and what is done about them."""

from enum import StrEnum

from tenax.record import record


class TrapState(StrEnum):
    OPEN = "open"  # its urls are visited like all others
    SLOWED = "slowed"  # its urls come last, and only as many as its budget allows
    CLOSED = "closed"  # its urls are not visited
    MERGED = "merged"  # a part of addresses that changes nothing: see policy/guards/learned_rules.py


class TrapRule(StrEnum):
    """What the urls of a cluster have in common."""

    REPEATED_PATH = "repeated_path"  # the same segments again and again: /a/b/a/b/a/b
    SAME_CONTENT = "same_content"  # addresses that differ, pages that do not: session ids
    FACETS = "facets"  # combinations of parameters
    GROWING_PATH = "growing_path"  # deeper and deeper
    ENDLESS = "endless"  # one leads to the next, with little more than another number: calendars


@record
class Trap:
    """A cluster as the store keeps it."""

    shape: str  # policy/guards/url_shapes.py
    state: TrapState
    rule: TrapRule | None = None  # None: a user decided, or nothing was found
    visits: int = 0  # that were judged
    novel: int = 0  # of these, with something new
    recent: int = 0  # the latest visits as bits, 1: something new; the last one is the lowest
    spent: int = 0  # visits since it was slowed
    led_on: int = 0  # new urls of the cluster that these led to
    decided_by: str | None = None  # a user, whose word stands; None: the guard
