"""Headers that a user adds to requests, sent only to the origins that they are meant for."""

from tenax.config.fetch import FetchSettings
from tenax.errors import ConfigError
from tenax.record import record
from tenax.web.request_headers import find_header_fault
from tenax.web.urls import origin_of, parse_url


@record
class CustomHeaders:
    lines: list[bytes]
    names: frozenset[bytes]  # in lower case
    origins: frozenset[str]

    def is_for(self, url: str) -> bool:
        """Whether the headers are sent to this url: scheme, host and port must match."""
        return origin_of(url) in self.origins


def parse_headers(settings: FetchSettings) -> CustomHeaders | None:
    """Parse the settings. None: there are no headers to send. ConfigError: a header or an origin is
    invalid."""
    pairs = [_parse_line(line) for line in settings.headers]
    origins = frozenset(map(_parse_origin, settings.header_origins))
    if not pairs or not origins:
        return None
    return CustomHeaders(
        lines=[f"{name}: {value}".encode("latin-1") for name, value in pairs],
        names=frozenset(name.lower().encode() for name, _ in pairs),
        origins=origins,
    )


def _parse_line(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon:
        raise ConfigError("A line of fetch.headers has no colon. Write it as Name: value.")
    fault = find_header_fault(name, value.strip())
    if fault is not None:
        raise ConfigError(f"In fetch.headers: {fault}")
    return name, value.strip()


def _parse_origin(text: str) -> str:
    url = parse_url(text)
    if url is None or url != f"{origin_of(url)}/":
        raise ConfigError(f"In fetch.header_origins, {text!r} is not an origin such as https://example.com.")
    return origin_of(url)
