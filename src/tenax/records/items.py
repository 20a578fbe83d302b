"""Items: records that parsers make of pages; and the errors that are kept for users to read."""

from enum import StrEnum

from tenax.record import record

# An error page of a site in a traceback, a name from the web: no text of an error is longer.
MAX_MESSAGE_CHARS = 2_000
MAX_STACK_CHARS = 8_000
MAX_KEY_CHARS = 500
MAX_KIND_CHARS = 100


class ErrorCategory(StrEnum):
    NETWORK = "network"  # no answer, or one that says that something is wrong
    PARSE = "parse"  # the document cannot be read
    VALIDATION = "validation"  # an item breaks its schema
    HANDLER = "handler"  # the code of a parser failed, or took too much


class ItemChangeKind(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"  # no page shows it any more
    BACK = "back"  # it was gone


@record
class FoundItem:
    """What a parser made of a page."""

    kind: str
    key: str  # unique within its source and kind
    data: str  # a JSON object with sorted names
    content_hash: int  # 64 bits, signed; of the data
    confidence: float | None = None  # from 0 to 1; None: the parser does not say
    field_confidence: str | None = None  # a JSON object: field → confidence
    faults: tuple[str, ...] = ()  # where it breaks its schema; it is kept apart from valid ones


@record
class LoggedError:
    """An error as it is kept, whatever caused it."""

    category: ErrorCategory
    type: str  # the class of an exception, or the kind of a failure
    message: str
    stack: str | None = None
    fingerprint: int = 0  # 64 bits, signed: equal for errors that are alike
    parser: str | None = None


@record
class PageItems:
    """The items that a page showed, as far as that matters for its next visit."""

    hash: int  # 64 bits, signed: of their names and their content
    kinds: tuple[str, ...]


@record
class FollowUp:
    """A handler that is to see a url, whenever it is visited, with data from the page that asked for it."""

    parser: str
    data: str  # JSON


@record
class Trial:
    """What a candidate version of a parser made of a page, compared with the current version."""

    parser: str
    version: str  # of the current parser
    candidate: str  # the version that is on trial
    # (field, current value as JSON, candidate's value as JSON), where they differ; None: it has none
    differences: tuple[tuple[str, str | None, str | None], ...] = ()
    equal_fields: tuple[str, ...] = ()
    error: LoggedError | None = None  # of the candidate


@record
class Parsing:
    """What became of a page in one parser."""

    parser: str
    version: str
    items: tuple[FoundItem, ...] = ()
    follows: int = 0  # follow-ups that it asked for
    error: LoggedError | None = None  # its items are lost; those of earlier visits stay
    complaints: tuple[LoggedError, ...] = ()  # errors that cost no item: a follow-up that was refused
