"""How SQLite finds what settling a batch needs: by the urls and items of the batch, however many others there
are.
"""

import sqlite3
from importlib.resources import files

import pytest

from tenax.stores.sqlite.frontier.items import loading, settling


def explain(statement: str) -> list[str]:
    schema = files("tenax.stores.sqlite.schema").joinpath("schema.sql").read_text()
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema)
        parameters = (1,) * max(statement.count("?"), 1)
        if "?2" not in statement:
            parameters = parameters[:1]
        return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    finally:
        connection.close()


STATEMENTS = {
    name: statement
    for module in (settling, loading)
    for name, statement in vars(module).items()
    if name.startswith("_") and str(statement).lstrip().startswith(("SELECT", "DELETE"))
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_batch_costs_the_same_however_many_items_a_source_has(name: str) -> None:
    plan = explain(STATEMENTS[name])
    assert plan
    for step in plan:
        assert "items_source" not in step, plan
        assert not step.startswith("SCAN") or "json_each" in step, plan
