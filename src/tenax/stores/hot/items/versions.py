"""Which versions of parsers saw the pages of a source last."""

from collections.abc import Iterable, Mapping
from typing import Final

LIST_VERSIONS: Final = """
    SELECT s.parser, s.parser_version, max(s.hour) FROM parser_stats s JOIN domains d ON d.id = s.domain_id
    WHERE d.source_id = {source} GROUP BY s.parser, s.parser_version
"""


def find_outdated(rows: Iterable[tuple[str, str, int]], versions: Mapping[str, str]) -> list[str]:
    """See FrontierStore.find_outdated_parsers."""
    seen: dict[str, dict[str, int]] = {}
    for parser, version, hour in rows:
        seen.setdefault(parser, {})[version] = hour
    if not seen:
        return list(versions)
    return [name for name, version in versions.items() if _is_outdated(seen.get(name, {}), version)]


def _is_outdated(hours: Mapping[str, int], version: str) -> bool:
    return bool(hours) and hours.get(version, -1) < max(hours.values())
