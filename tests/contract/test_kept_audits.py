"""Audits that were kept: each once, the newest ones, within bounds, whatever items are called."""

import asyncio
from functools import partial

import pytest

from tenax.errors import UsageError
from tenax.stores.access import Access
from tenax.stores.commands import item_audits
from tenax.stores.commands.item_audits import KEPT_S, keep_audit, prune_item_audits
from tenax.stores.commands.purge import PurgeSelection, purge_pages
from tenax.stores.connection import Connection
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.item_audit import FindingCode
from tenax.stores.queries.kept_audits import FindingCount, KeptAudit, find_audit, slice_audits
from tenax.stores.schema.jobs import sources
from tests.support.audits import make_audit, make_finding
from tests.support.clock import FakeClock
from tests.support.store import StoreUnderTest, StoreWorker


@pytest.fixture(autouse=True)
def _domains(worker: StoreWorker, runner: asyncio.Runner) -> None:
    runner.run(worker.add("https://a.example/", "https://b.example/"))


@pytest.fixture
def names(access: Access, runner: asyncio.Runner) -> list[str]:
    """Of two sources."""

    def add(connection: Connection) -> list[str]:
        for name in ("cars", "boats"):
            values = {"name": name, "key": name, "kind": "source", "definition": "{}", "enabled": 1}
            connection.execute(sources.insert().values(**values, created_at=1.0, updated_at=1.0))
        return ["cars", "boats"]

    return runner.run(access.write(add))


async def list_kept(access: Access, source: str | None = None) -> list[KeptAudit]:
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=500)
    return list((await access.read(partial(slice_audits, wanted=wanted, source=source))).items)


async def test_a_kept_audit_says_what_was_found(access: Access, clock: FakeClock, names: list[str]) -> None:
    findings = [make_finding(), make_finding(field="name", count=4), make_finding(FindingCode.ORPHAN)]
    await access.write(partial(keep_audit, source="Cars", audit=make_audit(clock.now(), *findings)))
    (kept,) = await list_kept(access)
    assert (kept.source, kept.at, kept.items) == ("cars", clock.now(), 10)
    assert kept.counts == {
        FindingCode.RULE: FindingCount(findings=2, items=7),
        FindingCode.ORPHAN: FindingCount(findings=1, items=3),
    }
    assert kept.findings == findings
    assert await access.read(partial(find_audit, audit_id=kept.id)) == kept
    assert await access.read(partial(find_audit, audit_id=kept.id + 1)) is None


async def test_the_newest_of_each_source_are_kept(
    access: Access, clock: FakeClock, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_audits, "KEPT", 3)
    for number in range(5):
        for source in (*names, None):
            audit = make_audit(clock.now(), items=number)
            await access.write(partial(keep_audit, source=source, audit=audit))
    for source in names:
        assert [each.items for each in await list_kept(access, source)] == [4, 3, 2]
    assert [each.items for each in await list_kept(access) if each.source_id is None] == [4, 3, 2]


async def test_old_ones_are_pruned(access: Access, clock: FakeClock, names: list[str]) -> None:
    await access.write(partial(keep_audit, source="cars", audit=make_audit(clock.now())))
    clock.advance(KEPT_S)
    await access.write(partial(prune_item_audits, now=clock.now()))
    assert len(await list_kept(access)) == 1
    clock.advance(1)
    await access.write(partial(prune_item_audits, now=clock.now()))
    assert await list_kept(access) == []


async def test_a_kept_audit_is_small_whatever_items_are_called(
    access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    long = "\0\u202e\U0001f6a2" * 100_000
    hostile = make_finding(kind=long, field=long, sentence=long, examples=(f"https://a.example/{long}",) * 5)
    await access.write(partial(keep_audit, source=None, audit=make_audit(clock.now(), *[hostile] * 5_000)))
    ((size,),) = store.query("SELECT length(findings) FROM item_audits")
    assert size < 40_000
    (kept,) = await list_kept(access)
    assert kept.counts[FindingCode.RULE].findings == 5_000
    assert len(kept.findings) == item_audits.FINDINGS_KEPT


async def test_an_unknown_source_is_refused(access: Access, clock: FakeClock) -> None:
    with pytest.raises(UsageError, match="There is no source or crawl 'Cars'"):
        await access.write(partial(keep_audit, source="Cars", audit=make_audit(clock.now())))
    with pytest.raises(UsageError, match="There is no source or crawl 'Cars'"):
        await list_kept(access, "Cars")


async def test_audits_are_purged_with_all_pages_of_their_time(access: Access, clock: FakeClock) -> None:
    await access.write(partial(keep_audit, source=None, audit=make_audit(clock.now())))
    await purge_pages(access, clock, PurgeSelection(before=clock.now()))
    assert len(await list_kept(access)) == 1
    await purge_pages(access, clock, PurgeSelection())
    assert await list_kept(access) == []


async def test_findings_are_purged_with_their_domain(
    access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    own, other = make_finding(domain="a.example"), make_finding(domain="b.example")
    await access.write(partial(keep_audit, source=None, audit=make_audit(clock.now(), own, other)))
    ((domain_id,),) = store.query("SELECT id FROM domains WHERE name = 'a.example'")
    await purge_pages(access, clock, PurgeSelection(domain_id=domain_id, before=clock.now()))
    assert (await list_kept(access))[0].findings == [own, other]
    await purge_pages(access, clock, PurgeSelection(domain_id=domain_id))
    (kept,) = await list_kept(access)
    assert kept.findings == [other]
    assert kept.counts[FindingCode.RULE].findings == 2
