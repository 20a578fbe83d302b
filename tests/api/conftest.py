"""Small crawls behind servers, each in a file and in a database."""

from collections.abc import Iterator

import httpx
import pytest

from tenax.accounts.permissions import Role
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill, long_ago
from tests.support.history import fill_with_history
from tests.support.service_rows import fill_service_rows


@pytest.fixture(scope="session", params=KINDS)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """On a small crawl that no test changes."""
    with empty_store(request.param, tmp_path_factory.mktemp("api") / "crawl") as store:
        fill(store)
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def client(filled: ApiServer) -> Iterator[httpx.Client]:
    with filled.client(Role.ADMIN) as client:
        yield client


@pytest.fixture(scope="session", params=KINDS)
def aged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """On a crawl with history that no test changes."""
    with empty_store(request.param, tmp_path_factory.mktemp("api") / "crawl") as store:
        with long_ago(store) as clock:
            fill_with_history(store.place, clock)
        fill_service_rows(store.place)
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def reader(aged: ApiServer) -> Iterator[httpx.Client]:
    """A user who may read everything."""
    with aged.client(Role.ADMIN) as client:
        yield client
