"""`tenax bodies`."""

from typing import Annotated

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import format_bytes, format_count, show, show_json, show_table
from tenax.errors import StoreError
from tenax.runtime.bodies import SegmentCheck, check_bodies
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.bodies import list_segments, load_totals
from tenax.visible import clean
from tenax.wording import count_of

app = new_app()


@app.command()
def bodies(
    check: Annotated[
        bool, typer.Option("--check", help="Read all of them and compare them with their hashes.")
    ] = False,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per file.")] = False,
) -> None:
    """List the files with stored bodies; check that every body is there and undamaged."""
    place = locate(store, data)
    checks = (
        check_bodies(place)
        if check
        else [SegmentCheck(segment=each) for each in read_store(place, list_segments)]
    )
    for each in checks if json else ():
        found = {"file": each.segment.key, "machine": each.segment.machine, "state": str(each.segment.state)}
        checked = (
            {"bodies": each.bodies, "damaged": each.damaged, "missing": each.is_missing} if check else {}
        )
        show_json({**found, "bytes": each.segment.size, **checked}, is_line=True)
    if not json:
        totals = read_store(place, load_totals)
        show_table(
            ("FILE", "MACHINE", "STATE", "SIZE", ""),
            [list_values(each, is_checked=check) for each in checks],
            right=(3,),
        )
        show(f"{count_of(totals.bodies, 'body', 'bodies')} in {format_bytes(totals.bytes)}.")
    refuse_damage(checks)


def list_values(check: SegmentCheck, *, is_checked: bool) -> tuple[str, ...]:
    segment = check.segment
    said = describe_check(check) if is_checked else ""
    return (segment.key, clean(segment.machine), segment.state, format_bytes(segment.size), said)


def describe_check(check: SegmentCheck) -> str:
    if check.is_missing:
        return "missing"
    if check.is_elsewhere:
        return "not on this machine"
    if check.damaged:
        return f"{format_count(check.damaged)} of {count_of(check.bodies, 'body', 'bodies')} damaged"
    return f"{count_of(check.bodies, 'body', 'bodies')} as stored"


def refuse_damage(checks: list[SegmentCheck]) -> None:
    missing = sum(check.is_missing for check in checks)
    damaged = sum(check.damaged for check in checks)
    faults = []
    if missing:
        faults.append(f"{count_of(missing, 'file')} with stored bodies missing")
    if damaged:
        faults.append(f"{count_of(damaged, 'stored body', 'stored bodies')} damaged")
    if faults:
        raise StoreError(
            f"{' and '.join(faults)}. Restore the files from a backup, or crawl the pages again."
        )
