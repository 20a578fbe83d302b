"""`tenax archives`: where domains have archives, as crawls have learned it."""

from typing import Annotated

import typer

from tenax.cli.domains.guesses import (
    DomainArgument,
    JsonOption,
    LimitOption,
    NameArgument,
    StateArgument,
    change,
    show_rules,
)
from tenax.cli.domains.names import find_name
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.policy.guesses.url_patterns import check_archive_pattern
from tenax.stores.commands.guesses import remove_archive_rule, set_archive_rule
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.guesses import list_patterns
from tenax.visible import clean

app = new_app("List where domains have archives, as crawls have learned it; set or remove a pattern.")

PatternArgument = Annotated[
    str,
    typer.Argument(
        metavar="PATTERN",
        help="Path with {Y} for a year, {MM} or {M} for a month, {n} for a number, as in '/{Y}/{MM}/'.",
    ),
]


@app.command("list")
def list_all(
    domain: DomainArgument = None,
    limit: LimitOption = 200,
    data: DataOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List the archive patterns of all domains, or of one."""
    name = None if domain is None else find_name(domain)
    found = read_store(locate(store, data), lambda connection: list_patterns(connection, name, limit))
    show_rules(found, is_json=json)


@app.command("set")
def set_one(
    domain: NameArgument,
    pattern: PatternArgument,
    state: StateArgument,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Set whether archives are guessed by a pattern. Crawls do not change that again."""
    check_archive_pattern(pattern)
    change(
        domain,
        store,
        data,
        lambda connection, name, by, wall: set_archive_rule(connection, name, pattern, state.state, by, wall),
        f"{clean(pattern)} is {state}.",
    )


@app.command("remove")
def remove_one(
    domain: NameArgument, pattern: PatternArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Forget a pattern. It can be learned again; 'set … off' prevents that."""
    change(
        domain,
        store,
        data,
        lambda connection, name, by, wall: remove_archive_rule(connection, name, pattern),
        f"{clean(pattern)} is forgotten.",
    )
