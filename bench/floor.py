"""The floor: fetches and parses a list of URLs in one process, and does nothing else with them.

No crawler that uses libcurl and lexbor can need less. Takes a file of URLs; prints the number of pages as
JSON.
"""

import json
import sys
from io import BytesIO
from pathlib import Path

import pycurl
from selectolax.lexbor import LexborHTMLParser

CONCURRENCY = 100


class Floor:
    def __init__(self, urls: list[str]) -> None:
        self._urls = iter(urls)
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, 2 * CONCURRENCY)
        self._bodies: dict[pycurl.Curl, BytesIO] = {}
        self.pages = 0

    def run(self) -> None:
        for _ in range(CONCURRENCY):
            self._start(_make_handle())
        while self._bodies:
            self._multi.perform()
            self._settle()
            if self._bodies:
                self._multi.select(1.0)

    def _settle(self) -> None:
        _, done, failed = self._multi.info_read()
        for handle in done:
            self._multi.remove_handle(handle)
            body = self._bodies.pop(handle).getvalue()
            if handle.getinfo(pycurl.RESPONSE_CODE) == 200 and LexborHTMLParser(body).body:
                self.pages += 1
            self._start(handle)
        for handle, code, message in failed:
            raise SystemExit(f"{handle.getinfo(pycurl.EFFECTIVE_URL)}: {message} ({code})")

    def _start(self, handle: pycurl.Curl) -> None:
        url = next(self._urls, None)
        if url is None:
            return
        body = self._bodies[handle] = BytesIO()
        handle.setopt(pycurl.URL, url)
        handle.setopt(pycurl.WRITEDATA, body)
        self._multi.add_handle(handle)


def _make_handle() -> pycurl.Curl:
    handle = pycurl.Curl()
    handle.setopt(pycurl.NOSIGNAL, 1)
    return handle


if __name__ == "__main__":
    floor = Floor(Path(sys.argv[1]).read_text().split())
    floor.run()
    print(json.dumps({"pages": floor.pages}))
