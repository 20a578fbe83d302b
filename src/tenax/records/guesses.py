"""What a crawl has learned about a domain by guessing: how its lists are paged, where its archives are."""

from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record


class GuessState(StrEnum):
    """Whether more may be guessed by a rule."""

    TRIED = "tried"  # a guess is under way; nothing is known yet
    POSTPONED = "postponed"  # guesses in other lists of the domain decide whether this one is worth it
    VALID = "valid"  # a guess was right, or links show the pattern
    ENDED = "ended"  # the list is known to its end; a link beyond it makes the rule valid again
    INVALID = "invalid"  # the guesses were wrong
    OFF = "off"  # a user forbids guesses


@record
class PaginationRule:
    """How one list of a domain is paged."""

    path: str  # the list without a page number: its path and other parameters
    pattern: str  # the same with {n} for the number
    state: GuessState
    step: int = 1  # from page to page; more than 1 if the number counts entries
    last_n: int = 1  # greatest number known to exist
    hits: int = 0  # guesses that found a page with something new
    misses: int = 0
    is_linked: bool = False  # the list links to its pages
    set_by: str | None = None  # the user who set its state; None: learned


@record
class ArchivePattern:
    """A form of addresses at which a domain has, or may have, archives."""

    pattern: str  # {Y}: a year; {MM}, {M}: a month, with or without a leading zero; {n}: a number
    state: GuessState
    hits: int = 0
    misses: int = 0  # since the last hit
    set_by: str | None = None


@record
class GuessBudget:
    """How much was guessed in a domain. Instants are those of the store's clock."""

    since: Instant = 0.0  # the day that is counted begins here
    pages: int = 0  # of lists, in that day
    archives: int = 0
    # The last search for archives; None: never, or one of its guesses was right, so that another is worth it.
    searched_at: Instant | None = None


@record
class Learned:
    """Everything that is known about a domain's lists and archives, or the part that is new."""

    rules: tuple[PaginationRule, ...] = ()
    patterns: tuple[ArchivePattern, ...] = ()
    budget: GuessBudget | None = None


@record
class KnownUrl:
    """A url of the domain, as evidence."""

    id: int
    url: str
