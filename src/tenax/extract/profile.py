"""Which parts of a page are extracted as its text, and whether its Markdown is."""

from collections.abc import Iterator
from typing import Final, Self

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.config.fetch import ExtractSettings
from tenax.extract import pdf
from tenax.extract.language import check_installed
from tenax.record import record
from tenax.web.selectors import Selector, parse_selector

NOT_KEPT: Final = (
    "No Markdown is kept of this page: set extract.markdown to true and fetch the page again in full."
)


@record
class ExtractionProfile:
    only: tuple[Selector, ...] = ()  # empty: the whole page
    without: tuple[Selector, ...] = ()
    detects_language: bool = False  # of pages that do not say theirs
    markdown: bool = False  # whether the page's Markdown is kept
    pdf_pages: int | None = None  # how many pages of a PDF are read; None: PDFs are not wanted

    @classmethod
    def build(cls, settings: ExtractSettings) -> Self:
        """Parse the selectors. ConfigError: one is invalid, or a package is missing."""
        if settings.detect_language:
            check_installed()
        if settings.reads_pdf:
            pdf.check_installed()
        return cls(
            only=tuple(map(parse_selector, settings.only)),
            without=tuple(map(parse_selector, settings.without)),
            detects_language=settings.detect_language,
            markdown=settings.markdown,
            pdf_pages=settings.pdf_pages if settings.reads_pdf else None,
        )

    def find_wanted(self, tree: LexborHTMLParser) -> Iterator[LexborNode]:
        return _find(self.only, tree)

    def find_left_out(self, tree: LexborHTMLParser) -> Iterator[LexborNode]:
        return _find(self.without, tree)


def _find(selectors: tuple[Selector, ...], tree: LexborHTMLParser) -> Iterator[LexborNode]:
    # One selector after another: the matches of all of them would take tens of megabytes.
    return (node for selector in selectors for node in selector.find(tree))


WHOLE_PAGE: Final[ExtractionProfile] = ExtractionProfile()
