"""How many urls were found in which way, and how many of them are pages: the same for every database.

Links are not counted here but are what is left of the counters of their domain.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tenax.policy.revisit import is_unwanted
from tenax.records.urls import FoundBy
from tenax.records.visits import Fetched
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.domains import CounterDifference
from tenax.stores.hot.column_lists import join_names, leave_out
from tenax.stores.hot.columns import YIELDS

YIELD_NAMES = tuple(YIELDS)
YIELD_COLUMNS = join_names(YIELD_NAMES)
ADD_YIELDS = ", ".join(f"{name} = yields.{name} + excluded.{name}" for name in leave_out(YIELDS, "domain_id"))

# Numbers by the id of the domain and the name of the column.
Yields = Counter[tuple[int, str]]

_LINK = FoundBy.LINK
URLS = {way: f"{way.word}_urls" for way in FoundBy if way is not _LINK}
_PAGES = {way: f"{way.word}_pages" for way in FoundBy if way is not _LINK}


def count_page_yields(works: Sequence[DomainWork]) -> Yields:
    """Pages that a batch adds, or takes away as they ask not to be stored."""
    counts: Yields = Counter()
    for work in works:
        for visit in work.visits:
            target = visit.target
            if target.found_by is _LINK:
                continue
            name = _PAGES[target.found_by]
            if isinstance(visit.outcome, Fetched):
                if target.content_hash is None:
                    counts[work.lease.domain_id, name] += 1
            elif target.content_hash is not None and is_unwanted(visit):
                counts[work.lease.domain_id, name] -= 1
    return counts


def yield_rows(counts: Yields) -> list[tuple[Any, ...]]:
    """Rows to add to those that are stored, in the order of their key: two transactions that add to the same
    rows wait for each other."""
    ids = sorted({domain_id for (domain_id, _), number in counts.items() if number})
    names = YIELD_NAMES[1:]
    return [(domain_id, *(counts[domain_id, name] for name in names)) for domain_id in ids]


# (domain, way, urls, pages, whether this is what is stored) of the domains in {ids}: counted from their rows,
# and as stored. One statement, which sees both at one moment.
CHECK_YIELDS = " UNION ALL ".join(
    [
        f"""
        SELECT u.domain_id, u.found_by, count(*), count(p.url_id), 0
        FROM urls u
        LEFT JOIN pages p ON p.url_id = u.id
        WHERE u.domain_id IN {{ids}} AND u.found_by <> {int(_LINK)}
        GROUP BY u.domain_id, u.found_by
        """,
        *(
            f"SELECT domain_id, {int(way)}, {URLS[way]}, {_PAGES[way]}, 1"
            " FROM yields WHERE domain_id IN {ids}"
            for way in URLS
        ),
    ]
)


def compare_yields(
    names: Mapping[int, str], rows: Iterable[Sequence[int]]
) -> tuple[list[CounterDifference], Yields]:
    """What is wrong, and what must be added to correct it. `names`: of domains by id; `rows`: from
    CHECK_YIELDS."""
    counted: Yields = Counter()
    stored: Yields = Counter()
    for domain_id, found_by, urls, pages, is_stored in rows:
        way = FoundBy(found_by)
        numbers = stored if is_stored else counted
        numbers[domain_id, URLS[way]] = urls
        numbers[domain_id, _PAGES[way]] = pages
    wrong = sorted(key for key in {*counted, *stored} if counted[key] != stored[key])
    differences = [
        CounterDifference(domain=names[key[0]], counter=key[1], stored=stored[key], counted=counted[key])
        for key in wrong
    ]
    return differences, Counter({key: counted[key] - stored[key] for key in wrong})
