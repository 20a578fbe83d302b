"""Asks whether this machine's network works: name servers, hosts, and the default gateway if there is nobody
else.

The guard has no say here, and this is its only exception: name servers, gateways and the hosts of the
settings usually have private addresses. Nothing is requested from them, and none of them comes from the web.
The address of an origin has passed the guard when it answered.
"""

import asyncio
import contextlib
import secrets
import socket
import struct
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Final

from tenax.config.network import split_endpoint
from tenax.errors import ConfigError
from tenax.fetch.routes import is_neighbor
from tenax.policy.outages import NetworkState, ReferenceAnswers, judge_references
from tenax.record import record

DNS_PORT: Final = 53
HTTPS_PORT: Final = 443
_GATEWAY_PORTS: Final = (53, 80)  # refusing them is an answer, too
# Random names in this zone, which exists for examples: nobody can have them in a cache.
_ZONE: Final = "example.com"
_ANSWERED: Final = frozenset({0, 3})  # no error, no such name
_SENDS: Final = 3  # of a question, until its time is over: datagrams get lost
_MOST_BYTES: Final = 4096


@record
class Endpoint:
    ip: str
    port: int


@record
class References:
    """Whom to ask."""

    name_servers: tuple[Endpoint, ...] = ()
    hosts: tuple[Endpoint, ...] = ()
    gateways: tuple[str, ...] = ()  # asked only if the others say nothing
    needs_names: bool = False  # nothing works without name servers
    known_name: str | None = None  # a host that was found before: some name servers know nothing else


@record
class NetworkVerdict:
    state: NetworkState
    detail: str  # who answered, or did not


def parse_endpoints(texts: Iterable[str], port: int) -> tuple[Endpoint, ...]:
    """`port`: of those that do not name one. Raises ConfigError."""
    return tuple(_parse_endpoint(text, port) for text in texts)


def _parse_endpoint(text: str, port: int) -> Endpoint:
    found = split_endpoint(text, port)
    if found is None:
        raise ConfigError(f'"{text}" is not an address. Write IP, IP:PORT or [IPV6]:PORT.')
    return Endpoint(ip=found[0], port=found[1])


async def check(references: References, timeout_s: float) -> NetworkVerdict:
    """Ask everybody at the same time. Takes at most twice the timeout, and never raises."""
    names, hosts = await asyncio.gather(
        _ask_names(references, timeout_s),
        _ask_any([_ask_host(each) for each in references.hosts], timeout_s),
    )
    gateway = None
    if not names and hosts is None:
        gateway = await _ask_gateways(references.gateways, timeout_s)
    found = ReferenceAnswers(names=names, hosts=hosts, gateway=gateway)
    state = judge_references(found, needs_names=references.needs_names)
    return NetworkVerdict(state=state, detail=describe(found, state))


def describe(found: ReferenceAnswers, state: NetworkState) -> str:
    """What the state follows from, as part of a sentence."""
    if state is NetworkState.UNKNOWN:
        return "there is no reference to ask"
    if state is NetworkState.UP:
        return f"{'name servers' if found.names else 'hosts' if found.hosts else 'the gateway'} answered"
    if found.names is False and found.hosts is not False:
        return "no name server answers"
    return "no reference answers"


async def _ask_names(references: References, timeout_s: float) -> bool | None:
    """None: they can be reached, and that is all that is known."""
    if not references.name_servers:
        return False if references.needs_names else None
    name = f"{secrets.token_hex(8)}.{_ZONE}"
    found = await _ask_any(
        [_ask_name_server(each, name, timeout_s) for each in references.name_servers], timeout_s
    )
    if found is not None or references.known_name is None:
        return found
    known = references.known_name
    questions = [_ask_name_server(each, known, timeout_s) for each in references.name_servers]
    return bool(await _ask_any(questions, timeout_s))


async def _ask_gateways(gateways: Sequence[str], timeout_s: float) -> bool | None:
    """None: they are there, but not for us."""
    endpoints = [Endpoint(ip=ip, port=port) for ip in gateways for port in _GATEWAY_PORTS]
    found = await _ask_any([_ask_host(each) for each in endpoints], timeout_s)
    return None if found is False and any(map(is_neighbor, gateways)) else found


async def _ask_any(questions: Sequence[Coroutine[Any, Any, bool | None]], timeout_s: float) -> bool | None:
    """Whether one of them answered in time; None: none did, but not all were silent, or there is none."""
    if not questions:
        return None
    tasks = [asyncio.create_task(_ask_in_time(question, timeout_s)) for question in questions]
    found: bool | None = False
    try:
        for task in asyncio.as_completed(tasks):
            if answer := await task:
                return True
            found = None if answer is None else found
        return found
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ask_in_time(question: Coroutine[Any, Any, bool | None], timeout_s: float) -> bool | None:
    try:
        async with asyncio.timeout(timeout_s):
            return await question
    except (OSError, TimeoutError):
        return False


async def _ask_host(endpoint: Endpoint) -> bool:
    """Whether a connection can be opened, or is refused: both are answers."""
    with _new_socket(endpoint, socket.SOCK_STREAM) as sock:
        try:
            await asyncio.get_running_loop().sock_connect(sock, (endpoint.ip, endpoint.port))
        except ConnectionRefusedError:
            return True
        return True


async def _ask_name_server(endpoint: Endpoint, name: str, timeout_s: float) -> bool | None:
    """Whether it finds out about a name. None: it answers that it cannot."""
    question = build_question(secrets.token_bytes(2), name)
    loop = asyncio.get_running_loop()
    with _new_socket(endpoint, socket.SOCK_DGRAM) as sock:
        sock.connect((endpoint.ip, endpoint.port))
        for _ in range(_SENDS):
            await loop.sock_sendall(sock, question)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s / _SENDS):
                    while not is_reply(reply := await loop.sock_recv(sock, _MOST_BYTES), question):
                        pass
                    return True if reply[3] & 0x0F in _ANSWERED else None
    return False


def build_question(number: bytes, name: str) -> bytes:
    """A DNS query for an address."""
    labels = b"".join(bytes((len(each),)) + each for each in name.encode("ascii").split(b"."))
    return number + struct.pack("!HHHHH", 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", 1, 1)


def is_reply(reply: bytes, question: bytes) -> bool:
    return len(reply) >= 12 and reply[:2] == question[:2] and bool(reply[2] & 0x80)


def _new_socket(endpoint: Endpoint, kind: socket.SocketKind) -> socket.socket:
    family = socket.AF_INET6 if ":" in endpoint.ip else socket.AF_INET
    sock = socket.socket(family, kind)
    sock.setblocking(False)
    return sock
