"""What was sent and received before a body, in the notation of HTTP/1.1."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from tenax.config.masking import HIDDEN

_END = b"\r\n"


def format_heads(
    url: str,
    version: str,
    agent: str,
    sent: Iterable[bytes],
    received: Sequence[bytes],
    secret: Iterable[bytes],
) -> tuple[bytes, bytes]:
    """`sent`: header lines of the request besides Host and User-Agent; `received`: lines of the response;
    `secret`: names of headers, in lower case, whose values are not kept."""
    return _format_request(url, version, agent, sent, frozenset(secret)), _format_response(received)


def _format_request(
    url: str, version: str, agent: str, sent: Iterable[bytes], secret: frozenset[bytes]
) -> bytes:
    parts = urlsplit(url)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    # A request to a server that answers in HTTP/1.0 was made in HTTP/1.1.
    lines = [
        f"GET {target} HTTP/{'1.1' if version == '1.0' else version}".encode("utf-8", "replace"),
        b"Host: " + parts.netloc.rpartition("@")[2].encode("utf-8", "replace"),
        b"User-Agent: " + agent.encode("utf-8", "replace"),
    ]
    for line in sent:
        name, _, _ = line.partition(b":")
        lines.append(name + b": " + HIDDEN.encode() if name.lower() in secret else line)
    return _END.join(lines)


def _format_response(received: Sequence[bytes]) -> bytes:
    """Only the last head: those before it say that another one follows."""
    begins = [number for number, line in enumerate(received) if line.startswith(b"HTTP/")]
    lines = []
    for line in received[begins[-1] if begins else 0 :]:
        stripped = line.strip()
        if not stripped:
            break
        lines.append(stripped)
    return _END.join(lines)
