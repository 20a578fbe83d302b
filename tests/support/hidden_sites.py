"""Sites with pages that no link leads to: archives, and further pages of lists."""

from html import escape

from tests.support.scripted import HTML, Reply, Script, page

# Articles that only the archive of their month lists.
ARCHIVED = {f"/2024/0{month}/hidden-{number}" for month in (4, 5, 6) for number in range(3)}


def build_archive_site() -> dict[str, Script]:
    """The home page links to the articles of July 2024; older ones are only in archives, from April on."""
    shown = [f"/2024/07/shown-{number}" for number in range(4)]
    paths: dict[str, Script] = {"/": page("Home", *shown)}
    paths |= {path: page(f"Article {path}", "/") for path in [*shown, *ARCHIVED]}
    for month in range(4, 8):
        start = f"/2024/0{month}/"
        listed = [path for path in sorted([*shown, *ARCHIVED]) if path.startswith(start)]
        paths[start] = page(f"Archive {start}", "/", *listed)
    return paths


def entries(path: str, number: int, count: int = 9) -> list[str]:
    """The articles on one page of a list."""
    return [f"{path}/article-of-page-{number}-{place}" for place in range(count)]


def listing(title: str, links: list[str], pager: dict[str, str]) -> Reply:
    """A page of a list; `pager` has targets and anchors."""
    anchors = [(link, f"All about {link}") for link in links] + list(pager.items())
    body = "".join(f'<p><a href="{escape(href)}">{escape(text)}</a></p>' for href, text in anchors)
    words = f"This is {title}, which lists things and nothing else. " * 6
    document = f"<!doctype html><title>{escape(title)}</title><p>{words}</p>{body}"
    return Reply(body=document.encode(), headers={"Content-Type": HTML})


def add_list(
    paths: dict[str, Script],
    path: str,
    pattern: str,
    numbers: list[int],
    *,
    linked: int,
    repeats: bool = False,
    empties: bool = False,
) -> set[str]:
    """Add a list with these page numbers, of which the first `linked` are linked; beyond them, the last page
    is repeated or an empty one is shown if wished. Returns all articles."""
    found: set[str] = set()
    pager = {
        pattern.replace("{n}", str(number)): str(place) for place, number in enumerate(numbers[:linked], 1)
    }
    step = numbers[1] - numbers[0]
    for place, number in enumerate(numbers, 1):
        links = entries(path, place)
        found.update(links)
        target = path if place == 1 else pattern.replace("{n}", str(number))
        own = {href: text for href, text in pager.items() if href != target}
        paths[target] = listing(f"page {place} of {path}", links, own if linked > 1 else {})
    beyond = pattern.replace("{n}", str(numbers[-1] + step))
    if repeats:
        paths[beyond] = paths[pattern.replace("{n}", str(numbers[-1]))]
    if empties:
        paths[beyond] = listing(f"nothing of {path}", [], {})
    paths |= {article: page(f"Article {article}", "/") for article in found}
    return found


def add_calendar(paths: dict[str, Script], months: int = 40) -> None:
    for month in range(1, months):
        shown = {f"/calendar?month={month + 1}": "Next »", f"/calendar?month={month - 1}": "«"}
        paths[f"/calendar?month={month}"] = listing(f"month {month}", entries("/day", month), shown)
