from pathlib import Path

import pytest

from tests.support.stores import fill_store


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small crawl that no test changes."""
    folder = tmp_path_factory.mktemp("filled") / "crawl"
    fill_store(folder)
    return folder
