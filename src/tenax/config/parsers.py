"""Settings of parsers: what makes items of pages."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from tenax.config.section import Section

MAX_PARSERS = 100

ParserName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,99}$")]


class ParserCandidate(Section):
    """A parser that runs beside a current one on a share of pages, to be compared with it."""

    parser: ParserName = Field(description="Name of the current parser.")
    share: float = Field(0.1, gt=0, le=1, description="Fraction of its pages that the candidate sees, too.")
    uses: ParserName | None = Field(None, description="The candidate: name of an installed parser.")
    definition: dict[str, Any] | None = Field(None, description="The candidate: a parser without code.")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.uses is None) == (self.definition is None):
            raise ValueError("A candidate is either an installed parser (uses) or has a definition.")
        return self


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
    uses: dict[ParserName, ParserName] = Field(
        {},
        max_length=MAX_PARSERS,
        description="Installed parsers that make the items of others, by the names of those.",
    )
    candidates: tuple[ParserCandidate, ...] = Field(
        (),
        max_length=MAX_PARSERS,
        description="Parsers that run beside current ones on a share of pages; `tenax parsers compare` shows "
        "how their items differ.",
    )
    item_rules: dict[str, dict[str, Any]] = Field(
        {},
        max_length=MAX_PARSERS,
        description="Rules that `tenax items audit` checks items by: a JSON Schema for each kind.",
    )
    audit_every_h: float = Field(
        0,
        ge=0,
        le=8784,
        description="Hours between two audits of items by `tenax serve`, whose results are kept; 0: none.",
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
        512,
        ge=100,
        description="Maximum memory of a process that reads and parses pages, in megabytes, beside what it"
        " has when it starts.",
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
