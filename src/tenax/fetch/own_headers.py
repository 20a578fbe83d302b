"""Headers that a person adds to requests: for the origins that they were meant for, and no other."""

from tenax.config.fetch import FetchSettings
from tenax.errors import ConfigError
from tenax.record import record
from tenax.web.request_headers import find_header_fault
from tenax.web.urls import origin_of, parse_url


@record
class OwnHeaders:
    lines: list[bytes]
    names: frozenset[bytes]  # in lower case
    origins: frozenset[str]

    def is_for(self, url: str) -> bool:
        """Scheme, host and port all count."""
        return origin_of(url) in self.origins


def parse_headers(settings: FetchSettings) -> OwnHeaders | None:
    """None: there is nothing to be sent. ConfigError: a header or an origin is none."""
    pairs = [_parse_line(line) for line in settings.headers]
    origins = frozenset(map(_parse_origin, settings.header_origins))
    if not pairs or not origins:
        return None
    return OwnHeaders(
        lines=[f"{name}: {value}".encode("latin-1") for name, value in pairs],
        names=frozenset(name.lower().encode() for name, _ in pairs),
        origins=origins,
    )


def _parse_line(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon:
        raise ConfigError("A line of fetch.headers has no colon; write it as Name: value.")
    fault = find_header_fault(name, value.strip())
    if fault is not None:
        raise ConfigError(f"In fetch.headers: {fault}")
    return name, value.strip()


def _parse_origin(text: str) -> str:
    url = parse_url(text)
    if url is None or url != f"{origin_of(url)}/":
        raise ConfigError(f"In fetch.header_origins, {text!r} is not an origin such as https://example.com.")
    return origin_of(url)
