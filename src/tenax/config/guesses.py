"""Settings for guesses at addresses that nothing links to: archives, and further pages of lists."""

from typing import Annotated

from pydantic import Field

from tenax.config.section import Section

ArchivePath = Annotated[str, Field(min_length=2, max_length=200, pattern=r"^/[^\s#]*$")]


class ArchiveSettings(Section):
    """Search for archives: pages of older content that nothing links to."""

    enabled: bool = Field(
        False,
        description="Whether to guess the addresses of archives, such as `/2025/12/`, when a domain has few "
        "URLs left, and once a day after that.",
    )
    queue_below: int = Field(
        1,
        ge=1,
        le=100_000,
        description="A search starts when fewer URLs than this with high or medium priority are waiting in "
        "the domain.",
    )
    every_s: float = Field(
        86_400.0,
        ge=60,
        description="Seconds between two searches in a domain, unless the last one succeeded.",
    )
    per_day: int = Field(50, ge=1, le=10_000, description="Maximum guesses at archives per domain and day.")
    paths: tuple[ArchivePath, ...] = Field(
        ("/archive", "/archives", "/sitemap", "/sitemap.html"),
        max_length=50,
        description="Paths to try when nothing else is waiting in the domain.",
    )


class PaginationSettings(Section):
    """Predict further pages of lists."""

    enabled: bool = Field(
        False,
        description="Whether to guess the next page of a list, such as `?page=3`, when the list does not "
        "link to it.",
    )
    per_day: int = Field(100, ge=1, le=10_000, description="Maximum guesses at pages per domain and day.")
