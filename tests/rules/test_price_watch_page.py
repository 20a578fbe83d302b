"""The examples in docs/price-watch.md are true."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tenax.api.routes.products import list_products
from tenax.api.routes.webhooks import WebhookBody
from tenax.records.products import Availability
from tenax.stores.webhooks.webhooks import PRODUCT_EVENTS
from tests.support.command import run_tenax
from tests.support.stores import fill_store

PAGE = (Path(__file__).parents[2] / "docs" / "price-watch.md").read_text()
COMMANDS = [
    line
    for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if "history" not in line and "show" not in line
]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("price_watch") / "crawl"
    fill_store(folder)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command: str, crawl: Path) -> None:
    ended = run_tenax(*shlex.split(command)[1:], "--data", crawl)
    assert (ended.code, ended.err) == (0, "")


def test_the_webhook_is_accepted() -> None:
    (body,) = re.findall(r"-d '(\{.*\})'", PAGE)
    hook = WebhookBody.model_validate(json.loads(body))
    assert hook.min_drop == 0.1
    assert set(hook.events) <= PRODUCT_EVENTS


def test_all_events_and_availabilities_are_named() -> None:
    assert {event for event in PRODUCT_EVENTS if f"| `{event}` |" not in PAGE} == set()
    assert {each for each in Availability if f"`{each}`" not in PAGE} == set()


def test_the_parameters_exist() -> None:
    named = re.findall(r"[?&](\w+)=", PAGE)
    assert named
    assert set(named) <= set(list_products.__annotations__)
