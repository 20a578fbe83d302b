"""A fetcher trusts only certificates that the system vouches for."""

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.config.fetch import FetchSettings
from tenax.records.requests import Failure, FailureKind
from tests.support.fetching import LOCAL, expect_failure, expect_response, fetch
from tests.support.hostile import PAGE, Behavior, HostileOrigin, Peer, hostile_origin, page

SETTINGS = LOCAL.model_copy(update={"resolve": ("*:127.0.0.1",)})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for shop.example; its key lies beside it."""
    path = tmp_path_factory.mktemp("tls") / "shop.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        f" -subj /CN=shop.example -addext subjectAltName=DNS:shop.example"
        f" -keyout {path.with_suffix('.key')} -out {path}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    return path


@pytest.fixture
def shop(certificate: Path) -> Iterator[HostileOrigin]:
    """A good page over TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))

    def behave(peer: Peer) -> None:
        peer.encrypt(context)
        page(peer)

    with hostile_origin(behave) as origin:
        yield origin


def close_in_handshake(peer: Peer) -> None:
    peer.pause(0.02)


def fail_over_tls(behavior: Behavior, settings: FetchSettings = SETTINGS) -> Failure:
    with hostile_origin(behavior) as origin:
        return expect_failure(fetch(f"https://shop.example:{origin.port}/", settings))


def test_a_self_signed_certificate_is_refused(shop: HostileOrigin) -> None:
    failure = expect_failure(fetch(f"https://shop.example:{shop.port}/", SETTINGS))
    assert (failure.kind, failure.is_transient) == (FailureKind.TLS, False)
    assert failure.detail == "the certificate is not trusted: self-signed certificate"
    assert not shop.requests


def test_a_certificate_that_the_system_trusts_is_accepted(
    shop: HostileOrigin, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    response = expect_response(fetch(f"https://shop.example:{shop.port}/", SETTINGS))
    assert response.body == PAGE
    assert response.timings.connect_s < response.timings.tls_s < response.timings.first_byte_s


def test_a_certificate_of_another_host_is_refused(
    shop: HostileOrigin, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    failure = expect_failure(fetch(f"https://other.example:{shop.port}/", SETTINGS))
    assert (failure.kind, failure.is_transient) == (FailureKind.TLS, False)
    assert failure.detail == "the certificate is not trusted: it does not fit the host"


def test_a_server_without_tls_fails_for_good() -> None:
    def speak_plainly(peer: Peer) -> None:
        peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)
        peer.hang()

    failure = fail_over_tls(speak_plainly)
    assert (failure.kind, failure.is_transient) == (FailureKind.TLS, False)


def test_a_handshake_that_breaks_may_be_tried_again() -> None:
    failure = fail_over_tls(close_in_handshake)
    assert (failure.kind, failure.is_transient) == (FailureKind.TLS, True)


def test_a_handshake_that_stalls_is_a_time_out() -> None:
    failure = fail_over_tls(Peer.hang, SETTINGS.model_copy(update={"timeout_s": 60.0}))
    assert (failure.kind, failure.is_transient) == (FailureKind.TIMEOUT, True)
    assert failure.elapsed_s < 20
