"""What counts as one client."""

import pytest

from tenax.accounts.limits import name_client


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::2", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("a proxy's nonsense", "unknown"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_an_ipv6_network_counts_as_one_address(address: str | None, client: str) -> None:
    assert name_client(address) == client
