"""Finds dead links in the project's Markdown: `python -m tests.rules.links`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)


def find_dead_links() -> list[str]:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")]
    return [
        f"{page.relative_to(ROOT)}: {link}"
        for page in sorted(pages)
        for link in LINK.findall(page.read_text())
        if not is_alive(page, link)
    ]


def is_alive(page: Path, link: str) -> bool:
    if link.startswith(("http://", "https://", "mailto:")):
        return True
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return False
    return not anchor or anchor in find_anchors(target)


def find_anchors(page: Path) -> set[str]:
    titles = HEADING.findall(page.read_text())
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


if __name__ == "__main__":
    dead = find_dead_links()
    print("\n".join(dead) or "No dead links.")
    sys.exit(bool(dead))
