"""CPU per page of a worker on PostgreSQL beside the same worker on SQLite, and what the server needs.

python -m bench.postgres [--rounds N]
"""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil

from bench.crawlers import ONE_WORKER, Task, command_of_tenax
from bench.document import format_text_table
from bench.measure import Result, choose, measure, serve_webs
from bench.nginx import Nginx
from bench.process import Command
from bench.turns import take_turn
from bench.web import QUICK_HEAVY, QUICK_SMALL, Web
from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.support.servers import PostgresServer

WEBS = (QUICK_SMALL, QUICK_HEAVY)


def command_on_server(task: Task, url: str) -> Command:
    return [*command_of_tenax(task, workers=1), "--store", url, "--fresh"]


def server_cpu_s(server: PostgresServer) -> float:
    """Of all its processes, also those of sessions that have ended."""
    process = psutil.Process(server.pid)
    times = [each.cpu_times() for each in (process, *process.children())]
    ended = times[0].children_user + times[0].children_system
    return float(ended + sum(each.user + each.system for each in times))


def measure_web(web: Web, nginx: Nginx, server: PostgresServer, rounds: int) -> tuple[str, ...]:
    on_server = replace(ONE_WORKER, name="postgres", command=partial(command_on_server, url=server.url))
    found: dict[str, list[Result]] = {ONE_WORKER.name: [], on_server.name: []}
    server_ms: list[float] = []
    for number in range(rounds):
        for crawler in (ONE_WORKER, on_server) if number % 2 == 0 else (on_server, ONE_WORKER):
            print(f"{crawler.name} on {web.pages:,} {web.name} pages …", file=sys.stderr)
            before = server_cpu_s(server)
            result = measure(crawler, web, nginx)
            assert result.problem is None, result.problem
            found[crawler.name].append(result)
            if crawler is on_server:
                server_ms.append(1000 * (server_cpu_s(server) - before) / result.pages)
    file, database = (choose(runs) for runs in found.values())
    return (
        web.name,
        f"{file.cpu_ms_per_page:.3f}",
        f"{database.cpu_ms_per_page:.3f}",
        f"{database.cpu_ms_per_page / file.cpu_ms_per_page:.2f}",
        f"{min(server_ms):.3f}",
        f"{file.pages_per_s:.0f}",
        f"{database.pages_per_s:.0f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.postgres", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds: int = parser.parse_args().rounds
    server = PostgresServer("max_connections=50")
    server.start()
    try:
        migrate(Place(folder=Path("/nowhere"), url=server.url))
        with take_turn(), serve_webs(WEBS) as nginx:
            rows = [measure_web(web, nginx, server, rounds) for web in WEBS]
    finally:
        server.close()
    names = ("web", "SQLite ms", "PostgreSQL ms", "ratio", "server ms", "SQLite/s", "PostgreSQL/s")
    print(format_text_table(names, rows))


if __name__ == "__main__":
    main()
