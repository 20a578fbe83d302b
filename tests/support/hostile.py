"""Origins that misbehave: raw sockets in threads, one behavior each.

    with hostile_origin(endless_body) as origin:
        fetch(f"http://127.0.0.1:{origin.port}/")

A behavior gets a Peer per connection and does anything with it; when it returns, the connection is closed.
`page` and `answer` are well-behaved ones for comparison.
"""

import errno
import gzip
import socket
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

PAGE = b"<!doctype html><title>A page</title><p>" + b"Some words of a page. " * 100

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_GZIP = b"Content-Encoding: gzip\r\n"
_TIMEOUT_S = 30.0  # of a socket, in case a test does not close it


class Left(Exception):
    """The client or the test has closed the connection."""


class Peer:
    """A connection, from the origin's point of view."""

    def __init__(self, origin: "HostileOrigin", connection: socket.socket) -> None:
        self._origin = origin
        self._socket = connection

    def read_request(self) -> bytes:
        """Read the head of the next request. Raises Left if there is none."""
        head = b""
        while b"\r\n\r\n" not in head:
            piece = self._receive()
            if not piece:
                raise Left
            head += piece
        self._origin.requests.append(head)
        return head

    def read_more(self) -> bytes:
        """Read some of what follows. Raises Left if there is nothing."""
        piece = self._receive()
        if not piece:
            raise Left
        return piece

    def send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise Left from error
        self._origin.sent_bytes += len(data)

    def pause(self, seconds: float) -> None:
        if self._origin.is_over.wait(seconds):
            raise Left

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Use TLS from now on."""
        try:
            wrapped = context.wrap_socket(self._socket, server_side=True, do_handshake_on_connect=False)
            self._socket = wrapped
            wrapped.do_handshake()
        except OSError as error:
            raise Left from error

    def close(self) -> None:
        self._socket.close()

    def hang(self) -> None:
        """Send nothing more until the client disconnects."""
        while self._receive():
            pass

    def reset(self) -> None:
        """Make the next close a RST."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _receive(self) -> bytes:
        try:
            return self._socket.recv(65_536)
        except OSError as error:
            raise Left from error


Behavior = Callable[[Peer], None]


class HostileOrigin:
    """A listening origin and what it received."""

    def __init__(self, behavior: Behavior, host: str) -> None:
        self._behavior = behavior
        self._listener = socket.create_server((host, 0), backlog=256)
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self.port: int = self._listener.getsockname()[1]
        self.is_over = threading.Event()
        self.requests: list[bytes] = []
        self.connections = 0
        self.sent_bytes = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        self._acceptor.start()

    def stop(self) -> None:
        self.is_over.set()
        with socket.create_connection(self._listener.getsockname()):
            self._acceptor.join(_TIMEOUT_S)  # the connection woke it up
        for connection in self._open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        for thread in self._threads:
            thread.join(_TIMEOUT_S)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                # Some tests use up the descriptors of this process: the client should notice, not its server.
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    time.sleep(0.01)
                    continue
                return
            if self.is_over.is_set():
                connection.close()
                return
            connection.settimeout(_TIMEOUT_S)
            self.connections += 1
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        peer = Peer(self, connection)
        try:
            self._behavior(peer)
        except Left:
            return
        finally:
            peer.close()


@contextmanager
def hostile_origin(behavior: Behavior, host: str = "127.0.0.1") -> Iterator[HostileOrigin]:
    origin = HostileOrigin(behavior, host)
    origin.start()
    try:
        yield origin
    finally:
        origin.stop()


# --- well-behaved, for comparison ----------------------------------------------------------------


def answer(body: bytes = PAGE, *, status: str = "200 OK", headers: bytes = b"") -> Behavior:
    """Send the same response to every request of a kept-alive connection; `headers` replace the content
    type."""
    fields = headers or b"Content-Type: text/html\r\n"
    head = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n" % (status.encode(), len(body))

    def behave(peer: Peer) -> None:
        while True:
            peer.read_request()
            peer.send(head + fields + b"\r\n" + body)

    return behave


page = answer()


# --- slow ------------------------------------------------------------------------------------------


def slow_headers(peer: Peer) -> None:
    peer.read_request()
    peer.send(_OK)
    for _ in range(1000):
        peer.send(b"x")
        peer.pause(1.0)


def stall_before_headers(peer: Peer) -> None:
    peer.read_request()
    peer.hang()


def stall_after_headers(peer: Peer) -> None:
    peer.read_request()
    peer.send(_OK + b"Content-Length: 1000\r\n\r\n")
    peer.hang()


def slow_body(peer: Peer) -> None:
    peer.read_request()
    peer.send(_OK + b"Content-Length: 1000\r\n\r\n")
    for _ in range(1000):
        peer.send(b"<")
        peer.pause(1.0)


# --- endless and of the wrong length ---------------------------------------------------------------


def endless_body(peer: Peer) -> None:
    peer.read_request()
    peer.send(_OK + b"Connection: close\r\n\r\n")
    while True:
        peer.send(b"<p>more</p>" * 6000)


def endless_pdf(peer: Peer) -> None:
    peer.read_request()
    peer.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n")
    while True:
        peer.send(b"x" * 65_536)


def endless_chunks(peer: Peer) -> None:
    peer.read_request()
    peer.send(_OK + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        peer.send(b"1\r\n<\r\n" * 10_000)


def short_body(peer: Peer) -> None:
    """Less than announced, then the end."""
    peer.read_request()
    peer.send(_OK + b"Content-Length: 100000\r\n\r\n" + PAGE)


def long_body(peer: Peer) -> None:
    """More than announced: the rest looks like a response to the next request."""
    peer.read_request()
    peer.send(_OK + b"Content-Length: %d\r\n\r\n" % len(PAGE) + PAGE + _OK + b"\r\nstolen")
    peer.hang()


def huge_headers(peer: Peer) -> None:
    """100 MB of them."""
    peer.read_request()
    peer.send(_OK)
    for _ in range(1000):
        peer.send(b"".join(b"X-%d: %s\r\n" % (i, b"y" * 990) for i in range(100)))


def endless_header(peer: Peer) -> None:
    """A single one that does not end."""
    peer.read_request()
    peer.send(_OK + b"X: ")
    while True:
        peer.send(b"y" * 65_536)


def endless_interim(peer: Peer) -> None:
    """Early hints, but never a response."""
    peer.read_request()
    while True:
        peer.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 1000)


# --- encodings -------------------------------------------------------------------------------------


def _encoded(body: bytes) -> Behavior:
    return answer(body, headers=b"Content-Type: text/html\r\n" + _GZIP)


def stall_in_gzip(peer: Peer) -> None:
    peer.read_request()
    peer.send(_OK + _GZIP + b"Content-Length: 1000\r\n\r\n" + gzip.compress(PAGE)[:-20])
    peer.hang()


def truncated_gzip(peer: Peer) -> None:
    _encoded(gzip.compress(PAGE)[:-20])(peer)


def broken_gzip(peer: Peer) -> None:
    """The checksum is wrong."""
    body = gzip.compress(PAGE)
    _encoded(body[:-8] + b"\0\0\0\0" + body[-4:])(peer)


def plain_as_gzip(peer: Peer) -> None:
    _encoded(PAGE)(peer)


def double_gzip(peer: Peer) -> None:
    """Compressed twice, labeled once."""
    _encoded(gzip.compress(gzip.compress(PAGE)))(peer)


def gzip_bomb(peer: Peer) -> None:
    """A gigabyte of zeros."""
    _send_bomb(peer, "200 OK", b"Content-Type: text/html\r\n")


def gzip_bomb_on_redirect(peer: Peer) -> None:
    _send_bomb(peer, "302 Found", b"Location: /elsewhere\r\n")


def _send_bomb(peer: Peer, status: str, headers: bytes) -> None:
    peer.read_request()
    head = b"HTTP/1.1 %s\r\n" % status.encode()
    peer.send(head + headers + _GZIP + b"Connection: close\r\n\r\n" + _bomb())


@lru_cache(maxsize=1)
def _bomb() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    # After a full flush the stream has no back references, so the piece can be repeated.
    head = packer.compress(b"<") + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(16 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * 64


# --- not HTTP --------------------------------------------------------------------------------------


def garbage(peer: Peer) -> None:
    peer.read_request()
    peer.send(b"\x00\xffSSH-2.0-OpenSSH_9.9\r\n" * 100)


def close_at_once(peer: Peer) -> None:
    peer.read_request()


def reset_at_once(peer: Peer) -> None:
    peer.read_request()
    peer.reset()


def reset_in_body(peer: Peer) -> None:
    peer.read_request()
    peer.send(_OK + b"Content-Length: 100000\r\n\r\n" + PAGE)
    peer.pause(0.05)
    peer.reset()
