"""Builds pages of shops, with what is true of them."""

import json
from typing import Any

from tenax.record import record


@record
class ShopPage:
    key: str
    url: str
    html: str
    truth: dict[str, Any]  # by field; several values: any of them. Empty: it sells no single product


class Shelf:
    def __init__(self) -> None:
        self.pages: list[ShopPage] = []

    def add(self, key: str, url: str, lang: str, head: str, body: str, **truth: Any) -> None:
        html = (
            f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">{head}</head>'
            f"<body>{body}</body></html>"
        )
        self.pages.append(ShopPage(key=key, url=url, html=html, truth=truth))


def ld(*values: object) -> str:
    """JSON-LD, an element per value."""
    return "".join(f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in values)
