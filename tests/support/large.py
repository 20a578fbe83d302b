"""Large pages like those of real sites, with what a crawl must find in each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from tests.support.scripted import HTML, Reply, ScriptedWeb, page

FIRST, LAST = "the very first words", "the very last words"
DEPTH = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Large:
    """A page that has `links` and whose text begins with FIRST and ends with LAST."""

    body: bytes
    links: tuple[str, ...] = ()  # paths, at most the first thousand

    @property
    def reply(self) -> Reply:
        return Reply(body=self.body, headers={"Content-Type": HTML})


def fill(size: int, make: Callable[[int], str]) -> str:
    """Join `make(0)`, `make(1)`, … until they have `size` characters."""

    def parts() -> Iterator[str]:
        length = number = 0
        while length < size:
            part = make(number)
            yield part
            length += len(part)
            number += 1

    return "".join(parts())


def wrap(content: str, links: tuple[str, ...] = ()) -> Large:
    html = f"<!doctype html><title>Large</title><body><h1>{FIRST}</h1>{content}<p>{LAST}</p>"
    return Large(body=html.encode(), links=links)


def contents(size: int) -> Large:
    """The table of contents of a manual: a list item and a link for every few words."""
    item = '<li class="toctree-l1"><a class="reference" href="/m/{0}.html#s{0}">Section {0} of it</a></li>\n'
    return wrap(f"<ul>{fill(size, item.format)}</ul>", tuple(f"/m/{n}.html" for n in range(1000)))


def table(size: int) -> Large:
    row = '<tr><td>{0}</td><td class="n">name {0}</td><td><code>value</code></td></tr>\n'
    return wrap(f"<table><tbody>{fill(size, row.format)}</tbody></table>")


def nested(size: int) -> Large:
    """Nested as deep as browsers allow, repeatedly."""
    link = "<a href='/d/{0}'>at the bottom</a>"
    part = "<div>" * DEPTH + link + "</div>" * DEPTH
    return wrap(fill(size, lambda n: part.format(n % 7)), tuple(f"/d/{n}" for n in range(7)))


def listing(size: int) -> Large:
    """A directory index of everything."""
    line = "<a href=/f/{0}.gz>{0}.gz</a>  17-Nov-2026\n"
    return wrap(f"<pre>{fill(size, line.format)}</pre>", tuple(f"/f/{n}.gz" for n in range(1000)))


@cache
def large_pages() -> dict[str, Large]:
    return {
        "/contents-1.7": contents(1_700_000),
        "/contents-2.6": contents(2_600_000),
        "/table-2.6": table(2_600_000),
        "/nested-2.6": nested(2_600_000),
        "/listing-9.5": listing(9_500_000),
        "/table-9.5": table(9_500_000),
    }


def large_web(pages: dict[str, Large], host: str = "a.test", small: int = 3) -> ScriptedWeb:
    """A site of one host: its home page links to all of `pages` and to a few small ones. The targets of their
    links do not exist."""
    smalls = {f"/small-{n}": page(f"Small {n}") for n in range(small)}
    home = page("Home", *pages, *smalls)
    return ScriptedWeb({host: {"/": home, **smalls, **{path: each.reply for path, each in pages.items()}}})
