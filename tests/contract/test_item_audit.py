"""The audit of items: what is wrong with them, from the items as they are and as they were."""

import asyncio
from functools import partial
from typing import Any

import pytest
from sqlalchemy import delete

from tenax.errors import UsageError
from tenax.items.schema import build_check
from tenax.records.visits import Gone
from tenax.stores.access import Access
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.item_audit import FindingCode, ItemsAudit, Rules, audit_items
from tenax.stores.schema.items import observations
from tests.support.clock import FakeClock
from tests.support.items import ItemWorker, found_item
from tests.support.parser_figures import DAY_S, add_figures
from tests.support.store import StoreWorker

A, B = "https://a.example/", "https://b.example/"
NUMBER = 60


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A, B))


class Auditor:
    def __init__(self, access: Access, clock: FakeClock) -> None:
        self.access = access
        self.clock = clock

    async def audit(self, rules: Rules = lambda source_id: {}, **only: Any) -> ItemsAudit:
        now = self.clock.now()
        return await self.access.read(
            lambda connection: audit_items(connection, now=now, days=7, only=Filter(**only), rules=rules)
        )


@pytest.fixture
def auditor(access: Access, clock: FakeClock) -> Auditor:
    return Auditor(access, clock)


async def show(shop: ItemWorker, url: str, number: int, **fields: Any) -> None:
    await shop.visit_again(url)
    await shop.show(url, *(found_item(f"{url}{each}", **fields) for each in range(number)))


def list_findings(audit: ItemsAudit) -> list[tuple[str, str | None]]:
    return [(each.code, each.field) for each in audit.findings]


async def test_items_are_counted_by_domain_and_kind(shop: ItemWorker, auditor: Auditor) -> None:
    await show(shop, A, 2, name="x")
    await show(shop, B, 1, name="y")
    found = await auditor.audit()
    assert [(each.domain, each.kind, each.items, each.new) for each in found.groups] == [
        ("a.example", "product", 2, 2),
        ("b.example", "product", 1, 1),
    ]
    assert (found.items, found.is_complete, found.findings) == (3, True, [])


async def test_items_that_break_a_rule_are_found(shop: ItemWorker, auditor: Auditor) -> None:
    check = build_check({"required": ["price"], "properties": {"price": {"type": "number", "minimum": 1}}})
    await shop.show(
        A,
        found_item("x", price=5),
        found_item("y", price=0),
        found_item("z", name="z"),
        found_item("w", price=-1),
    )
    found = await auditor.audit(lambda source_id: {"product": check})
    assert [each.code for each in found.findings] == [FindingCode.RULE, FindingCode.RULE]
    assert {each.sentence for each in found.findings} == {
        "1 item: The field price is missing.",
        "2 items: The field price must be at least 1.",
    }
    assert found.findings[0].examples == (A, A)


async def test_a_field_that_others_have_is_missing(shop: ItemWorker, auditor: Auditor) -> None:
    whole = [found_item(f"k{each}", name="x", price=1) for each in range(19)]
    await shop.show(A, *whole, found_item("k", name="x"))
    (finding,) = (await auditor.audit()).findings
    assert (finding.code, finding.field, finding.count) == (FindingCode.MISSING, "price", 1)


async def test_a_field_that_shifted_is_found_by_how_items_were(
    shop: ItemWorker, auditor: Auditor, clock: FakeClock
) -> None:
    await show(shop, A, NUMBER, price=10, name="x")
    clock.advance(8 * DAY_S)
    await show(shop, A, NUMBER, price=1000, name="x")
    found = await auditor.audit()
    assert list_findings(found) == [(FindingCode.SHIFT, "price")]
    assert found.findings[0].sentence == "Since then, the mean of price is 1000, after 10."
    assert found.groups[0].changed == NUMBER
    clock.advance(8 * DAY_S)
    assert (await auditor.audit()).findings == []


async def test_items_that_vanished_are_found(shop: ItemWorker, auditor: Auditor, clock: FakeClock) -> None:
    await show(shop, A, 40, name="x")
    clock.advance(8 * DAY_S)
    await show(shop, A, 20, name="x")
    (finding,) = (await auditor.audit()).findings
    assert (finding.code, finding.count) == (FindingCode.VANISHED, 20)
    assert finding.sentence == "20 items of 40 vanished."


async def test_new_items_that_went_again_have_not_vanished_from_what_was(
    shop: ItemWorker, auditor: Auditor
) -> None:
    await show(shop, A, 5, name="x")
    await show(shop, A, 0)
    assert (await auditor.audit()).findings == []


async def test_items_whose_url_or_observation_is_missing_are_found(
    shop: ItemWorker, auditor: Auditor, access: Access
) -> None:
    await show(shop, A, 2, name="x")
    await access.write(lambda connection: connection.execute(delete(observations)) and None)
    (finding,) = (await auditor.audit()).findings
    assert (finding.code, finding.count) == (FindingCode.ORPHAN, 2)


async def test_items_whose_images_are_empty_or_vanished_are_found(
    shop: ItemWorker, auditor: Auditor, clock: FakeClock
) -> None:
    image = "https://a.example/bike.jpg"
    await shop.show(A, found_item("full", images=[{"url": image}]), found_item("lost", image=image))
    clock.advance(8 * DAY_S)
    await shop.visit_again(A)
    await shop.show(
        A,
        found_item("full", images=[{"url": image}]),
        found_item("lost", name="x"),
        found_item("empty", images=[]),
        found_item("never", name="x"),
    )
    (finding,) = (await auditor.audit()).findings
    assert (finding.code, finding.count, finding.examples) == (FindingCode.IMAGE, 2, (A, A))
    assert finding.sentence == "2 items without the images that they should have."


async def test_images_that_the_crawl_knows_to_be_gone_are_found(shop: ItemWorker, auditor: Auditor) -> None:
    await shop.settle(shop.make_visit(B, outcome=Gone(status=404)))
    images = [B, "https://unknown.example/x.jpg", "no address", 7, None]
    await shop.show(A, found_item("x", images=images), found_item("y", images=["https://a.example/y.jpg"]))
    (finding,) = (await auditor.audit()).findings
    assert (finding.code, finding.count, finding.examples) == (FindingCode.IMAGE, 1, (B,))
    assert finding.sentence == "1 item with an image whose URL is gone."


async def test_invalid_items_are_counted(shop: ItemWorker, auditor: Auditor) -> None:
    await shop.show(A, found_item("x", faults=("The field price is missing.",)))
    found = await auditor.audit()
    assert list_findings(found) == [(FindingCode.INVALID, None)]
    assert (found.groups[0].items, found.groups[0].invalid) == (0, 1)


async def test_parsers_that_do_worse_are_found(
    shop: ItemWorker, auditor: Auditor, access: Access, clock: FakeClock
) -> None:
    now = clock.now()
    for at, full in ((now - 3 * DAY_S, 400), (now, 40)):
        await access.write(partial(add_figures, domain="a.example", at=at, pages=400, full=full))
    assert list_findings(await auditor.audit()) == [(FindingCode.PARSER, None)]
    assert (await auditor.audit(domain="b.example")).findings == []


async def test_a_filter_chooses(shop: ItemWorker, auditor: Auditor) -> None:
    await show(shop, A, 2, name="x")
    await show(shop, B, 1, name="y")
    assert [each.domain for each in (await auditor.audit(domain="b.example")).groups] == ["b.example"]
    assert (await auditor.audit(item_kind="car")).groups == []
    with pytest.raises(UsageError):
        await auditor.audit(source="unknown")
