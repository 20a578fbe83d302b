"""The server for the dashboard's end-to-end tests: a real `tenax serve` and a test web. It reads commands as
JSON lines from standard input and writes results as JSON lines to standard output; it ends with its input.

    {"order": "begin"}                     → {"url": …, "setup": …, "seeds": […], "hostile": …, "data": …}
    {"order": "stop"}                      → {}      kills the server
    {"order": "start"}                     → {}      starts it again on the same store and port
    {"order": "fill"}                      → {}      adds a hundred thousand domains
    {"order": "heal"}                      → {}      repairs the pages that failed
    {"order": "change"}                    → {}      changes the links of one host's home page
"""

import json
import re
import socket
import subprocess
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
from tests.support.command import COMMAND
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

DELAY_S = 0.15
MANY = 100_000
HOSTS = ("amber.test", "birch.test", "coral.test", "delta.test", "ember.test", "fjord.test")
ROBOTS = "User-agent: *\nAllow: /\nDisallow: /p/1.html\nDisallow: /p/7\nCrawl-delay: 0.2\n"
HOSTILE = """<!doctype html><html><head>
<title>&lt;script&gt;window.owned=1&lt;/script&gt;&lt;img src=x onerror="window.owned=2"&gt;\u202eevil</title>
<meta name="description" content='"><svg onload="window.owned=3">'></head><body>
<p>&lt;script&gt;window.owned=4&lt;/script&gt; {{constructor.constructor('window.owned=5')()}}</p>
<a href="javascript:window.owned=6">javascript</a> <a href="data:text/html,owned">data</a>
<a href='/next?"><script>window.owned=7</script>'>"&gt;&lt;script&gt;window.owned=8&lt;/script&gt;</a>
<a href="https://partner.example/">out</a> <a href="https://news.example/today">of</a>
<a href="https://shop.example/sale">scope</a>
</body></html>"""


class HostileOrigin(BaseHTTPRequestHandler):
    """Every page tries to run code in the browser that shows it."""

    def do_GET(self) -> None:
        is_robots = self.path == "/robots.txt"
        body = (f"User-agent: *\nAllow: /\n# {HOSTILE}\n" if is_robots else HOSTILE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if is_robots else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class Service:
    """`tenax serve`, run as users do; `settings`: more of them, as TOML."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self._folder = folder
        self._config = folder / "tenax.toml"
        self._config.write_text(
            f"[politeness]\ndelay_s = {DELAY_S}\njitter = 0.0\n[worker]\nbatch_s = 0.2\n"
            "[server]\nanonymous_per_min = 100000\nuser_per_min = 100000\nadmin_per_min = 100000\n" + settings
        )
        with socket.socket() as ear:
            ear.bind(("127.0.0.1", 0))
            self.port: int = ear.getsockname()[1]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Start it and return its first output, which includes the setup link the first time."""
        last = "Serving" if self._process else "/setup#token="
        command = [str(COMMAND), "serve", "--data", str(self._folder / "crawl"), "--port", str(self.port)]
        command += ["--workers", "1", "--config", str(self._config), "--contact", "tests@example.com"]
        command += ["--resolve", "*:127.0.0.1", "--allow-private"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = ""
        for line in self._process.stdout or ():
            said += line
            if last in line:
                break
        else:
            raise RuntimeError(f"tenax serve has ended: {said}")
        threading.Thread(target=self._drain, args=(self._process,), daemon=True).start()
        return said

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def fill(self) -> None:
        """Insert copies of a domain directly: the store's methods would take a minute for so many."""
        with closing(sqlite.connect(self._folder / "crawl" / STORE_NAME, timeout=30)) as connection:
            columns = [row[1] for row in connection.execute("PRAGMA table_info(domains)")]
            rest = ", ".join(name for name in columns if name not in ("id", "name"))
            connection.execute(
                f"WITH RECURSIVE ranks(rank) AS (SELECT 1 UNION ALL SELECT rank + 1 FROM ranks LIMIT {MANY})"
                f" INSERT INTO domains (name, {rest}) SELECT printf('domain-%06d.test', rank), {rest}"
                " FROM ranks, (SELECT * FROM domains WHERE status = 'blocked' LIMIT 1)"
            )
            connection.commit()

    def _drain(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            print(line, end="", file=sys.stderr, flush=True)


@contextmanager
def run_hostile() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), HostileOrigin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://hostile.test:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenax-dashboard-")))
        behaviors = {
            "amber.test": HostBehavior(robots=ROBOTS, redirects=(3, 4), has_pdf=True),
            "fjord.test": HostBehavior(error_pages={1: 400, 2: 400}),
            "birch.test": HostBehavior(error_pages={5: 500, 9: 404, 12: 410}, delay_s=0.05),
        }
        web = stack.enter_context(TestWeb(hosts=HOSTS, pages_per_host=500, behaviors=behaviors))
        hostile = stack.enter_context(run_hostile())
        service = Service(folder)
        stack.callback(service.stop)
        for line in sys.stdin:
            order = json.loads(line)["order"]
            answer: dict[str, Any] = {}
            if order == "stop":
                service.stop()
            elif order == "fill":
                service.fill()
            elif order == "heal":
                web.set_behavior("fjord.test", HostBehavior())
            elif order == "change":
                web.set_behavior("coral.test", HostBehavior(has_pdf=True, redirects=(2,)))
            else:
                said = service.start()
                setup = re.search(r"http\S+/setup#token=\S+", said)
                address = f"http://127.0.0.1:{service.port}"
                answer = {"url": address, "setup": setup[0] if setup else None}
                answer |= {"seeds": web.seeds(), "hostile": hostile, "data": str(folder / "crawl")}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
