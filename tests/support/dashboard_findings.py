"""The server for the dashboard's tests of what crawls find out about sites: a real `tenax serve`, and a web
with sitemaps, lists, archives, near-duplicates, a wall, a trap and a slow page. Commands and results as in
dashboard.py.

    {"order": "begin"}   → {"url": …, "setup": …, "seeds": […]}
"""

import json
import re
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.support.dashboard import Service
from tests.support.endless import QueryCalendar, prose
from tests.support.hidden_sites import add_list, build_archive_site
from tests.support.scripted import HTML, Reply, Script, ScriptedWeb, page, text
from tests.support.similar_texts import make_article, make_site
from tests.support.walls import WALLS

GROVE, MAZE, SLOTH, WALLED = "grove.test", "maze.test", "sloth.test", "walled.test"
SETTINGS = "[traps]\nwindow = 10\nbudget = 5\n[fetch]\ntimeout_s = 600\n"
SLOW_S = 600.0  # longer than the tests
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
HIDDEN = ("/letters/one", "/letters/two", "/letters/three")


class Maze(QueryCalendar):
    """Only the endless part."""

    def reply(self, path: str) -> Reply:
        home = self.show("Maze", prose("maze"), ["/about"])
        return home if path == "/" else self.reply_trap(path) or text("nothing here", 404)


class FindingsWeb(ScriptedWeb):
    def __init__(self) -> None:
        slow = {"/": page("Sloth", delay_s=SLOW_S)}
        walled = {"/": show_wall("cloudflare_challenge")}
        super().__init__({GROVE: build_grove(), SLOTH: slow, WALLED: walled})
        self._maze = Maze()

    def find_reply(self, host: str, path: str) -> Reply:
        return self._maze.reply(path) if host == MAZE else super().find_reply(host, path)


def build_grove() -> dict[str, Script]:
    paths = build_archive_site()
    add_list(paths, "/news", "/news?page={n}", [1, 2, 3, 4], linked=3)
    article = str(make_article(make_site(3), 4500)).replace("\n", "<br>")
    copies = ("/essay/print", "/essay/copy")
    paths |= {path: page(f"Letter {path}") for path in HIDDEN}
    shown = [f"/2024/07/shown-{number}" for number in range(4)]
    locs = "".join(f"<url><loc>{path}</loc></url>" for path in HIDDEN)
    return paths | {
        "/": page("Grove", "/news", "/essay", *shown),
        "/robots.txt": text("User-agent: *\nAllow: /\nSitemap: /letters.xml\nSitemap: /lost.xml\n"),
        "/letters.xml": Reply(
            body=f'<?xml version="1.0"?><urlset xmlns="{SITEMAP}">{locs}</urlset>'.encode(),
            headers={"Content-Type": "application/xml"},
        ),
        "/essay": page("Essay", *copies, text=article),
        "/essay/print": page("Essay", *copies, text=f"Printed on 12/3/2025 {article}"),
        "/essay/copy": page("Essay", *copies, text=article),
    }


def show_wall(signature: str) -> Reply:
    found = next(each for each in WALLS if each.signature == signature)
    return Reply(body=found.body, headers={"Content-Type": HTML, **found.headers})


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenax-dashboard-")))
        web = stack.enter_context(FindingsWeb())
        service = Service(folder, SETTINGS)
        stack.callback(service.stop)
        for _ in sys.stdin:
            (setup,) = re.findall(r"http\S+/setup#token=\S+", service.start())
            seeds = [web.url(host) for host in (GROVE, MAZE, SLOTH, WALLED)]
            print(json.dumps({"url": setup.split("/setup")[0], "setup": setup, "seeds": seeds}), flush=True)


if __name__ == "__main__":
    main()
