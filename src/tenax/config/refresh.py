"""Settings for when pages are visited again."""

from typing import Self

from pydantic import Field, model_validator

from tenax.config.section import Section


class RefreshRule(Section):
    """How often the pages of a kind of items, or of a pattern, are fetched again."""

    kind: str | None = Field(
        None, min_length=1, max_length=100, description="Pages that show items of this kind."
    )
    pattern: str | None = Field(
        None,
        pattern=r"^[/*]|://",
        max_length=500,
        description="Pages whose path matches, as `/products/*`, or whose whole URL does if it contains `://`."
        " `*` stands for anything.",
    )
    hours: float = Field(ge=0.1, le=87_600, description="Hours between two visits.")

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.kind is None) == (self.pattern is None):
            raise ValueError("A rule has either a kind or a pattern.")
        return self


class RefreshSettings(Section):
    enabled: bool = Field(
        True, description="Whether to plan when each page is fetched again, for `tenax refresh`."
    )
    first_s: float = Field(
        86_400.0,
        gt=0,
        description="Time until a new or changed page is due again, in seconds. It doubles as long as the "
        "page does not change.",
    )
    min_s: float = Field(
        3600.0,
        gt=0,
        description="Shortest interval, in seconds; also the time until a missing page is checked again.",
    )
    max_s: float = Field(2_592_000.0, gt=0, description="Longest interval, in seconds.")
    every: tuple[RefreshRule, ...] = Field(
        (),
        max_length=100,
        description="Fixed intervals for some pages, whether they change or not; the first rule that applies"
        ' counts. Example: `[{"kind": "product", "hours": 6}, {"pattern": "/news/*", "hours": 1}]`.',
    )
