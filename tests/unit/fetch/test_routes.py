"""What the kernel knows about addresses."""

import pytest

from tenax.fetch import routes
from tenax.fetch.routes import is_neighbor, is_own_address, list_gateways

V4 = """\
Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
eth0 00000000 010200C0 0003 0 0 0 00000000 0 0 0
eth0 000200C0 00000000 0001 0 0 0 00FFFFFF 0 0 0
"""
ANY = "0" * 32
V6 = f"""\
{ANY} 00 {ANY} 00 fd000000000000000000000000000001 0 0 0 3 eth0
{ANY} 00 {ANY} 00 fe800000000000000000000000000001 0 0 0 3 eth0
fd000000000000000000000000000000 40 {ANY} 00 {ANY} 0 0 0 1 eth0
"""
ARP = """\
IP address HW type Flags HW address Mask Device
192.0.2.1 0x1 0x2 02:00:00:00:00:01 * eth0
192.0.2.9 0x1 0x0 00:00:00:00:00:00 * eth0
"""


@pytest.fixture(autouse=True)
def tables(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    files = {"/proc/net/route": V4, "/proc/net/ipv6_route": V6, "/proc/net/arp": ARP}
    monkeypatch.setattr(
        routes, "_read_table", lambda path: [line.split() for line in files.get(path, "").splitlines()]
    )
    return files


def test_the_default_gateways_are_found_and_none_that_needs_an_interface() -> None:
    assert list_gateways() == ("192.0.2.1", "fd00::1")


def test_a_machine_may_have_no_gateway(tables: dict[str, str]) -> None:
    tables.clear()
    assert list_gateways() == ()


def test_a_neighbor_has_made_itself_known() -> None:
    assert (is_neighbor("192.0.2.1"), is_neighbor("192.0.2.9"), is_neighbor("192.0.2.2")) == (
        True,
        False,
        False,
    )


def test_loopback_is_this_machine_itself_and_an_address_of_others_is_not() -> None:
    assert is_own_address("127.0.0.1")
    assert is_own_address("127.8.8.8")
    assert not is_own_address("203.0.113.7")
    assert not is_own_address("2001:db8::7")
