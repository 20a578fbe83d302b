"""Pages that are read in another process: those that are too large, PDFs, those that a worker died
over, and those that parsers are to see.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from tenax.clock import Instant
from tenax.crawl.reading.messages import ReadRequest, ReadResult
from tenax.crawl.reading.page import ReadPage
from tenax.crawl.reading.parse_messages import ParseRequest
from tenax.crawl.reading.parser_pool import ParseResult
from tenax.crawl.visits.pages import PageBuilder, describe_reading, unreadable
from tenax.crawl.visits.parsing import ChosenParsers, PageParsing
from tenax.errors import ContentError
from tenax.items.running import ParsedPage
from tenax.record import record, replace
from tenax.records.pages import PackedPage
from tenax.records.requests import Response
from tenax.records.urls import Target
from tenax.records.visits import Failed
from tenax.stores.hot.packing import pack_body


@record
class ReadApart:
    """What came back."""

    read: ReadPage | ReadResult | Failed
    packed: PackedPage | None = None  # its page; None: `read` has it
    parsed: Sequence[ParsedPage] = ()

    @property
    def may_follow(self) -> bool:
        """The page has no objection to it."""
        read = self.read
        if isinstance(read, Failed):
            return False
        return not (read.page.is_nofollow if isinstance(read, ReadPage) else read.is_nofollow)


@record
class PageApart:
    """A page to be read. It may have to wait for long."""

    answer: Response  # without its body, unless it is small
    kept_bytes: int  # of the body that waits
    body_bytes: int
    read: Callable[[Instant], Awaitable[ReadApart]]  # raises OSError, HostGone
    chosen: ChosenParsers | None = None  # the parsers that are for its url
    runs_parsers: bool = False


def plan_apart(
    pages: PageBuilder, parsing: PageParsing | None, target: Target, answer: Response
) -> PageApart | None:
    """None: it is HTML that no parser is for."""
    chosen = None if parsing is None else parsing.choose(target)
    if pages.takes_pdf(answer):
        # Parsers are for HTML: they have seen all that there is for them.
        return replace(plan_reading(pages, target, answer), chosen=chosen)
    if parsing is None or chosen is None:
        return None
    return plan_parsing(pages, parsing, target, answer, chosen)


def plan_reading(pages: PageBuilder, target: Target, answer: Response) -> PageApart:
    request = pages.build_request(target, answer)
    return PageApart(
        answer=replace(answer, body=b""),
        kept_bytes=len(request.body) + _weigh_packed(answer),
        body_bytes=request.body_bytes,
        read=partial(_read, pages, target, answer.status, request),
    )


def plan_parsing(
    pages: PageBuilder, parsing: PageParsing, target: Target, answer: Response, chosen: ChosenParsers
) -> PageApart:
    request = parsing.build_request(target, answer, chosen)
    return PageApart(
        answer=replace(answer, body=b"") if request.is_large else answer,
        kept_bytes=len(request.body) + _weigh_packed(answer),
        body_bytes=request.body_bytes,
        read=partial(read_with_parsers, pages, parsing, target, request),
        chosen=chosen,
        runs_parsers=True,
    )


def _weigh_packed(answer: Response) -> int:
    return 0 if answer.packed is None else len(answer.packed.frame)


async def _read(
    pages: PageBuilder, target: Target, status: int, request: ReadRequest, now: Instant
) -> ReadApart:
    return ReadApart(read=await pages.read_apart(target, status, request, now))


async def read_with_parsers(
    pages: PageBuilder, parsing: PageParsing, target: Target, request: ParseRequest, now: Instant
) -> ReadApart:
    try:
        found = await parsing.pool.read(request)
    except ContentError as error:
        return ReadApart(read=unreadable(error, request.status))
    if not isinstance(found, ParseResult):
        # The document may be at fault: a reader without parsers finds out.
        apart = _drop_parsers(pages, target, request)
        return ReadApart(read=await pages.read_apart(target, request.status, apart, now), parsed=found.parsed)
    if request.is_large:
        return ReadApart(read=found.page, parsed=found.parsed)
    # As if it had been read in the worker, so that its text is looked at as always.
    return ReadApart(read=found.page.unpack(), packed=found.page.page, parsed=found.parsed)


def _drop_parsers(pages: PageBuilder, target: Target, request: ParseRequest) -> ReadRequest:
    return ReadRequest(
        body=request.body if request.is_large else pack_body(request.body),
        body_bytes=request.body_bytes,
        url=request.url,
        headers=request.headers,
        is_suspect=target.crashes > 0,
        **describe_reading(pages.settings, pages.profile),
    )
