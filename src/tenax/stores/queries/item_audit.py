"""Checks the items of a store: rules that they break, fields and images that they lack, fields that shifted,
items that vanished or whose page is unknown, and parsers that do worse. Reads items in steps, the newest
first.

How items were some days ago is known from how they changed since.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, Row, func, select

from tenax.clock import Instant
from tenax.policy.quality.images import FIELDS, has_no_images, list_images
from tenax.policy.quality.parser_health import describe_drop
from tenax.policy.quality.profiles import Profile, describe_shift, find_gaps, find_shifts
from tenax.record import record
from tenax.records.items import ItemChangeKind
from tenax.stores.queries.filters import Filter, find_names
from tenax.stores.queries.known_images import find_broken
from tenax.stores.queries.parsers import find_parser_drops
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import invalid_items, item_changes, items, observations
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls
from tenax.wording import count_of

MOST_ITEMS: Final = 200_000
MOST_GROUPS: Final = 2_000
AT_ONCE: Final = 200
EXAMPLES: Final = 5
MOST_FAULTS: Final = 200  # of a group
LEAST_VANISHED: Final = 10
VANISHED_SHARE: Final = 0.1
DAY_S: Final = 86_400.0

Check = Callable[[Mapping[str, Any]], tuple[str, ...]]
Rules = Callable[[int], Mapping[str, Check]]  # source → kind → check


class FindingCode(StrEnum):
    RULE = "rule"  # items break a rule of their kind
    MISSING = "missing"  # they lack a field that nearly all others have
    SHIFT = "shift"  # the values of a field are unlike those of before
    VANISHED = "vanished"  # many are gone
    IMAGE = "image"  # they have no image, or one that the crawl knows to be gone
    ORPHAN = "orphan"  # the page that shows them is unknown
    INVALID = "invalid"  # they break the schema of their parser
    PARSER = "parser"  # a parser does worse than in its own past


class AuditKey(NamedTuple):
    source_id: int
    domain_id: int
    kind: str


@record
class AuditGroup:
    """Items of a kind in a domain."""

    source: str | None
    domain: str
    kind: str
    items: int
    new: int  # in the span
    changed: int
    gone: int
    invalid: int


@record
class Finding:
    code: FindingCode
    source: str | None
    domain: str | None
    kind: str | None
    field: str | None = None
    count: int  # of items; of pages for a parser
    sentence: str
    examples: tuple[str, ...] = ()  # urls


@record
class ItemsAudit:
    since: Instant
    until: Instant
    items: int  # that were read
    is_complete: bool
    groups: Sequence[AuditGroup]
    findings: Sequence[Finding]


@dataclass(slots=True)
class _Audited:
    now: Profile = field(default_factory=Profile)
    before: Profile = field(default_factory=Profile)
    counts: Counter[str] = field(default_factory=Counter)
    faults: dict[str, list[str]] = field(default_factory=dict)  # fault → urls
    broken: Counter[str] = field(default_factory=Counter)
    gone: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    imageless: list[str] = field(default_factory=list)
    broken_images: list[str] = field(default_factory=list)


def audit_items(
    connection: Connection, *, now: Instant, days: float, only: Filter, rules: Rules
) -> ItemsAudit:
    """`only`: by source, domain and kind. Raises UsageError if it names something unknown."""
    since = now - days * DAY_S
    groups: dict[AuditKey, _Audited] = {}
    number = 0
    for rows in _iter_items(connection, only):
        number += len(rows)
        _add_rows(connection, rows, since, rules, groups)
        if number >= MOST_ITEMS or len(groups) > MOST_GROUPS:
            break
    _count_invalid(connection, only, groups)
    names = _Names(connection, groups)
    found = [finding for key, group in sorted(groups.items()) for finding in _judge(key, group, names)]
    if only.item_kind is None and only.source is None:
        found += _list_drops(connection, now, only.domain)
    return ItemsAudit(
        since=since,
        until=now,
        items=number,
        is_complete=number < MOST_ITEMS and len(groups) <= MOST_GROUPS,
        groups=[_summarize(key, group, names) for key, group in sorted(groups.items())],
        findings=found,
    )


def _iter_items(connection: Connection, only: Filter) -> Iterator[Sequence[Row[*tuple[Any, ...]]]]:
    names = find_names(connection, Filter(source=only.source, domain=only.domain))
    statement = (
        select(
            items.c.id, items.c.source_id, items.c.domain_id, items.c.kind, items.c.key, items.c.data,
            items.c.first_seen_at, items.c.changed_at, items.c.gone_at, urls.c.url, urls.c.fetched_at,
        )
        .outerjoin(urls, urls.c.id == items.c.url_id)
        .order_by(items.c.id.desc())
        .limit(AT_ONCE)
    )  # fmt: skip
    wanted = (
        (items.c.source_id, names.source_id),
        (items.c.domain_id, names.domain_id),
        (items.c.kind, only.item_kind),
    )
    for column, value in wanted:
        if value is not None:
            statement = statement.where(column == value)
    rows = connection.execute(statement).all()
    while rows:
        yield rows
        rows = connection.execute(statement.where(items.c.id < rows[-1].id)).all()


def _add_rows(
    connection: Connection,
    rows: Sequence[Row[*tuple[Any, ...]]],
    since: Instant,
    rules: Rules,
    groups: dict[AuditKey, _Audited],
) -> None:
    shown = _list_shown(connection, [row.id for row in rows])
    changes = _list_changes(connection, [row.id for row in rows if row.changed_at >= since], since)
    data_of = {row.id: orjson.loads(row.data) for row in rows}
    broken = find_broken(
        connection, {url for row in rows if row.gone_at is None for url in list_images(data_of[row.id])}
    )
    for row in rows:
        group = groups.setdefault(AuditKey(row.source_id, row.domain_id, row.kind), _Audited())
        data = data_of[row.id]
        before = find_before(data, row.gone_at is None, changes[row.id])
        if row.gone_at is None:
            _add_present(group, row, data, rules, is_shown=row.id in shown)
            _add_images(group, row, data, before, broken)
        elif row.gone_at >= since:
            group.counts["gone"] += 1
            _add_example(group.gone, row.url)
        group.counts["new"] += row.first_seen_at >= since
        group.counts["changed"] += any(each.kind == ItemChangeKind.CHANGED for each in changes[row.id])
        if before is not None and row.first_seen_at < since:
            group.before.add(before)


def _add_present(
    group: _Audited, row: Row[*tuple[Any, ...]], data: dict[str, Any], rules: Rules, *, is_shown: bool
) -> None:
    group.now.add(data)
    if row.url is None or row.fetched_at is None or not is_shown:
        group.counts["orphans"] += 1
        _add_example(group.orphans, row.url or f"item {row.id}")
    check = rules(row.source_id).get(row.kind)
    for fault in {_leave_out_value(each) for each in (check(data) if check is not None else ())}:
        if fault not in group.broken and len(group.broken) >= MOST_FAULTS:
            continue
        group.broken[fault] += 1
        _add_example(group.faults.setdefault(fault, []), row.url or f"item {row.id}")


def _add_images(
    group: _Audited,
    row: Row[*tuple[Any, ...]],
    data: Mapping[str, Any],
    before: Mapping[str, Any] | None,
    broken: Collection[str],
) -> None:
    if has_no_images(data, before):
        group.counts["imageless"] += 1
        _add_example(group.imageless, row.url)
    found = next((url for url in list_images(data) if url in broken), None)
    if found is not None:
        group.counts["broken_images"] += 1
        _add_example(group.broken_images, found)


def _leave_out_value(fault: str) -> str:
    """So that items that break the same rule by other values are counted together."""
    named, but, rule = fault.partition(", but must")
    return f"{named.partition(' is ')[0]} must{rule}" if but else fault


def _add_example(examples: list[str], url: str | None) -> None:
    if url is not None and len(examples) < EXAMPLES:
        examples.append(url)


def _list_shown(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Items that an observation shows."""
    statement = select(observations.c.item_id).where(observations.c.item_id.in_(ids)).distinct()
    return set(connection.scalars(statement))


def _list_changes(
    connection: Connection, ids: Sequence[int], since: Instant
) -> defaultdict[int, list[Row[*tuple[Any, ...]]]]:
    """By item, the newest first."""
    found: defaultdict[int, list[Row[*tuple[Any, ...]]]] = defaultdict(list)
    if ids:
        of = item_changes.c
        statement = select(of.item_id, of.kind, of.fields).where(of.item_id.in_(ids), of.at >= since)
        for row in connection.execute(statement.order_by(of.id.desc())):
            found[row.item_id].append(row)
    return found


def find_before(data: Mapping[str, Any], is_present: bool, changes: Iterable[Any]) -> dict[str, Any] | None:
    """An item as it was before these changes, the newest of which comes first; None: it was not there."""
    before = dict(data)
    for change in changes:
        is_present = change.kind in (ItemChangeKind.CHANGED, ItemChangeKind.GONE)
        for name, (old, _) in orjson.loads(change.fields or "{}").items():
            before[name] = old
    return before if is_present else None


def _count_invalid(connection: Connection, only: Filter, groups: dict[AuditKey, _Audited]) -> None:
    names = find_names(connection, Filter(source=only.source, domain=only.domain))
    of = invalid_items.c
    keys = of.source_id, of.domain_id, of.kind
    statement = select(*keys, func.count()).group_by(*keys).limit(MOST_GROUPS)
    for column, value in zip(keys, (names.source_id, names.domain_id, only.item_kind), strict=True):
        if value is not None:
            statement = statement.where(column == value)
    for *key, number in connection.execute(statement):
        groups.setdefault(AuditKey(*key), _Audited()).counts["invalid"] += number


class _Names:
    def __init__(self, connection: Connection, keys: Iterable[AuditKey]) -> None:
        keys = list(keys)
        of_domains = select(domains.c.id, domains.c.name).where(
            domains.c.id.in_({key.domain_id for key in keys})
        )
        self._domains = {row.id: row.name for row in connection.execute(of_domains)}
        of_sources = select(sources.c.id, sources.c.name).where(
            sources.c.id.in_({key.source_id for key in keys})
        )
        self._sources = {row.id: row.name for row in connection.execute(of_sources)}

    def find(self, key: AuditKey) -> dict[str, Any]:
        return {
            "source": self._sources.get(key.source_id),
            "domain": self._domains.get(key.domain_id, "?"),
            "kind": key.kind,
        }


def _summarize(key: AuditKey, group: _Audited, names: _Names) -> AuditGroup:
    counts = group.counts
    return AuditGroup(
        **names.find(key),
        items=group.now.items,
        new=counts["new"],
        changed=counts["changed"],
        gone=counts["gone"],
        invalid=counts["invalid"],
    )


def _judge(key: AuditKey, group: _Audited, names: _Names) -> Iterator[Finding]:
    of = names.find(key)
    for fault, number in group.broken.most_common(20):
        examples = tuple(group.faults[fault])
        sentence = f"{count_of(number, 'item')}: {fault}"
        yield Finding(code=FindingCode.RULE, **of, count=number, sentence=sentence, examples=examples)
    for name, number in sorted(find_gaps(group.now).items()):
        if name in FIELDS and group.counts["imageless"]:
            continue
        lacks = "lacks" if number == 1 else "lack"
        sentence = f"{number:,} of {count_of(group.now.items, 'item')} {lacks} the field {name}."
        yield Finding(code=FindingCode.MISSING, **of, field=name, count=number, sentence=sentence)
    for shift in find_shifts(group.before, group.now):
        sentence = f"Since then, {describe_shift(shift)}."
        yield Finding(
            code=FindingCode.SHIFT, **of, field=shift.field, count=group.now.items, sentence=sentence
        )
    yield from _judge_losses(of, group)


def _judge_losses(of: dict[str, Any], group: _Audited) -> Iterator[Finding]:
    gone, before = group.counts["gone"], group.before.items
    if gone >= LEAST_VANISHED and gone >= VANISHED_SHARE * before:
        sentence = f"{count_of(gone, 'item')} of {before:,} vanished."
        yield Finding(
            code=FindingCode.VANISHED, **of, count=gone, sentence=sentence, examples=tuple(group.gone)
        )
    if number := group.counts["imageless"]:
        sentence = f"{count_of(number, 'item')} without the images that they should have."
        examples = tuple(group.imageless)
        yield Finding(code=FindingCode.IMAGE, **of, count=number, sentence=sentence, examples=examples)
    if number := group.counts["broken_images"]:
        sentence = f"{count_of(number, 'item')} with an image whose URL is gone."
        examples = tuple(group.broken_images)
        yield Finding(code=FindingCode.IMAGE, **of, count=number, sentence=sentence, examples=examples)
    if number := group.counts["orphans"]:
        sentence = f"{count_of(number, 'item')} whose url, or its visit, is missing."
        examples = tuple(group.orphans)
        yield Finding(code=FindingCode.ORPHAN, **of, count=number, sentence=sentence, examples=examples)
    if number := group.counts["invalid"]:
        sentence = f"{count_of(number, 'item')} kept apart, as they break the schema of their parser."
        yield Finding(code=FindingCode.INVALID, **of, count=number, sentence=sentence)


def _list_drops(connection: Connection, now: Instant, domain: str | None) -> Iterator[Finding]:
    for each in find_parser_drops(connection, now):
        if domain is None or domain == each.domain:
            yield Finding(
                code=FindingCode.PARSER,
                source=None,
                domain=each.domain,
                kind=None,
                count=each.drop.recent_pages,
                sentence=describe_drop(each.parser, each.domain, each.drop),
            )
