"""`tenax.Crawler`: crawls as programs write them."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Literal

from tenax.crawler.definition import CrawlDefinition
from tenax.crawler.items import StoredItem
from tenax.crawler.notes import tell
from tenax.crawler.process import CrawlProcess, Program, Work, send_stored
from tenax.crawler.stream import ItemStream
from tenax.errors import UsageError
from tenax.items.loading import refuse_while_loading
from tenax.records.jobs import Recrawl
from tenax.stores.change_log import LogPosition, parse_position

RecrawlName = Literal["new", "due", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """How a run came to its end."""

    run: int
    state: Literal["done", "budget", "paused", "failed"]  # budget: `max_pages` is used up
    pages: int  # fetched since `run` was called, like all that follows
    items: int  # that handlers made of them, without invalid ones
    invalid: int  # items that break their schema
    errors: int  # pages on which a handler failed
    requests: int
    duration_s: float


class Crawler(CrawlDefinition):
    """A polite crawl whose pages become items. Whatever interrupts it, the same program continues it."""

    _stream: ItemStream | None = None
    result: FinishedRun | None = None  # of the last call of `run`; None: it was left early, or failed

    def run(self, *, recrawl: RecrawlName = "new", after: str | None = None) -> Iterator[StoredItem]:
        """Crawl, and yield each change of an item once it is committed: those of this run, from its first. A
        run that was interrupted is continued, and also yielded from its first. `after`: the cursor of an
        item; what comes after it is yielded instead. `recrawl`: which known pages are visited again: none
        ("new"), those that are due, or all. Raises CrawlError."""
        return self._iterate(self._prepare(recrawl, after))

    def run_async(
        self, *, recrawl: RecrawlName = "new", after: str | None = None
    ) -> AsyncIterator[StoredItem]:
        """The same for `async for`."""
        return self._iterate_async(self._prepare(recrawl, after))

    def __aiter__(self) -> AsyncIterator[StoredItem]:
        return self.run_async()

    def items(self, *, after: str | None = None) -> Iterator[StoredItem]:
        """Yield what the store holds, without crawling: all items, or the changes after a cursor."""
        position = _parse_cursor(after)
        plan = self.plan({})
        return ItemStream(lambda program: send_stored(plan, position, program)).iterate()

    def _prepare(self, recrawl: str, after: str | None) -> Work:
        refuse_while_loading()
        if recrawl not in list(Recrawl):
            raise UsageError(f"{recrawl!r} is not one of {', '.join(map(repr, map(str, Recrawl)))}.")
        position, plan = _parse_cursor(after), self.plan({})

        def crawl(program: Program) -> None:
            CrawlProcess(plan, Recrawl(recrawl), position, program).run()

        return crawl

    def _open(self, work: Work) -> ItemStream:
        """One run at a time: a loop that was interrupted in a notebook may not have closed its own."""
        if self._stream is not None:
            self._stream.close()
        self.result = None
        self._stream = ItemStream(work)
        return self._stream

    def _iterate(self, work: Work) -> Iterator[StoredItem]:
        stream = self._open(work)
        yield from stream.iterate()
        self.result = _read_result(stream)

    async def _iterate_async(self, work: Work) -> AsyncIterator[StoredItem]:
        stream = self._open(work)
        items = stream.iterate_async()
        try:
            async for item in items:
                yield item
        finally:
            await items.aclose()
        self.result = _read_result(stream)


def _read_result(stream: ItemStream) -> FinishedRun | None:
    tell(stream.notes)
    return None if stream.ended is None else FinishedRun(**stream.ended)


def _parse_cursor(after: str | None) -> LogPosition | None:
    return None if after is None else parse_position(after)
