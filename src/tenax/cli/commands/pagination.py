"""`tenax pagination`: how lists are paged, as crawls have learned it."""

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
from tenax.policy.guesses.url_patterns import check_list_pattern
from tenax.stores.commands.guesses import remove_list_rule, set_list_rule
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.guesses import list_rules
from tenax.visible import clean

app = new_app("List how lists are paged, as crawls have learned it; set or remove a rule.")

PatternArgument = Annotated[
    str, typer.Argument(metavar="PATTERN", help="Path with {n} for the page number, as in '/news?page={n}'.")
]


@app.command("list")
def list_all(
    domain: DomainArgument = None,
    limit: LimitOption = 200,
    data: DataOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List the pagination rules of all domains, or of one."""
    name = None if domain is None else find_name(domain)
    found = read_store(locate(store, data), lambda connection: list_rules(connection, name, limit))
    show_rules(found, is_json=json)


@app.command("set")
def set_one(
    domain: NameArgument,
    pattern: PatternArgument,
    state: StateArgument,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Set whether further pages are guessed by a pattern. Crawls do not change that again."""
    path = check_list_pattern(pattern)
    change(
        domain,
        store,
        data,
        lambda connection, name, by, wall: set_list_rule(
            connection, name, pattern, path, state.state, by, wall
        ),
        f"{clean(pattern)} is {state}.",
    )


@app.command("remove")
def remove_one(
    domain: NameArgument, pattern: PatternArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Forget a rule. It can be learned again; 'set … off' prevents that."""
    change(
        domain,
        store,
        data,
        lambda connection, name, by, wall: remove_list_rule(connection, name, pattern),
        f"{clean(pattern)} is forgotten.",
    )
