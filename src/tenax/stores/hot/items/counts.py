"""How the parsers of a batch did, as rows that are added to those that are stored. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tenax.policy.quality.parser_health import ParserCounts
from tenax.policy.quality.parser_results import count_parsing
from tenax.records.items import Trial
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_names
from tenax.stores.hot.items.found import fit_text
from tenax.stores.hot.outcomes import iter_visits

HOUR_S: Final = 3600
# Field names come from pages, too.
MOST_FIELDS: Final = 200
MAX_FIELD_CHARS: Final = 200
MAX_EXAMPLE_CHARS: Final = 2_000

COUNTED: Final = ("pages", "items", "invalid", "empty", "errors", "confidence_sum", "rated")
STATS_NAMES: Final = ("hour", "domain_id", "parser", "parser_version", *COUNTED)
STATS_COLUMNS: Final = join_names(STATS_NAMES)
ADD_STATS: Final = ", ".join(f"{name} = parser_stats.{name} + excluded.{name}" for name in COUNTED)

_COMPARED: Final = ("same", "different", "only_current", "only_candidate")
_EXAMPLE: Final = ("example_url_id", "example_current", "example_candidate")
TRIAL_NAMES: Final = ("source_id", "parser", "version", "candidate", "field", *_COMPARED, *_EXAMPLE)
TRIAL_COLUMNS: Final = join_names(TRIAL_NAMES)
_KEEP_EXAMPLE: Final = (
    "CASE WHEN excluded.example_url_id IS NULL THEN parser_trials.{0} ELSE excluded.{0} END"
)
ADD_TRIALS: Final = ", ".join(
    [
        *(f"{name} = parser_trials.{name} + excluded.{name}" for name in _COMPARED),
        *(f"{name} = {_KEEP_EXAMPLE.format(name)}" for name in _EXAMPLE),
    ]
)
PAGES_FIELD: Final = ""  # counts pages rather than a field


class _StatsKey(NamedTuple):
    hour: int
    domain_id: int
    parser: str
    version: str


def stats_rows(works: Sequence[DomainWork]) -> list[tuple[Any, ...]]:
    """STATS_NAMES, in the order of their key."""
    sums: dict[_StatsKey, ParserCounts] = {}
    for work, visit in iter_visits(works):
        for parsing in visit.parsings:
            hour = int(visit.at // HOUR_S) * HOUR_S
            key = _StatsKey(hour, work.lease.domain_id, parsing.parser, parsing.version)
            sums[key] = sums.get(key, ParserCounts()).plus(count_parsing(parsing))
    return [(*key, *(getattr(sums[key], name) for name in COUNTED)) for key in sorted(sums)]


class _TrialKey(NamedTuple):
    parser: str
    version: str
    candidate: str
    field: str


@dataclass(slots=True)
class _Comparison:
    same: int = 0
    different: int = 0
    only_current: int = 0
    only_candidate: int = 0
    example: tuple[int | None, str | None, str | None] = (None, None, None)


_Comparisons = dict[_TrialKey, _Comparison]


def trial_rows(works: Sequence[DomainWork], source_id: int) -> list[tuple[Any, ...]]:
    """TRIAL_NAMES, in the order of their key."""
    found: _Comparisons = {}
    for _, visit in iter_visits(works):
        for trial in visit.trials:
            _add_trial(found, trial, visit.target.id)
    return [
        (source_id, *key, each.same, each.different, each.only_current, each.only_candidate, *each.example)
        for key, each in sorted(found.items())
    ]


def _add_trial(found: _Comparisons, trial: Trial, url_id: int) -> None:
    page = _find(found, trial, PAGES_FIELD)
    if trial.error is not None:
        page.only_current += 1
        page.example = (url_id, None, fit_text(trial.error.message, MAX_EXAMPLE_CHARS))
        return
    page.same += not trial.differences
    page.different += bool(trial.differences)
    for field in trial.equal_fields[:MOST_FIELDS]:
        _find(found, trial, field).same += 1
    for field, current, candidate in trial.differences[:MOST_FIELDS]:
        _add_difference(_find(found, trial, field), current, candidate, url_id)


def _add_difference(each: _Comparison, current: str | None, candidate: str | None, url_id: int) -> None:
    each.only_current += candidate is None
    each.only_candidate += current is None
    each.different += current is not None and candidate is not None
    each.example = (url_id, _shorten(current), _shorten(candidate))


def _find(found: _Comparisons, trial: Trial, field: str) -> _Comparison:
    key = _TrialKey(trial.parser, trial.version, trial.candidate, fit_text(field, MAX_FIELD_CHARS))
    return found.setdefault(key, _Comparison())


def _shorten(value: str | None) -> str | None:
    return None if value is None else fit_text(value, MAX_EXAMPLE_CHARS)
