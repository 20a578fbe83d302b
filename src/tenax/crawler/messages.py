"""The messages between a program and the process behind its crawl: JSON, prefixed with its length.

    process   {"item": …} … {"item": …}
    process   {"ended": …} | {"error": a sentence}

The program says one byte to stop the crawl, or closes its end.
"""

import socket
import struct
from typing import Any, Final

import orjson

STOP: Final = b"S"
LENGTH: Final = struct.Struct("<I")


def format_message(message: dict[str, Any]) -> bytes:
    body = orjson.dumps(message)
    return LENGTH.pack(len(body)) + body


def parse_message(body: bytes) -> dict[str, Any]:
    message: dict[str, Any] = orjson.loads(body)
    return message


def receive_message(channel: socket.socket) -> dict[str, Any] | None:
    """Wait for the next message; None: the other end is closed."""
    head = _receive(channel, LENGTH.size)
    body = None if head is None else _receive(channel, LENGTH.unpack(head)[0])
    return None if body is None else parse_message(body)


def _receive(channel: socket.socket, size: int) -> bytes | None:
    received = bytearray()
    while len(received) < size:
        data = channel.recv(size - len(received))
        if not data:
            return None
        received += data
    return bytes(received)
