"""Column lists as statements write them, derived from the tables in columns.py.

A list that both databases write is defined here once. `id` is left out where the database assigns it.
"""

from collections.abc import Iterable, Mapping

from tenax.stores.hot.columns import (
    BODIES,
    CHANGES,
    DISCOVERED_LINKS,
    DOMAIN_EVENTS,
    IMAGES,
    PAGES,
    ROBOTS,
    SET_ASIDE,
    STATS,
    VISIT_BODIES,
    VISITS,
)


def join_names(columns: Iterable[str], prefix: str = "") -> str:
    """`id, url`, or with the prefix `u.`: `u.id, u.url`."""
    return ", ".join(f"{prefix}{name}" for name in columns)


def join_marks(columns: Iterable[str]) -> str:
    """`?, ?`, as SQLite numbers parameters by itself."""
    return ", ".join("?" for _ in columns)


def join_arrays(columns: Iterable[str], table: Mapping[str, str], first: int = 1) -> str:
    """`$1::bigint[], $2::text[]`: an array per column, as the parameters from this number on."""
    return ", ".join(f"${number}::{table[name]}[]" for number, name in enumerate(columns, first))


def join_replaced(columns: Iterable[str]) -> str:
    """`url = excluded.url`: what an upsert replaces."""
    return ", ".join(f"{name} = excluded.{name}" for name in columns)


def leave_out(table: Iterable[str], *names: str) -> tuple[str, ...]:
    return tuple(name for name in table if name not in names)


PAGE_NAMES = tuple(PAGES)
# Of a page that is fetched again. When it changed is decided by its content.
_REPLACED_PAGE_NAMES = leave_out(PAGES, "url_id", "domain_id", "changed_at", "first_fetched_at")
ROBOTS_NAMES = tuple(ROBOTS)
VISIT_NAMES = leave_out(VISITS, "id")
BODY_NAMES = leave_out(BODIES, "id")
VISIT_BODY_NAMES = leave_out(VISIT_BODIES, "id")
IMAGE_NAMES = leave_out(IMAGES, "id")
DISCOVERED_NAMES = leave_out(DISCOVERED_LINKS, "id", "is_hidden")
STATS_NAMES = leave_out(STATS, "id", "span", "at", "worker_id", "is_rolled")
# A url as it is found.
NEW_URL_NAMES = (
    "domain_id",
    "key",
    "url",
    "depth",
    "priority",
    "due_at",
    "fate",
    "hops",
    "is_seed",
    "discovered_at",
    "discovered_from",
    "found_by",
    "is_sitemap",
)

PAGE_COLUMNS = join_names(PAGE_NAMES)
REPLACED_PAGE_COLUMNS = join_replaced(_REPLACED_PAGE_NAMES)
ROBOTS_ROW_COLUMNS = join_names(ROBOTS_NAMES)
REPLACED_ROBOTS_COLUMNS = join_replaced(leave_out(ROBOTS, "origin"))
VISIT_COLUMNS = join_names(VISIT_NAMES)
IMAGE_COLUMNS = join_names(IMAGE_NAMES)
DISCOVERED_COLUMNS = join_names(DISCOVERED_NAMES)
STATS_COLUMNS = join_names(STATS_NAMES)
REPLACED_STATS_COLUMNS = join_replaced(STATS_NAMES)
NEW_URL_COLUMNS = join_names(NEW_URL_NAMES)
CHANGE_COLUMNS = join_names(leave_out(CHANGES, "id"))
EVENT_COLUMNS = join_names(leave_out(DOMAIN_EVENTS, "id"))
SET_ASIDE_COLUMNS = join_names(leave_out(SET_ASIDE, "id"))
