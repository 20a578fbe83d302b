"""Column lists of the hot statements come from one place, and are columns of the tables."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tenax.policy.scoring import DomainFacts
from tenax.stores.hot import columns
from tenax.stores.hot.column_lists import NEW_URL_NAMES, STATS_NAMES
from tenax.stores.hot.domains import TRUTHS
from tenax.stores.hot.items import columns as item_columns
from tenax.stores.hot.report_rows import DomainColumns, TroubledColumns, UrlColumns
from tenax.stores.hot.rows import LeaseColumns, RobotsColumns, RuleColumns, StateColumns, TargetColumns
from tenax.stores.hot.run_states import RunColumns
from tenax.stores.hot.stats import COLUMNS as COUNTED
from tenax.stores.hot.vitals import VitalColumns
from tenax.stores.schema.hot_columns import ITEM_TABLES, TABLES, format_hot_columns

READ: list[tuple[type[NamedTuple], Mapping[str, str]]] = [
    (StateColumns, columns.DOMAINS),
    (RuleColumns, columns.DOMAINS),
    (LeaseColumns, columns.DOMAINS),
    (DomainColumns, columns.DOMAINS),
    (TroubledColumns, columns.DOMAINS),
    (TargetColumns, columns.URLS),
    (UrlColumns, columns.URLS),
    (RobotsColumns, columns.ROBOTS),
    (RunColumns, columns.RUNS),
    (VitalColumns, columns.WORKERS),
]


@pytest.mark.parametrize(("module", "tables"), [(columns, TABLES), (item_columns, ITEM_TABLES)])
def test_the_generated_columns_are_those_of_the_tables(module: ModuleType, tables: tuple[str, ...]) -> None:
    assert Path(module.__file__ or "").read_text() == format_hot_columns(tables) + "\n", "run `make docs`"


@pytest.mark.parametrize(("row", "table"), READ)
def test_what_is_read_by_name_is_a_column(row: Any, table: Mapping[str, str]) -> None:
    assert set(row._fields) <= table.keys()


def test_what_is_written_by_name_is_a_column() -> None:
    assert set(NEW_URL_NAMES) <= columns.URLS.keys()
    assert TRUTHS.keys() <= columns.DOMAINS.keys()
    assert {field.name for field in fields(DomainFacts)} <= columns.DOMAINS.keys()


def test_every_count_of_a_span_has_its_column() -> None:
    assert COUNTED == STATS_NAMES
