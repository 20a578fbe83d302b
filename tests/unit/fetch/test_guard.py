import pytest

from tenax.fetch.guard import Guard, is_forbidden

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2a00:1450:4001::1",
    "3ffe::1",
    "::ffff:8.8.8.8",
    "::8.8.8.8",
    "64:ff9b::8.8.8.8",
]

FORBIDDEN = [
    ("0.0.0.0", "unspecified"),
    ("0.255.255.255", "unspecified"),
    ("10.0.0.0", "private"),
    ("10.255.255.255", "private"),
    ("100.64.0.0", "carrier-grade NAT"),
    ("100.100.100.200", "carrier-grade NAT"),
    ("100.127.255.255", "carrier-grade NAT"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.255", "loopback"),
    ("168.63.129.16", "cloud platform"),
    ("169.254.169.254", "link-local"),
    ("172.16.0.0", "private"),
    ("172.31.255.255", "private"),
    ("192.0.0.192", "protocol assignments"),
    ("192.0.2.1", "documentation"),
    ("192.88.99.1", "6to4 relay"),
    ("192.168.1.1", "private"),
    ("198.18.0.1", "benchmarking"),
    ("198.19.255.255", "benchmarking"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.255", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.254", "reserved"),
    ("255.255.255.255", "broadcast"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("0:0:0:0:0:0:0:1", "loopback"),
    ("::127.0.0.1", "loopback"),
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:7f00:1", "loopback"),
    ("::ffff:0:10.0.0.1", "private"),
    ("::ffff:169.254.169.254", "link-local"),
    ("64:ff9b::10.0.0.1", "private"),
    ("64:ff9b::7f00:1", "loopback"),
    ("64:ff9b:1::8.8.8.8", "local NAT64"),
    ("64:ff9b:2::1", "reserved"),
    ("100::1", "discard-only"),
    ("100:0:0:1::1", "reserved"),
    ("2001::1", "Teredo"),
    ("2001:2::1", "protocol assignments"),
    ("2001:1ff:ffff::1", "protocol assignments"),
    ("2001:db8::1", "documentation"),
    ("2002:7f00:1::", "6to4"),
    ("2002:808:808::1", "6to4"),
    ("3fff::1", "documentation"),
    ("3fff:fff:ffff::1", "documentation"),
    ("4000::1", "reserved"),
    ("5f00::1", "segment routing"),
    ("fc00::1", "private"),
    ("fd00:ec2::254", "private"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local"),
    ("febf:ffff::1", "link-local"),
    ("fec0::1", "site-local"),
    ("ff02::1", "multicast"),
    ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
]

NO_ADDRESSES = ["", "localhost", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "1.2.3.4.5", "%"]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    assert is_forbidden(address) is None


@pytest.mark.parametrize(("address", "name"), FORBIDDEN)
def test_special_addresses_are_forbidden_by_the_name_of_their_range(address: str, name: str) -> None:
    assert is_forbidden(address) == name


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_what_is_no_address_is_forbidden(address: str) -> None:
    assert is_forbidden(address) == "not an address"


def test_a_zone_does_not_hide_an_address() -> None:
    assert is_forbidden("::1%lo") == "loopback"


def test_the_guard_refuses_private_addresses_by_default() -> None:
    assert Guard(allow_private=False).check("10.0.0.1") == "private"


def test_the_guard_lets_private_addresses_pass_when_they_are_allowed() -> None:
    assert Guard(allow_private=True).check("10.0.0.1") is None
