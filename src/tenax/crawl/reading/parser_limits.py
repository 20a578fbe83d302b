"""How much a page may take in readers with parsers."""

from typing import Final, Self

from tenax.config.settings import Settings
from tenax.items.running import ParserLimits
from tenax.record import record

MB: Final = 1_000_000


@record
class PoolLimits:
    processes: int
    parser: ParserLimits
    memory_bytes: int
    page_s: float = 180.0  # for reading a page; its CPU time is limited in the reader
    idle_s: float = 60.0  # then a reader exits

    @classmethod
    def build(cls, settings: Settings) -> Self:
        return cls(
            processes=settings.parsers.processes,
            parser=ParserLimits.build(settings.parsers),
            memory_bytes=settings.parsers.memory_mb * MB,
            page_s=max(180.0, 3.0 * settings.reader.cpu_s),
        )

    @property
    def parser_s(self) -> float:
        """A parser that does not listen to its deadline is ended at twice its time."""
        return 2 * self.parser.timeout_s

    @property
    def parsed_bytes(self) -> int:
        """No message about a page in one parser is longer: JSON escapes make twice of it at worst."""
        return 2 * self.parser.page_chars + MB
