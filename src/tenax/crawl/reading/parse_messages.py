"""The messages between a worker and a reader with parsers: each prefixed with its length.

    worker   a page to read and the parsers to run; then its body
    reader   WAIT … WAIT          every few seconds, while a large document waits for its turn
    reader   the page, packed as stores keep it
    reader   what became of it in the first parser, in the second …

The page comes first: whatever a parser does, the page is safe.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from tenax.items.normal import AskedFollow
from tenax.items.running import ParsedPage
from tenax.record import record
from tenax.records.items import ErrorCategory, FollowUp, FoundItem, LoggedError, Parsing


@record
class ParseRequest:
    """A page to read, and the parsers to run on it."""

    url: str
    status: int
    headers: Mapping[str, str]  # of the response
    body: bytes
    body_bytes: int  # before compression
    parsers: tuple[str, ...]  # their names, in the order in which they run
    follow_ups: tuple[FollowUp, ...] = ()  # those that lead to the page
    has_items: bool = False  # parsers that ran before in another reader made some of it
    # Only one large document is read at a time on a machine; its body is compressed, because it may wait for
    # long.
    is_large: bool = False


def format_parse_request(
    request: ParseRequest, parsers: tuple[str, ...], *, has_items: bool = False
) -> bytes:
    """All but the body. `parsers`: those that have not run yet; `has_items`: the others made some."""
    return orjson.dumps(
        {
            "url": request.url,
            "status": request.status,
            "headers": dict(request.headers),
            "body_bytes": request.body_bytes,
            "is_large": request.is_large,
            "has_items": has_items,
            "parsers": parsers,
            "follow_ups": [(each.parser, each.data) for each in request.follow_ups],
        }
    )


def parse_parse_request(head: bytes, body: bytes) -> ParseRequest:
    said = orjson.loads(head)
    follow_ups = tuple(FollowUp(parser=parser, data=data) for parser, data in said.pop("follow_ups"))
    parsers = tuple(said.pop("parsers"))
    return ParseRequest(body=body, parsers=parsers, follow_ups=follow_ups, **said)


def format_parsed(parsed: ParsedPage) -> bytes:
    return orjson.dumps(parsed)


def parse_parsed(message: bytes) -> ParsedPage:
    """Raises ValueError, KeyError or TypeError for an invalid message."""
    said = orjson.loads(message)
    return ParsedPage(
        parsing=_parse_parsing(said["parsing"]),
        follows=tuple(_parse_follow(each) for each in said["follows"]),
        is_sound=bool(said["is_sound"]),
        duration_s=float(said["duration_s"]),
    )


def _parse_parsing(said: dict[str, Any]) -> Parsing:
    return Parsing(
        parser=str(said["parser"]),
        version=str(said["version"]),
        items=tuple(_parse_item(each) for each in said["items"]),
        error=None if said["error"] is None else _parse_error(said["error"]),
    )


def _parse_item(said: dict[str, Any]) -> FoundItem:
    return FoundItem(
        kind=said["kind"],
        key=said["key"],
        data=said["data"],
        content_hash=said["content_hash"],
        confidence=said["confidence"],
        field_confidence=said["field_confidence"],
        faults=tuple(said["faults"]),
    )


def _parse_error(said: dict[str, Any]) -> LoggedError:
    return LoggedError(
        category=ErrorCategory(said["category"]),
        type=said["type"],
        message=said["message"],
        stack=said["stack"],
        fingerprint=said["fingerprint"],
        parser=said["parser"],
    )


def _parse_follow(said: dict[str, Any]) -> AskedFollow:
    follow_up = FollowUp(parser=said["follow_up"]["parser"], data=said["follow_up"]["data"])
    return AskedFollow(url=said["url"], follow_up=follow_up)
