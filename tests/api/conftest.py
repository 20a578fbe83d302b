"""A small crawl behind a server, in a file and in a database with a Redis beside it."""

from collections.abc import Iterator

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.stores.place import Place
from tests.support.api import ApiServer, run_api
from tests.support.stores import fill_store


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Over a small crawl that nobody changes."""
    folder = tmp_path_factory.mktemp("api") / "crawl"
    fill_store(folder)
    with run_api(Place(folder=folder)) as server:
        yield server


@pytest.fixture
def client(filled: ApiServer) -> Iterator[httpx.Client]:
    with filled.client(Role.ADMIN) as client:
        yield client
