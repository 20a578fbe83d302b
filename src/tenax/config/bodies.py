"""Settings of stored bodies."""

from pydantic import Field

from tenax.config.section import Section


class BodySettings(Section):
    """Whether the bodies of pages are stored as they were received."""

    store: bool = Field(False, description="Whether to store the body and the headers of every page visit.")
    segment_mb: int = Field(
        64, ge=1, le=4096, description="Size at which a worker begins another file of bodies, in megabytes."
    )
    segment_age_s: float = Field(
        3600.0,
        ge=1,
        le=604_800,
        description="Age at which a worker begins another file of bodies, in seconds.",
    )
