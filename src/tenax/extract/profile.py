"""Which parts of a page are extracted as its text."""

from collections.abc import Iterator
from typing import Final, Self

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.config.fetch import ExtractSettings
from tenax.record import record
from tenax.web.selectors import Selector, parse_selector


@record
class ExtractionProfile:
    only: tuple[Selector, ...] = ()  # empty: the whole page
    without: tuple[Selector, ...] = ()

    @classmethod
    def build(cls, settings: ExtractSettings) -> Self:
        """Parse the selectors. ConfigError: one is invalid."""
        return cls(
            only=tuple(map(parse_selector, settings.only)),
            without=tuple(map(parse_selector, settings.without)),
        )

    def find_wanted(self, tree: LexborHTMLParser) -> Iterator[LexborNode]:
        return _find(self.only, tree)

    def find_left_out(self, tree: LexborHTMLParser) -> Iterator[LexborNode]:
        return _find(self.without, tree)


def _find(selectors: tuple[Selector, ...], tree: LexborHTMLParser) -> Iterator[LexborNode]:
    # One selector after another: the matches of all of them would take tens of megabytes.
    return (node for selector in selectors for node in selector.find(tree))


WHOLE_PAGE: Final[ExtractionProfile] = ExtractionProfile()
