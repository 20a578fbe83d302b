"""The server for the dashboard's tests of feeds and tasks: a real `tenax serve` with a broker, and a web with
feeds. Commands and results as in dashboard.py.

    {"order": "begin"}   → {"url": …, "setup": …, "feeds": […]}   with sources that exist from the start
    {"order": "task"}    → {"task": …, "run": …}      no worker can join it; one tries
    {"order": "mend"}    → {}                         it can be joined
"""

import json
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pysqlite3 import dbapi2 as sqlite

from tenax.stores.layout import STORE_NAME
from tests.support.command import run_tenax
from tests.support.crawler import wait_until
from tests.support.dispatching import Fleet
from tests.support.rabbitmq import find_broker
from tests.support.web import TestWeb

RSS = "application/rss+xml"
# One feed per host: feeds of the same host are polled one after another.
HOSTS = {"lagoon.test": "news", "reef.test": "broken"}
HOME = '<link rel="alternate" type="' + RSS + '" href="/{name}.xml">'
NEWS = (
    "<rss version='2.0'><channel><title>Lagoon news</title>"
    "<item><link>/one</link></item><item><link>/two</link></item></channel></rss>"
)
ANSWERS = {"/news.xml": (200, RSS, NEWS), "/broken.xml": (500, "text/plain", "Out of order.")}
ENVIRONMENT = {
    "TENAX_FETCH__ALLOW_PRIVATE": "true",
    "TENAX_FETCH__RESOLVE": '["*:127.0.0.1"]',
    "TENAX_POLITENESS__DELAY_S": "0.05",
}
# Settings of another version of Tenax, as seen by a worker that is not upgraded yet.
UNREADABLE = '{"another": {"version": 9}}'


class FeedOrigin(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = HOSTS[self.headers["Host"].partition(":")[0]]
        home = (200, "text/html", HOME.format(name=name))
        missing = (404, "text/plain", "")
        status, kind, text = home if self.path == "/" else ANSWERS.get(self.path, missing)
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def run_feeds() -> Iterator[list[str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), FeedOrigin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield [f"http://{host}:{server.server_port}/" for host in HOSTS]
    finally:
        server.shutdown()
        server.server_close()


class Scenario:
    def __init__(self, folder: Path, fleet: Fleet, web: TestWeb, feeds: list[str]) -> None:
        self._folder = folder
        self._fleet = fleet
        self._web = web
        self._feeds = feeds
        self._run_id = 0
        self._settings = ""

    def begin(self) -> dict[str, Any]:
        file = self._folder / "sources.yaml"
        file.write_text(
            "".join(
                f"- name: {name}\n  seeds: [{seed}]\n  enabled: true\n  feeds: true\n"
                for name, seed in zip(("Lagoon", "Reef"), self._feeds, strict=True)
            )
        )
        applied = run_tenax("apply", "-f", file, *self._fleet.options)
        assert applied.code == 0, applied.err
        server = self._fleet.serve(**ENVIRONMENT)
        wait_until(lambda: "/setup#token=" in server.stdout, "it says how to set it up")
        (setup,) = re.findall(r"http\S+/setup#token=\S+(?=\s)", server.stdout)
        return {"url": setup.split("/setup")[0], "setup": setup, "feeds": self._feeds}

    def add_task(self) -> dict[str, Any]:
        self._run_id = self._fleet.open_run(self._web)
        of_run = (self._run_id,)
        with self._open() as connection:
            (self._settings,) = connection.execute(
                "SELECT settings FROM runs WHERE id = ?", of_run
            ).fetchone()
            connection.execute("UPDATE runs SET settings = ? WHERE id = ?", (UNREADABLE, *of_run))
            # Four others have tried before.
            connection.execute("UPDATE tasks SET deliveries = 4 WHERE run_id = ?", of_run)
            (task,) = connection.execute("SELECT id FROM tasks WHERE run_id = ?", of_run).fetchone()
            connection.commit()
        self._fleet.work()
        return {"task": task, "run": self._run_id}

    def mend(self) -> dict[str, Any]:
        with self._open() as connection:
            connection.execute("UPDATE runs SET settings = ? WHERE id = ?", (self._settings, self._run_id))
            connection.commit()
        return {}

    def _open(self) -> Any:
        return closing(sqlite.connect(self._fleet.place.folder / STORE_NAME, timeout=30))


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenax-dashboard-")))
        web = stack.enter_context(TestWeb(hosts=2, pages_per_host=3))
        feeds = stack.enter_context(run_feeds())
        fleet = Fleet(folder, None, find_broker())
        stack.callback(fleet.close)
        history = Scenario(folder, fleet, web, feeds)
        orders = {"begin": history.begin, "task": history.add_task, "mend": history.mend}
        for line in sys.stdin:
            print(json.dumps(orders[json.loads(line)["order"]]()), flush=True)


if __name__ == "__main__":
    main()
