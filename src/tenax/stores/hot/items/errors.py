"""Errors of a batch as rows: the same for every database. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from xxhash import xxh3_64_intdigest

from tenax.clock import Instant
from tenax.record import record
from tenax.records.items import (
    MAX_MESSAGE_CHARS,
    MAX_STACK_CHARS,
    ErrorCategory,
    LoggedError,
    Parsing,
)
from tenax.records.requests import FailureKind
from tenax.records.visits import Failed, Visit
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.items.found import fit_text
from tenax.stores.hot.outcomes import iter_visits

# Failures of reading an answer, not of getting it.
_PARSE: Final = frozenset(
    {
        FailureKind.ENCODING,
        FailureKind.CONTENT,
        FailureKind.CRASH,
        FailureKind.READER,
        FailureKind.READER_MEMORY,
        FailureKind.READER_TIME,
        FailureKind.INTERNAL,
    }
)
_MAX_TYPE_CHARS: Final = 200
_FAULTS_NAMED: Final = 3


class ErrorRow(NamedTuple):
    """An error, in `errors`."""

    at: Instant
    run_id: int
    source_id: int
    domain_id: int
    url_id: int
    category: str
    type: str
    message: str
    stack: str | None
    fingerprint: int
    parser: str | None
    parser_version: str | None


# Errors that are alike, as they are added to `error_groups`.
GROUP_NAMES: Final = (
    "source_id",
    "fingerprint",
    "category",
    "type",
    "message",
    "parser",
    "count",
    "first_at",
    "last_at",
)


@record
class _VisitError:
    """An error, and the version of the parser whose error it is."""

    error: LoggedError
    version: str | None = None


def list_errors(batch: Batch, works: Sequence[DomainWork], source_id: int) -> list[ErrorRow]:
    rows = []
    for work, visit in iter_visits(works):
        if type(visit.outcome) is Failed:
            failed = _VisitError(error=_describe_failure(visit.outcome))
            rows.append(_error_row(batch, source_id, work, visit, failed))
        if visit.parsings or visit.trials:
            found = _list_parser_errors(visit)
            rows += [_error_row(batch, source_id, work, visit, each) for each in found]
    return rows


def _list_parser_errors(visit: Visit) -> Iterator[_VisitError]:
    for parsing in visit.parsings:
        if parsing.error is not None:
            yield _VisitError(error=parsing.error, version=parsing.version)
        elif (invalid := _describe_faults(parsing)) is not None:
            yield _VisitError(error=invalid, version=parsing.version)
        for complaint in parsing.complaints:
            yield _VisitError(error=complaint, version=parsing.version)
    for trial in visit.trials:
        if trial.error is not None:
            yield _VisitError(error=trial.error, version=trial.candidate)


def group_errors(rows: Sequence[ErrorRow]) -> list[tuple[Any, ...]]:
    """GROUP_NAMES, in the order of their key: two transactions that add to the same groups take turns."""
    groups: dict[tuple[int, int], list[ErrorRow]] = {}
    for row in rows:
        groups.setdefault((row.source_id, row.fingerprint), []).append(row)
    return [_group_row(found) for _, found in sorted(groups.items(), key=lambda group: group[0])]


def _group_row(rows: Sequence[ErrorRow]) -> tuple[Any, ...]:
    last = max(rows, key=lambda row: row.at)
    first_at = min(row.at for row in rows)
    alike = (last.category, last.type, last.message, last.parser)
    return (last.source_id, last.fingerprint, *alike, len(rows), first_at, last.at)


def _describe_failure(failed: Failed) -> LoggedError:
    category = ErrorCategory.PARSE if failed.kind in _PARSE else ErrorCategory.NETWORK
    # Not by its words, which name hosts and addresses.
    return LoggedError(
        category=category,
        type=failed.kind,
        message=failed.detail,
        fingerprint=_find_fingerprint(category, failed.kind, str(failed.status or "")),
    )


def _describe_faults(parsing: Parsing) -> LoggedError | None:
    """One error for all invalid items of a page; None: there are none."""
    invalid = [item for item in parsing.items if item.faults]
    if not invalid:
        return None
    faults = sorted({fault for item in invalid for fault in item.faults})
    more = f"; and {len(faults) - _FAULTS_NAMED} more" if len(faults) > _FAULTS_NAMED else ""
    named = "; ".join(fault[:_MAX_TYPE_CHARS] for fault in faults[:_FAULTS_NAMED])
    kind = invalid[0].kind
    return LoggedError(
        category=ErrorCategory.VALIDATION,
        type=kind,
        message=f"{len(invalid)} of {len(parsing.items)} items: {named}{more}",
        # Not by its words, which quote the page.
        fingerprint=_find_fingerprint(ErrorCategory.VALIDATION, parsing.parser, kind),
        parser=parsing.parser,
    )


def _find_fingerprint(*words: str) -> int:
    digest = xxh3_64_intdigest("\0".join(words).encode("utf-8", "replace"))
    return digest - (1 << 64) if digest >> 63 else digest


def _error_row(batch: Batch, source_id: int, work: DomainWork, visit: Visit, found: _VisitError) -> ErrorRow:
    error = found.error
    return ErrorRow(
        at=visit.at,
        run_id=batch.run_id,
        source_id=source_id,
        domain_id=work.lease.domain_id,
        url_id=visit.target.id,
        category=error.category.value,
        type=fit_text(str(error.type), _MAX_TYPE_CHARS),
        message=fit_text(error.message, MAX_MESSAGE_CHARS),
        stack=None if error.stack is None else fit_text(error.stack, MAX_STACK_CHARS),
        fingerprint=error.fingerprint,
        parser=error.parser,
        parser_version=found.version,
    )
