"""A process that runs one operation of a server and dies at a failpoint: poll feeds, or send messages.

Started as `python -m tests.support.operation_process OPERATION`, with the operation as JSON.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.failpoints import EXIT_CODE
from tenax.jobs.feeds.poller import FeedPoller
from tenax.jobs.webhooks.sender import WebhookSender
from tenax.runtime.engine import open_fetcher
from tenax.runtime.server import open_server_runtime
from tenax.stores.place import Place

MODULE = "tests.support.operation_process"
TIMEOUT_S = 60.0
POLLS, POLL_S = 40, 0.1


def describe_operation(place: Place, settings: Settings, operation: str) -> str:
    return json.dumps(
        {
            "folder": str(place.folder),
            "url": place.url,
            "settings": settings.model_dump_json(),
            "errand": operation,
        }
    )


def die_at(failpoint: str, place: Place, settings: Settings, operation: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", MODULE, describe_operation(place, settings, operation)],
        env={**os.environ, "TENAX_FAILPOINT": failpoint},
        cwd=Path(__file__).parents[2],
        timeout=TIMEOUT_S,
        check=False,
    )
    assert ended.returncode == EXIT_CODE


async def run_operation(place: Place, settings: Settings, operation: str) -> None:
    clock = SystemClock()
    async with (
        open_server_runtime(place, settings) as server_runtime,
        open_fetcher(settings, clock) as fetcher,
    ):
        if operation == "webhooks":
            sender = WebhookSender(server_runtime.access, fetcher, clock)
            await sender.collect()
            await sender.send()
        else:
            poller = FeedPoller(settings, server_runtime.access, server_runtime.stores, fetcher)
            await poller.refresh_sources()
            # A domain that was slow to give its robots.txt rests as long before it gives a feed.
            for _ in range(POLLS):
                await poller.poll()
                await asyncio.sleep(POLL_S)


def main() -> None:
    order = json.loads(sys.argv[1])
    place = Place(folder=Path(order["folder"]), url=order["url"])
    asyncio.run(run_operation(place, Settings.model_validate_json(order["settings"]), order["errand"]))


if __name__ == "__main__":
    main()
