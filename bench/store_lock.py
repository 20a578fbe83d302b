"""How much of a crawl's time its workers hold the write lock of their store, and wait for it, by the crawl's
own profile."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.crawlers import TWO_WORKERS
from bench.measure import make_task
from bench.nginx import Nginx
from bench.process import run_command
from bench.web import Web

HELD, WAITED = "store.locked", "store.wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockShares:
    held: float  # of the duration of the crawl: only one worker can hold it
    waited: float  # of the time of each worker


def measure_locks(webs: Sequence[Web], nginx: Nginx) -> dict[str, LockShares]:
    """The shares of two workers, by web. These crawls are not among those that are compared: a profile costs
    something."""
    found = {web.name: _measure_lock(web, nginx) for web in webs}
    return {web: shares for web, shares in found.items() if shares is not None}


def _measure_lock(web: Web, nginx: Nginx) -> LockShares | None:
    print(f"{TWO_WORKERS.name} on {web.pages:,} {web.name} pages, with a profile …", file=sys.stderr)
    task = make_task(web, nginx.port)
    profile = task.data / "profile.json"
    command = [*TWO_WORKERS.command(task), "--profile", profile]
    run_command(command, stdout=task.stdout, stderr=task.stderr)
    return read_lock_shares(profile)


def read_lock_shares(profile: Path) -> LockShares | None:
    """None if the crawl wrote no profile, or one without the lock."""
    try:
        found: dict[str, Any] = json.loads(profile.read_text())
        operations = found["operations"]
        return LockShares(
            held=operations[HELD]["wall_s"] / found["seconds"],
            waited=operations[WAITED]["wall_s"] / found["crawl_s"],
        )
    except (OSError, ValueError, KeyError, ZeroDivisionError):
        return None
