"""Origins that put pressure on a crawler's memory: large bodies and many new links, as fast as requested.

    with MemoryPressureWeb(hosts=20, pages_per_host=10, make=large_body) as web: …

The home page of a host links to all of its pages. Every page is generated when it is requested.
"""

from collections.abc import Callable

from tests.support.scripted import HTML, Reply, ScriptedWeb, page, text

Make = Callable[[str], str]  # from the name of a page to its body

WORDS = "the memory of a worker is a promise that its settings make and that nobody may break "
BODY_BYTES = 1_500_000
LINKS = 1_000
TAGS = 16_000


def large_body(name: str) -> str:
    return name + WORDS * (BODY_BYTES // len(WORDS))


def wide_body(name: str) -> str:
    """One character that makes every other character take four bytes in memory."""
    return name + "\N{GRINNING FACE}" + WORDS * (BODY_BYTES // 3 // len(WORDS))


def many_links(name: str) -> str:
    """Long urls, all of them new, none of them existing."""
    tail = "/a-path-with-many-words" * 8
    return "".join(f'<a href="/{name}/{number}{tail}">read on about {number}</a>' for number in range(LINKS))


def many_tags(name: str) -> str:
    return "".join(f'<p class="a b" id="{name}-{number}"><b>x</b>' for number in range(TAGS // 2))


class MemoryPressureWeb(ScriptedWeb):
    def __init__(self, *, hosts: int, pages_per_host: int, make: Make) -> None:
        super().__init__({})
        self._names = [f"{number}.test" for number in range(hosts)]
        self._home = page("Home", *[f"/page-{number}" for number in range(pages_per_host)])
        self._make = make
        self.pages = hosts * (pages_per_host + 1)

    def seeds(self) -> list[str]:
        return [self.url(name) for name in self._names]

    def find_reply(self, host: str, path: str) -> Reply:
        if path == "/":
            return self._home
        if not path.startswith("/page-") or "/" in path[1:]:
            return text("nothing here", 404)
        name = f"{host}{path}".replace("/", "-")
        body = f"<!doctype html><title>{name}</title><body>{self._make(name)}"
        return Reply(body=body.encode(), headers={"Content-Type": HTML})
