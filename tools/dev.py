"""`make dev`: a server that restarts whenever its source changes, and the dashboard.

The dashboard is served by Vite, which reloads changed modules in the browser and gets its data from this
server.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
TENAX = Path(sys.executable).with_name("tenax")
POLL_S = 0.5
STOP_S = 20.0  # for a server that completes its requests
SUFFIXES = {".py", ".sql"}

Signature = dict[Path, int]


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    address = f"http://127.0.0.1:{options.port}"
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    dashboard = None if options.no_dashboard else start_dashboard(address, options.dashboard_port)
    # Links that the server prints should open the pages of Vite.
    shown = (address, f"http://127.0.0.1:{options.dashboard_port}") if dashboard else (address, address)
    serve = [TENAX, "serve", "--data", options.data, "--port", str(options.port)]
    try:
        keep_serving(serve, options.watch, shown)
    except KeyboardInterrupt:
        return 0
    finally:
        if dashboard is not None:
            stop(dashboard)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make dev", description=__doc__)
    parser.add_argument("--data", default="crawl", help="directory of the crawl")
    parser.add_argument("--port", type=int, default=8060, help="port of the server")
    parser.add_argument("--dashboard-port", type=int, default=5173, help="port of the dashboard's server")
    parser.add_argument("--watch", type=Path, default=ROOT / "src", help="the source")
    parser.add_argument("--no-dashboard", action="store_true", help="start only the server")
    return parser.parse_args(arguments)


def start_dashboard(address: str, port: int) -> subprocess.Popen[str] | None:
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not installed: only the API is served.", flush=True)
        return None
    options = ("--host", "127.0.0.1", "--port", str(port), "--strictPort", "--clearScreen", "false")
    # In its own process group: npm does not forward signals to its children.
    return subprocess.Popen(
        [npm, "--prefix", ROOT / "dashboard", "run", "--silent", "dev", "--", *options],
        env={**os.environ, "TENAX_DEV_SERVER": address},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


def keep_serving(command: list[Path | str], folder: Path, shown: tuple[str, str]) -> NoReturn:
    """Run the server until Ctrl-C. If it exits by itself, perhaps with an error, wait for the next change."""
    while True:
        before = sign(folder)
        server = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=pass_on, args=(server, shown), daemon=True).start()
        try:
            wait_for_change(folder, before)
            print("The source has changed; restarting the server.", flush=True)
        finally:
            stop(server)


def pass_on(server: subprocess.Popen[str], shown: tuple[str, str]) -> None:
    address, pages = shown
    assert server.stdout is not None
    for line in server.stdout:
        print(line.replace(f"{address}/setup", f"{pages}/setup"), end="", flush=True)


def wait_for_change(folder: Path, before: Signature) -> None:
    while sign(folder) == before:
        time.sleep(POLL_S)


def sign(folder: Path) -> Signature:
    """A signature that changes whenever a source file does."""
    found = {}
    for path in folder.rglob("*"):
        if path.suffix in SUFFIXES:
            # An editor may be replacing it.
            with contextlib.suppress(FileNotFoundError):
                found[path] = path.stat().st_mtime_ns
    return found


def stop(process: subprocess.Popen[str]) -> None:
    """Stop a process and all its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
