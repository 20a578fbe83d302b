"""What names a store."""

import pytest

from tenax.errors import UsageError
from tenax.stores.place import find_place


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://crawler@db.example/crawl",
        "postgres://crawler:secret@db.example:5432/crawl",
        "postgresql://crawler@db1.example,db2.example/crawl?target_session_attrs=primary",
        "postgresql://crawler@db1.example:5432,db2.example:5433/crawl",
        "postgresql://crawler@[::1]:5432/crawl",
    ],
)
def test_an_address_of_a_server_names_its_database(url: str) -> None:
    assert find_place(url, None).url == url


@pytest.mark.parametrize("hosts", ["db:0", "db:port", "db:99999", "db1:5432,db2:port"])
def test_an_address_with_an_impossible_port_is_no_store(hosts: str) -> None:
    with pytest.raises(UsageError, match="is not a store"):
        find_place(f"postgresql://crawler@{hosts}/crawl", None)
