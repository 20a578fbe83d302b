"""nginx for the static web: one worker, loopback only, no privileges, everything in one directory."""

import getpass
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_TIMEOUT_S = 10.0

_CONFIG = """
# Without privileges nginx ignores this line with a notice. With privileges it would otherwise become the user
# nobody, who may not read the checkout.
user {user};
daemon off;
worker_processes 1;
pid {run}/nginx.pid;
error_log {run}/error.log warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {run}/body;
    proxy_temp_path {run}/proxy;
    fastcgi_temp_path {run}/fastcgi;
    uwsgi_temp_path {run}/uwsgi;
    scgi_temp_path {run}/scgi;
    types {{ text/html html; text/plain txt; }}
    charset utf-8;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    keepalive_timeout 60s;
    open_file_cache max=20000 inactive=600s;
    open_file_cache_valid 600s;
    server {{
{listen}
        root {root}/$server_addr;
    }}
    server {{
        listen 127.0.0.1:{port};
        location = /status {{ stub_status; }}
        location / {{ return 404; }}
    }}
}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nginx:
    port: int

    def count_requests(self) -> int:
        """Requests served so far as counted by nginx, including this one and earlier counts."""
        text = _read_status(self.port)
        match = re.search(r"^\s*\d+\s+\d+\s+(\d+)", text, re.MULTILINE)
        assert match, f"unexpected status page: {text!r}"
        return int(match[1])


@contextmanager
def serve(root: Path, run: Path, port: int, addresses: Iterable[str]) -> Iterator[Nginx]:
    """Start nginx. Each address serves the directory below root that is named after it."""
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    config = run / "nginx.conf"
    listen = "\n".join(f"        listen {address}:{port} backlog=1024;" for address in addresses)
    config.write_text(_CONFIG.format(user=getpass.getuser(), run=run, port=port, root=root, listen=listen))
    process = subprocess.Popen(
        [find_nginx(), "-c", str(config), "-e", str(run / "error.log")], stderr=subprocess.DEVNULL
    )
    try:
        _wait_until_ready(process, port, run)
        yield Nginx(port=port)
    finally:
        process.terminate()
        process.wait()


def find_nginx() -> str:
    found = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin:/usr/bin")
    if found is None:
        raise SystemExit(
            "The benchmark needs nginx. Install it, for example with `apt-get install nginx-light`."
        )
    return found


def find_port(preferred: int | None) -> int:
    """Find a port: the preferred one if it is free, because the absolute links of an existing web contain
    it."""
    for port in (preferred or 0, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise SystemExit("There is no free port on 127.0.0.1.")


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, run: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            _read_status(port)
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.05)
        else:
            return
    log = run / "error.log"
    raise SystemExit(f"nginx did not start: {log.read_text() if log.exists() else ''}")


def _read_status(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5) as response:
        return str(response.read().decode())
