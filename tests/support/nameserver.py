"""A DNS server on loopback whose answers a test defines."""

import ipaddress
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

A, AAAA = 1, 28
NXDOMAIN, SERVFAIL = 3, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to a query; no answer at all if `is_silent`."""

    ips: Sequence[str] = ()  # of both families; the query selects one
    ttl_s: int = 0
    code: int = 0
    is_silent: bool = False


Zone = Callable[[str, int, int], Reply]  # name, type, number of earlier queries


@dataclass(slots=True)
class NameServer:
    address: str  # IP:PORT
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)


@contextmanager
def name_server(zone: Zone) -> Iterator[NameServer]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        server = NameServer("{}:{}".format(*sock.getsockname()))
        thread = threading.Thread(target=_serve, args=(sock, server, zone), daemon=True)
        thread.start()
        yield server
        sock.sendto(b"", sock.getsockname())  # the end
        thread.join(5)


def _serve(sock: socket.socket, server: NameServer, zone: Zone) -> None:
    while True:
        question, peer = sock.recvfrom(4096)
        if not question:
            return
        name, kind, end = _read_question(question)
        reply = zone(name, kind, server.asked[name, kind])
        server.asked[name, kind] += 1
        if not reply.is_silent:
            sock.sendto(_format_reply(question, end, kind, reply), peer)


def _read_question(message: bytes) -> tuple[str, int, int]:
    labels, at = [], 12
    while message[at]:
        labels.append(message[at + 1 : at + 1 + message[at]].decode("ascii"))
        at += 1 + message[at]
    kind = struct.unpack_from("!H", message, at + 1)[0]
    return ".".join(labels).lower(), kind, at + 5


def _format_reply(question: bytes, end: int, kind: int, reply: Reply) -> bytes:
    version = 4 if kind == A else 6
    ips = [ip for ip in map(ipaddress.ip_address, reply.ips) if ip.version == version]
    head = question[:2] + struct.pack("!HHHHH", 0x8180 | reply.code, 1, len(ips), 0, 0)
    records = (
        b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, reply.ttl_s, len(ip.packed)) + ip.packed for ip in ips
    )
    return head + question[12:end] + b"".join(records)
