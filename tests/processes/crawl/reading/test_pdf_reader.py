"""PDFs are read in a process of its own, and those that are built to hurt cost nothing but themselves."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tenax.crawl.reading import isolation
from tenax.crawl.reading.isolation import Crashed, IsolatedReader, OverLimit, ReaderLimits
from tenax.crawl.reading.messages import ReadRequest, ReadResult
from tenax.crawl.reading.page import ReadPage
from tenax.errors import ContentError
from tenax.extract.profile import ExtractionProfile
from tenax.records.requests import FailureKind
from tenax.stores.hot.packing import pack_body
from tests.support.pdfs import (
    PdfPage,
    bomb_pdf,
    build_pdf,
    deep_pdf,
    encrypted_pdf,
    endless_pdf,
    many_letters_pdf,
    nested_forms_pdf,
    scanned_pdf,
    slow_pdf,
    text_pdf,
)

URL = "https://a.test/docs/report.pdf"
PLENTY = ReaderLimits(memory_bytes=200_000_000, cpu_s=30)
GERMAN = "Die Fähre zwischen den beiden Inseln fährt ab Montag wieder, wie das Hafenamt mitteilte."


def request(body: bytes, *, max_links: int = 1000, pages: int = 500, **profile: bool) -> ReadRequest:
    return ReadRequest(
        body=pack_body(body),
        body_bytes=len(body),
        url=URL,
        headers={"content-type": "application/pdf"},
        max_links=max_links,
        profile=ExtractionProfile(**profile),  # type: ignore[arg-type]
        pdf_pages=pages,
    )


def use(work: Callable[[IsolatedReader], Awaitable[None]], limits: ReaderLimits = PLENTY) -> None:
    async def run() -> None:
        async with IsolatedReader(limits) as reader:
            await work(reader)

    asyncio.run(run())


async def read(reader: IsolatedReader, asked: ReadRequest) -> ReadPage:
    found = await reader.read(asked)
    assert isinstance(found, ReadResult), found
    return found.unpack()


def test_a_pdf_becomes_a_page_with_links() -> None:
    body = build_pdf(
        [PdfPage(lines=("Report", GERMAN), links=("/a#top", "b.pdf", "mailto:x@a.test", "https://b.test"))],
        title="The report",
    )

    async def work(reader: IsolatedReader) -> None:
        found = await read(reader, request(body, markdown=True, detects_language=True))
        assert found.is_pdf
        assert found.page.title == "The report"
        assert found.page.text == f"Report\n{GERMAN}"
        assert found.page.markdown == f"Report\n\n{GERMAN}\n"
        assert found.page.language == "de"
        links = ["https://a.test/a", "https://a.test/docs/b.pdf", "https://b.test/"]
        assert [link[0] for link in found.links.values()] == links

    use(work)


def test_what_cannot_be_read_says_why_and_the_same_process_reads_on() -> None:
    async def work(reader: IsolatedReader) -> None:
        await read(reader, request(text_pdf("first")))
        pid = reader.pid
        for body, said in (
            (encrypted_pdf("x"), "encrypted"),
            (scanned_pdf(), "no text"),
            (text_pdf("x")[:60], "damaged"),
            (b"<p>no PDF", "it is none"),
        ):
            with pytest.raises(ContentError, match=said):
                await reader.read(request(body))
        assert (await read(reader, request(text_pdf("last")))).page.text == "last"
        assert reader.pid == pid

    use(work)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(bomb_pdf(), id="bomb"),
        pytest.param(many_letters_pdf(20_000_000), id="many letters"),
        pytest.param(nested_forms_pdf(), id="nested forms"),
    ],
)
def test_one_that_takes_too_much_memory_is_given_up_for_the_setting(body: bytes) -> None:
    async def work(reader: IsolatedReader) -> None:
        found = await reader.read(request(body))
        assert isinstance(found, OverLimit)
        assert found.kind is FailureKind.READER_MEMORY
        assert "reader.memory_mb" in found.how
        assert (await read(reader, request(text_pdf("next")))).page.text == "next"

    assert len(body) < 100_000
    use(work)


def test_one_that_takes_too_long_is_given_up_for_the_setting() -> None:
    async def work(reader: IsolatedReader) -> None:
        found = await reader.read(request(slow_pdf()))
        assert isinstance(found, OverLimit)
        assert found.kind is FailureKind.READER_TIME
        assert "reader.cpu_s" in found.how

    use(work, ReaderLimits(cpu_s=1, memory_bytes=500_000_000))


def test_deep_and_endless_ones_are_read_as_far_as_they_may() -> None:
    async def work(reader: IsolatedReader) -> None:
        assert (await read(reader, request(deep_pdf()))).page.text == "deep"
        endless = await read(reader, request(endless_pdf(), pages=3))
        assert endless.page.text == "again\nagain\nagain"

    use(work)


def test_one_that_needs_more_memory_than_most_gets_it_when_it_is_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []
    try_once = IsolatedReader._try

    async def note(self: IsolatedReader, asked: ReadRequest) -> object:
        tried.append((asked.is_heavy, asked.is_large))
        return await try_once(self, asked)

    monkeypatch.setattr(isolation.IsolatedReader, "_try", note)

    async def work(reader: IsolatedReader) -> None:
        # PDFium takes some 250 bytes for each letter of a page.
        found = await read(reader, request(many_letters_pdf(1_000_000)))
        assert len(found.page.text) > 900_000

    use(work, ReaderLimits(memory_bytes=700_000_000))
    assert tried == [(False, False), (True, True)]


def test_one_that_crashes_its_reader_twice_is_at_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_FAILPOINT", "read!SIGSEGV")

    async def work(reader: IsolatedReader) -> None:
        found = await reader.read(request(text_pdf("x")))
        assert found == Crashed(how="its reader died of SIGSEGV")

    use(work)
