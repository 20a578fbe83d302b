"""Crawls of a web whose items change, while random processes of the crawl are killed: what is stored in the
end is what the web served, each item once, with a true history.
"""

import contextlib
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import orjson
import psutil  # type: ignore[import-untyped]

from tests.support.crawler import Crawler, Process, Where, assert_sound, query
from tests.support.items import find_untrue_items
from tests.support.postgres import Console
from tests.support.running import pass_time
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite

HOSTS: Final = [f"h{number}.test" for number in range(4)]
PAGES: Final = 10
DELAY_S: Final = 0.2
TOLERANCE_S: Final = 0.05  # see assert_polite
DAYS_S: Final = 400 * 86_400.0  # longer than any page that does not change is left alone
KILLS_PER_ROUND: Final = 10
IDLE_S: Final = 60.0  # without a request, a crawl is about to end

PARSER: Final = """
import re
from tenax import Parser


class Page(Parser):
    name = "page"

    def parse(self, page):
        found = re.search(r"Edition ([0-9]+)[.]", page.text)
        yield {"title": page.title, "edition": int(found[1]) if found else 0}
"""


@dataclass
class Kills:
    """A series of crawls of one store, and what was killed."""

    folder: Path
    where: Where
    web: TestWeb
    chance: random.Random
    make_crawler: Callable[..., Crawler]
    store: str | None = None  # the address of a database
    killed: Counter[str] = field(default_factory=Counter)
    editions: dict[tuple[str, int], list[int]] = field(default_factory=dict)  # of each page, oldest first

    def run(self, kills: int) -> None:
        """Round after round until so many processes were killed; then one in which none is."""
        self._serve(share=0.0)
        options = ("--delay", str(DELAY_S), *(("--store", self.store) if self.store else ()))
        crawl = self.make_crawler(self.web, *options, workers=2)
        refresh = self.make_crawler(self.web, *options, seeds=[], command="refresh", workers=2)
        command = crawl
        while (left := kills - self.killed.total()) > 0:
            self._run_round(command, min(left, KILLS_PER_ROUND))
            assert_sound(self.where)
            self.assert_true()
            self._pass_time()
            self._serve(share=0.5)
            command = refresh
        self._run_round(command, 0)
        assert_sound(self.where)
        self.assert_true()
        self.assert_current()
        assert_polite(self.web.requests(), DELAY_S, tolerance_s=TOLERANCE_S)

    def _serve(self, *, share: float) -> None:
        """Let that share of the pages change."""
        for host in HOSTS:
            for page in range(PAGES):
                history = self.editions.setdefault((host, page), [0])
                if self.chance.random() < share:
                    history.append(history[-1] + 1)
            now = {page: self.editions[host, page][-1] for page in range(PAGES)}
            self.web.set_behavior(host, HostBehavior(has_validators=True, editions=now))

    def _pass_time(self) -> None:
        if isinstance(self.where, Path):
            pass_time(self.where, DAYS_S)
            return
        assert isinstance(self.where, str)
        with closing(Console(self.where)) as console:
            console.execute(f"UPDATE urls SET revisit_at = revisit_at - {DAYS_S}")
            console.execute(f"UPDATE domains SET revisit_at = revisit_at - {DAYS_S}")

    def _run_round(self, crawler: Crawler, kills: int) -> None:
        """Kill and start again, until the crawl ends by itself."""
        while True:
            process = crawler.start(**self._use_parser())
            is_hurt = False
            while kills and self._wait_for_requests(process):
                kills -= 1
                is_hurt = True
                if self._kill_one(process) == "all":
                    break
            ended = process.wait()
            if ended.code == 0:
                return
            assert is_hurt, (ended.code, ended.stderr)

    def _use_parser(self) -> dict[str, str]:
        file = self.folder / "editions.py"
        file.write_text(PARSER)
        return {
            "TENAX_PARSERS__FILES": orjson.dumps([str(file)]).decode(),
            "TENAX_PARSERS__USE": '["page"]',
            "TENAX_WORKER__BATCH_S": "0.2",
        }

    def _wait_for_requests(self, process: Process) -> bool:
        """False: it ends before it has made so many."""
        wanted = self.web.count_requests() + self.chance.randrange(1, 15)
        until = time.monotonic() + IDLE_S
        while self.web.count_requests() < wanted and time.monotonic() < until:
            if not process.is_running:
                return False
            time.sleep(0.01)
        time.sleep(self.chance.uniform(0, 0.3))
        return process.is_running

    def _kill_one(self, process: Process) -> str:
        """All of them, or a process of some kind: its name."""
        kinds = self._list_kinds(process)
        kind = self.chance.choice(["all", *sorted(kinds)])
        self.killed[kind] += 1
        if kind == "all":
            process.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.chance.choice(sorted(kinds[kind])), signal.SIGKILL)
        return kind

    def _list_kinds(self, process: Process) -> dict[str, list[int]]:
        """Supervisor, its workers, their hosts, and readers, by their depth."""
        found: dict[str, list[int]] = {"supervisor": [process.pid]}
        level = [process.pid]
        for kind in ("worker", "host", "reader"):
            level = [child for pid in level for child in _list_children(pid)]
            if level:
                found[kind] = level
        return found

    # --- what must hold ------------------------------------------------------------------------------

    def assert_true(self) -> None:
        """Nothing is told that was not served, in another order, or twice."""
        assert find_untrue_items(lambda sql: query(self.where, sql)) == []
        for place, told in self._read_histories().items():
            served = self.editions[place]
            assert told == sorted(set(told)), f"{place}: {told}"
            assert set(told) <= set(served), f"{place}: {told}, served {served}"
        observations = query(
            self.where,
            "SELECT url_id, item_id FROM observations GROUP BY url_id, item_id HAVING count(*) > 1",
        )
        assert observations == []

    def assert_current(self) -> None:
        """Every page that the last round has read has its item, and it is what the page shows now. A page
        whose reader was killed lost the items of that visit alone: others have seen every edition."""
        items: dict[str, str] = dict(query(self.where, "SELECT key, data FROM items WHERE gone_at IS NULL"))
        expected = {
            url: {"title": self.web.expected_page(url).title, "edition": self.editions[_find_place(url)][-1]}
            for url in self.web.expected_urls()
        }
        stored = {key: orjson.loads(data) for key, data in items.items()}
        wrong = {url: (stored.get(url), expected.get(url)) for url in {*stored, *expected}}
        differing = {url: pair for url, pair in wrong.items() if pair[0] != pair[1]}
        assert not differing, differing
        hurt = {
            url for (url,) in query(self.where, "SELECT u.url FROM errors e JOIN urls u ON u.id = e.url_id")
        }
        for url in expected.keys() - hurt:
            place = _find_place(url)
            assert self._read_histories()[place] == self.editions[place], url

    def _read_histories(self) -> dict[tuple[str, int], list[int]]:
        """The editions that the history of each item names, oldest first."""
        rows = query(
            self.where,
            "SELECT i.key, c.fields FROM item_changes c JOIN items i ON i.id = c.item_id ORDER BY c.id",
        )
        told: dict[tuple[str, int], list[int]] = {}
        for key, fields in rows:
            if "edition" in (changed := orjson.loads(fields)):
                told.setdefault(_find_place(key), []).append(changed["edition"][1])
        return told


def _find_place(url: str) -> tuple[str, int]:
    """Host and number of a page."""
    found = re.fullmatch(r"http://([^:/]+):[0-9]+/(?:p/([0-9]+)\.html)?", url)
    assert found is not None, url
    return found[1], int(found[2] or 0)


def _list_children(pid: int) -> Iterator[int]:
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(pid).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                if child.status() != psutil.STATUS_ZOMBIE:
                    yield child.pid
