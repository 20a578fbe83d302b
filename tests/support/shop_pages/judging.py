"""How well the fields that are found agree with what is true, as precision, recall and F1."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tenax.items.page import parse_page
from tenax.record import record
from tests.support.shop_pages.building import ShopPage

FIELDS = (
    "name", "price", "currency", "list_price", "price_max", "availability", "condition", "rating",
    "review_count", "brand", "category", "sku", "gtin", "mpn", "images",
)  # fmt: skip
# What pages say in passing and truth does not name everywhere: judged only where it does.
PARTLY_NAMED = frozenset(("images", "category", "price_max", "condition"))


@record
class Miss:
    key: str
    field: str
    found: Any
    truth: Any


@record
class Figures:
    right: Counter[str]
    wrong: Counter[str]  # found, and not true
    missing: Counter[str]
    misses: list[Miss]

    def f1(self, field: str) -> float:
        total = 2 * self.right[field] + self.wrong[field] + self.missing[field]
        return 2 * self.right[field] / total if total else 1.0


def judge(pages: Iterable[ShopPage]) -> Figures:
    figures = Figures(right=Counter(), wrong=Counter(), missing=Counter(), misses=[])
    for page in pages:
        found = parse_page(page.html.encode(), url=page.url).product() or {}
        for field in FIELDS:
            _judge_field(figures, page, field, found.get(field))
    return figures


def _judge_field(figures: Figures, page: ShopPage, field: str, found: Any) -> None:
    truth = page.truth.get(field)
    if field == "images" and found is not None:
        found = found[0]  # the main one
    if _is_same(found, truth):
        figures.right[field] += found is not None
        return
    if truth is None and page.truth and field in PARTLY_NAMED:
        return
    figures.wrong[field] += found is not None
    figures.missing[field] += truth is not None
    figures.misses.append(Miss(key=page.key, field=field, found=found, truth=truth))


def _is_same(found: Any, truth: Any) -> bool:
    if isinstance(truth, tuple):
        return any(_is_same(found, each) for each in truth)
    if isinstance(truth, str) and isinstance(found, str):
        return " ".join(found.split()) == " ".join(truth.split())
    if isinstance(truth, int | float) and isinstance(found, int | float):
        return abs(found - truth) < 0.0051
    return bool(found == truth)
