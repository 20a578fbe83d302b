"""The address of a Redis server, parsed from its URL. The password appears nowhere else."""

from dataclasses import field
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from tenax.errors import ConfigError
from tenax.record import record

DEFAULT_PORT = 6379


@record
class RedisAddress:
    host: str  # "" for a Unix socket
    port: int
    path: str | None  # of a Unix socket, instead of host and port
    database: int
    username: str | None
    password: str | None = field(repr=False)
    is_tls: bool

    @property
    def place(self) -> str:
        """For display; without credentials."""
        return self.path or f"{self.host}:{self.port}"


def parse_address(url: str) -> RedisAddress:
    """Parse redis://, rediss:// (TLS) and unix:// URLs as other clients do. Raises ConfigError."""
    try:
        parts = urlsplit(url)
        address = _read(parts)
    except ValueError:
        address = None
    if address is None:
        raise ConfigError(
            "The Redis URL is not valid; write redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE],"
            " rediss://… for TLS, or unix:///PATH."
        )
    return address


def _read(parts: SplitResult) -> RedisAddress | None:
    is_socket = parts.scheme == "unix"
    if parts.scheme not in ("redis", "rediss", "unix") or not (parts.path if is_socket else parts.hostname):
        return None
    database = parse_qs(parts.query).get("db", [""])[0] if is_socket else parts.path.strip("/")
    return RedisAddress(
        host=parts.hostname or "",
        port=parts.port or DEFAULT_PORT,
        path=parts.path if is_socket else None,
        database=int(database or 0),
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        is_tls=parts.scheme == "rediss",
    )
