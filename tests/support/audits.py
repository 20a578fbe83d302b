"""Results of audits, whatever there is in the store."""

from typing import Any

from tenax.clock import Instant
from tenax.stores.queries.item_audit import Finding, FindingCode, ItemsAudit


def make_finding(code: FindingCode = FindingCode.RULE, **values: Any) -> Finding:
    fields = {
        "source": "shop",
        "domain": "news.example",
        "kind": "product",
        "field": "price",
        "count": 3,
        "sentence": "3 items: The field price is missing.",
        "examples": ("https://news.example/boats",),
    }
    return Finding(code=code, **fields | values)  # type: ignore[arg-type]


def make_audit(at: Instant, *findings: Finding, items: int = 10) -> ItemsAudit:
    return ItemsAudit(
        since=at - 7 * 86_400.0, until=at, items=items, is_complete=True, groups=[], findings=findings
    )
