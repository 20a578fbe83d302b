"""Stored bodies as values of rows: the same for every database."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tenax.record import record
from tenax.records.bodies import BodyPlace, KnownBody, Segment, SegmentState
from tenax.records.visits import Visit
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.column_lists import BODY_NAMES, join_names
from tenax.stores.hot.outcomes import iter_visits

OPEN_SEGMENT: Final = """
    INSERT INTO segments (key, machine, worker_id, state, bytes, bodies, created_at)
    VALUES ({marks}, 'open', 0, 0, {now})
    ON CONFLICT (key) DO UPDATE SET machine = excluded.machine
    RETURNING id
"""
SEAL: Final = """
    UPDATE segments
    SET
        state = CASE WHEN state = 'open' THEN 'sealed' ELSE state END,
        sealed_at = coalesce(sealed_at, {now})
    WHERE id = {mark}
    RETURNING bytes
"""
LIST_UNFINISHED: Final = """
    SELECT id, key, machine, state, bytes
    FROM segments
    WHERE state IN ('open', 'dropped')
    ORDER BY id
"""
FORGET: Final = """
    DELETE FROM segments
    WHERE id = {mark} AND NOT EXISTS (SELECT 1 FROM bodies b WHERE b.segment_id = segments.id)
"""
NOTE_LOST: Final = "UPDATE segments SET state = 'lost' WHERE id = {mark} AND state = 'sealed'"
NOTE_FOUND: Final = "UPDATE segments SET state = 'sealed' WHERE id = {mark} AND state = 'lost'"
KNOWN_COLUMNS: Final = "b.hash, b.segment_id, b.position, b.length, s.key, s.machine"
# Bodies that are stored again elsewhere, because their file was missing, are found at the new place.
SAVE_BODIES: Final = f"""
    INSERT INTO bodies ({join_names(BODY_NAMES)})
    {{rows}}
    ON CONFLICT (hash) DO UPDATE SET
        segment_id = excluded.segment_id,
        position = excluded.position,
        length = excluded.length,
        uses = bodies.uses + excluded.uses
    RETURNING id, hash, uses
"""


class KnownColumns(NamedTuple):
    hash: bytes
    segment_id: int
    position: int
    length: int
    key: str
    machine: str


def read_known(rows: Iterable[Sequence[Any]]) -> dict[bytes, KnownBody]:
    found = {}
    for row in rows:
        known = KnownColumns._make(row)
        place = BodyPlace(
            segment_id=known.segment_id, position=known.position, length=known.length, is_new=False
        )
        found[bytes(known.hash)] = KnownBody(place=place, key=known.key, machine=known.machine)
    return found


def read_segments(rows: Iterable[Sequence[Any]]) -> list[Segment]:
    return [
        Segment(id=id_, key=key, machine=machine, state=SegmentState(state), size=size)
        for id_, key, machine, state, size in rows
    ]


@record
class BodyVisits:
    """The visits of a batch that store a body."""

    visits: Sequence[tuple[int, Visit]]  # with the ids of their domains
    places: Mapping[bytes, BodyPlace]

    def list_segments(self, *, is_new: bool) -> list[int]:
        """The ids of the segments of bodies that are new, or known already."""
        places = map(self.places.__getitem__, self._list_digests())
        return sorted({place.segment_id for place in places if place.is_new == is_new})

    def count_new(self, ids: Mapping[bytes, tuple[int, int]]) -> dict[int, tuple[int, int]]:
        """What is new in each segment: (the end of its last frame, bodies). `ids`: see `rows`."""
        ends: dict[int, int] = {}
        numbers: Counter[int] = Counter()
        uses = Counter(self._list_digests())
        for digest, number in uses.items():
            place = self.places[digest]
            if place.is_new:
                end = place.position + place.length
                ends[place.segment_id] = max(ends.get(place.segment_id, 0), end)
                numbers[place.segment_id] += ids[digest][1] == number
        return {segment_id: (ends[segment_id], numbers[segment_id]) for segment_id in sorted(ends)}

    def keep(self, segment_ids: Mapping[int, str]) -> "BodyVisits":
        """Without bodies whose segment does not take them any more. `segment_ids`: with their states."""
        kept = {}
        for digest in set(self._list_digests()):
            place = self.places[digest]
            state = segment_ids.get(place.segment_id)
            if state == SegmentState.OPEN or (state == SegmentState.SEALED and not place.is_new):
                kept[digest] = place
        return pick_bodies(self.visits, kept)

    def body_rows(self) -> list[tuple[Any, ...]]:
        """In the order of their digests: workers that store the same bodies wait for each other in it."""
        uses = Counter(self._list_digests())
        sizes = {visit.body.digest: visit.body.size for _, visit in self.visits if visit.body}
        return [
            (digest, place.segment_id, place.position, place.length, sizes[digest], uses[digest])
            for digest in sorted(uses)
            for place in (self.places[digest],)
        ]

    def visit_rows(self, batch: Batch, ids: Mapping[bytes, tuple[int, int]]) -> list[tuple[Any, ...]]:
        """`ids`: of the bodies, with their uses, by digest."""
        return [
            (visit.target.id, domain_id, batch.run_id, visit.at, ids[body.digest][0], body.heads)
            for domain_id, visit in self.visits
            if (body := visit.body) is not None
        ]

    def _list_digests(self) -> list[bytes]:
        return [visit.body.digest for _, visit in self.visits if visit.body is not None]


def find_bodies(batch: Batch, works: Sequence[DomainWork]) -> BodyVisits | None:
    """None: there are none."""
    if not batch.places:
        return None
    found = pick_bodies(((work.lease.domain_id, visit) for work, visit in iter_visits(works)), batch.places)
    return found if found.visits else None


def pick_bodies(visits: Iterable[tuple[int, Visit]], places: Mapping[bytes, BodyPlace]) -> BodyVisits:
    chosen = [each for each in visits if each[1].body is not None and each[1].body.digest in places]
    return BodyVisits(visits=chosen, places=places)
