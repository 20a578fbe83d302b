"""Settings of parsers: what makes items of pages."""

from typing import Annotated, Any

from pydantic import Field

from tenax.config.section import Section

MAX_PARSERS = 100

ParserName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,99}$")]


class ParserSettings(Section):
    """Which parsers make items of pages, and how much each may take."""

    use: tuple[ParserName, ...] = Field(
        (),
        max_length=MAX_PARSERS,
        description="Names of installed parsers, or of parsers from `files`, that make items of the pages.",
    )
    definitions: tuple[dict[str, Any], ...] = Field(
        (),
        max_length=MAX_PARSERS,
        description="Parsers without code, each with its `name` and `fields`.",
    )
    item_rules: dict[str, dict[str, Any]] = Field(
        {},
        max_length=MAX_PARSERS,
        description="Rules that `tenax items audit` checks items by: a JSON Schema for each kind.",
    )
    files: tuple[str, ...] = Field(
        (),
        max_length=MAX_PARSERS,
        description="Files of this machine that hold parsers: Python (.py) or YAML (.yaml).",
    )
    timeout_s: float = Field(
        10.0, gt=0, le=3600, description="How long one parser may take for a page, in seconds."
    )
    memory_mb: int = Field(
        512, ge=100, description="Maximum memory of a process that reads and parses pages, in megabytes."
    )
    processes: int = Field(
        4, ge=1, le=64, description="Maximum number of processes per worker that read and parse pages."
    )
    items_per_page: int = Field(
        1000, ge=1, le=100_000, description="Maximum number of items that a parser makes of one page."
    )
    item_bytes: int = Field(
        262_144, ge=1_000, le=10_000_000, description="Maximum size of an item as JSON, in bytes."
    )
    follows_per_page: int = Field(
        1000, ge=0, le=100_000, description="Maximum number of follow-ups that a parser asks for on one page."
    )

    @property
    def is_used(self) -> bool:
        """Whether a run with these settings has parsers."""
        return bool(self.use or self.definitions)
