"""Checks of stored bodies that hold at any time, whoever was killed."""

from pathlib import Path

from tenax.blobs.frames import unpack_body
from tests.support.crawler import Where, query


def assert_bodies_sound(where: Where, folder: Path) -> dict[str, bytes]:
    """No row points to a body that is not there or is another one; returns the newest of each url. `folder`:
    with the files."""
    dangling = "SELECT count(*) FROM visit_bodies v LEFT JOIN bodies b ON b.id = v.body_id WHERE b.id IS NULL"
    assert query(where, dangling) == [(0,)]
    counted = """
        SELECT b.id
        FROM bodies b
        LEFT JOIN visit_bodies v ON v.body_id = b.id
        GROUP BY b.id, b.uses
        HAVING count(v.id) <> b.uses
    """
    assert query(where, counted) == []
    rows = query(
        where,
        "SELECT u.url, s.key, s.bytes, b.position, b.length, b.hash, b.size FROM visit_bodies v"
        " JOIN bodies b ON b.id = v.body_id JOIN segments s ON s.id = b.segment_id"
        " JOIN urls u ON u.id = v.url_id ORDER BY v.at",
    )
    found = {}
    for url, key, end, position, length, digest, size in rows:
        assert position + length <= end
        frame = (folder / key).read_bytes()[position : position + length]
        found[url] = unpack_body(frame, bytes(digest))
        assert len(found[url]) == size
    return found


def assert_bodies_tidy(where: Where, folder: Path) -> None:
    """Nobody writes any more: every file ends where the last frame that a row names ends."""
    rows = query(where, "SELECT key, state, bytes FROM segments ORDER BY key")
    assert {state for _, state, _ in rows} <= {"sealed"}
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()} if folder.exists() else {}
    # A worker that is killed right after it has created its file leaves an empty one.
    assert {name: size for name, size in sizes.items() if size} == {key: size for key, _, size in rows}
    ends = """
        SELECT s.key, max(b.position + b.length)
        FROM segments s
        JOIN bodies b ON b.segment_id = s.id
        GROUP BY s.key
    """
    assert all(end <= sizes[key] for key, end in query(where, ends))
