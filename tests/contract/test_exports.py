"""Exports of every store."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, event

from tenax.records.visits import Redirected
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.export.rows import EXPORTS, Noun, iter_rows
from tenax.stores.queries.redirects import MOST_HOPS
from tests.support.store import StoreUnderTest, StoreWorker, make_fetched, make_visit

A, B = "https://a.example/", "https://b.example/"


async def crawl(worker: StoreWorker, redirects: dict[str, str], *pages: str) -> None:
    """All of it, in as many domains as there are."""
    await worker.add(*redirects, *pages)
    for lease in await worker.claim():
        visits = [
            make_visit(
                target,
                Redirected(status=301, to_url=redirects[target.url])
                if target.url in redirects
                else make_fetched(target.url),
                at=worker.clock.now(),
            )
            for target in (await worker.head(lease)).targets
        ]
        await worker.settle_visits(lease, visits)
        await worker.release(lease)


async def read_ends(
    store: StoreUnderTest, rows_at_once: int = 5000, column: str = "final_url"
) -> dict[str, str | None]:
    export = replace(EXPORTS[Noun.URLS], rows_at_once=rows_at_once)
    names = list(export.columns)
    rows = await asyncio.to_thread(
        read_store, store.place, lambda connection: list(iter_rows(connection, export))
    )
    return {row[names.index("url")]: row[names.index(column)] for row in rows}


async def test_a_chain_of_redirects_is_followed_to_its_end(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    redirects = {
        A + "1": A + "2",
        A + "2": B + "3",
        B + "3": B + "end",
        B + "away": "https://unknown.example/x",
    }
    await crawl(worker, redirects, B + "end")
    ends = dict.fromkeys([A + "1", A + "2", B + "3"], B + "end")
    assert await read_ends(store) == ends | {B + "away": "https://unknown.example/x", B + "end": None}
    assert await read_ends(store, rows_at_once=1) == await read_ends(store)


async def test_a_redirect_loop_has_no_end(store: StoreUnderTest, worker: StoreWorker) -> None:
    await crawl(worker, {A + "1": A + "2", A + "2": A + "1", A + "self": A + "self", A + "in": A + "1"})
    assert set((await read_ends(store)).values()) == {None}
    assert set((await read_ends(store, column="chain_fault")).values()) == {"loop"}


async def test_a_chain_is_followed_for_so_many_hops(store: StoreUnderTest, worker: StoreWorker) -> None:
    await crawl(worker, dict(pairwise(f"{A}{number}" for number in range(MOST_HOPS + 2))))
    ends = await read_ends(store)
    assert ends[f"{A}0"] is None
    assert ends[f"{A}1"] == f"{A}{MOST_HOPS + 1}"
    faults = await read_ends(store, column="chain_fault")
    assert (faults[f"{A}0"], faults[f"{A}1"]) == ("too_long", None)


async def test_a_target_is_found_however_it_is_spelled(store: StoreUnderTest, worker: StoreWorker) -> None:
    await crawl(worker, {A + "1": A + "x?b=2&a=1#part", A + "x?a=1&b=2": A + "end", A + "odd": "mailto:x@y"})
    assert await read_ends(store) == {A + "1": A + "end", A + "x?a=1&b=2": A + "end", A + "odd": "mailto:x@y"}


async def test_chains_are_followed_together(store: StoreUnderTest, worker: StoreWorker) -> None:
    await crawl(
        worker, {f"{A}{number}": f"{B}{number}" for number in range(90)}, *(f"{B}{n}" for n in range(50))
    )
    statements: list[str] = []

    def read(connection: Connection) -> int:
        @event.listens_for(connection, "before_cursor_execute")
        def note(_: Any, __: Any, statement: str, *___: Any) -> None:
            if "urls" in statement:
                statements.append(statement)

        return len(list(iter_rows(connection, EXPORTS[Noun.URLS])))

    assert await asyncio.to_thread(read_store, store.place, read) == 140
    assert len(statements) == 3  # the rows, a hop, and that there are no more rows


async def read_all(store: StoreUnderTest, noun: Noun) -> list[list[Any]]:
    def read(connection: Connection) -> list[list[Any]]:
        return list(iter_rows(connection, EXPORTS[noun]))

    return await asyncio.to_thread(read_store, store.place, read)


async def test_pages_with_markdown_are_exported_whole_and_in_chunks(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add(A, B)
    lease, other = await worker.claim()
    for each, markdown in ((lease, "# One\n\ntext\n\n## Two\n\nmore\n"), (other, None)):
        (target,) = (await worker.head(each)).targets
        visit = make_visit(target, make_fetched("text", markdown=markdown), at=worker.clock.now())
        await worker.settle_visits(each, [visit])
    ((url, *_, markdown),) = await read_all(store, Noun.MARKDOWN)
    assert markdown.startswith("# One")
    chunks = await read_all(store, Noun.CHUNKS)
    assert [(chunk[1], chunk[2], chunk[3]) for chunk in chunks] == [(url, 0, "One"), (url, 1, "One > Two")]
    assert len({chunk[0] for chunk in chunks}) == 2
