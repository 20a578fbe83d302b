"""What parsers made of one url, for explanations: the same statements for every database."""

from collections.abc import Sequence
from typing import Any, Final

from tenax.stores.contracts.lookup import ParsedUrl, ParserFailure

SHOWN_ITEMS: Final = 5
SHOWN_FOLLOW_UPS: Final = 20
_ERRORS_SEARCHED: Final = 1_000  # the newest of the domain

LIST_URL_ITEMS: Final = f"""
    SELECT i.kind, i.key
    FROM observations o JOIN items i ON i.id = o.item_id
    WHERE o.url_id = ?
    ORDER BY i.kind, i.id
    LIMIT {SHOWN_ITEMS}
"""
COUNT_URL_ITEMS: Final = """
    SELECT (SELECT count(*) FROM observations WHERE url_id = ?),
        (SELECT count(*) FROM invalid_items WHERE url_id = ?)
"""
LIST_URL_FOLLOW_UPS: Final = f"""
    SELECT f.parser, u.url
    FROM follow_ups f JOIN urls u ON u.id = f.from_url_id
    WHERE f.url_id = ?
    ORDER BY f.parser, f.id
    LIMIT {SHOWN_FOLLOW_UPS}
"""
FIND_PARSER_FAILURE: Final = f"""
    SELECT id, parser, type, message, at
    FROM (
        SELECT id, url_id, parser, type, message, at
        FROM errors WHERE domain_id = ? ORDER BY id DESC LIMIT {_ERRORS_SEARCHED}
    ) newest
    WHERE url_id = ? AND parser IS NOT NULL
    ORDER BY id DESC
    LIMIT 1
"""


def read_parsed_url(
    items: Sequence[Any], counts: Sequence[int], follow_ups: Sequence[Any], failure: Sequence[Any] | None
) -> ParsedUrl:
    return ParsedUrl(
        items=tuple((kind, key) for kind, key in items),
        items_count=counts[0],
        invalid_count=counts[1],
        follow_ups=tuple((parser, url) for parser, url in follow_ups),
        failure=None if failure is None else ParserFailure(*failure),
    )
