"""`tenax users`: the users of the service. The first administrator can be added here too."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal, TypeVar

import typer

from tenax.accounts.build import open_tokens, open_users
from tenax.accounts.permissions import Role, TokenScope
from tenax.accounts.users import Users
from tenax.cli.actors import name_actor
from tenax.cli.domains.names import find_place
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import as_json, format_moment, show, show_json, show_table
from tenax.config.settings import Settings
from tenax.errors import UsageError
from tenax.runtime.backends import find_backend
from tenax.runtime.server import open_server_runtime
from tenax.stores.accounts.users import User, UserFilter
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place
from tenax.visible import clean

T = TypeVar("T")

AT_ONCE = 500
DAY_S = 86_400.0

app = new_app("List the users of the service; add, disable or remove one; create an API token.")

NameArgument = Annotated[str, typer.Argument(help="Name of the user; case does not matter.")]
StdinOption = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input, one line.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")]


@app.callback(invoke_without_command=True)
def users(
    context: typer.Context, data: DataOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is None:
        show_users(_run(locate(store, data), list_all), is_json=json)


@app.command("list")
def list_users(
    context: typer.Context, data: DataOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List the users; the same as `tenax users`."""
    show_users(_run(find_place(context, store, data), list_all), is_json=json)


@app.command()
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="1 to 64 printable characters.")],
    role: Annotated[
        Literal["user", "admin"], typer.Option(help="user: sees everything; admin: changes everything.")
    ] = "user",
    password_stdin: StdinOption = False,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Add a user. A missing data directory is created."""
    place = find_place(context, store, data)
    password = read_password(password_stdin)

    async def work(users: Users) -> User:
        return await users.add(name_actor(), name, password, Role(role))

    added = _run(place, work, creates_store=True)
    show(f"Added the {added.role} {clean(added.name)} to {place}.")


@app.command()
def passwd(
    context: typer.Context,
    name: NameArgument,
    password_stdin: StdinOption = False,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Change the password of a user. All their sessions end."""
    place = find_place(context, store, data)
    password = read_password(password_stdin)
    _change(place, name, lambda users, user: users.set_password(name_actor(), user, password))
    show(f"{clean(name)} has a new password and is logged out everywhere.")


@app.command()
def disable(
    context: typer.Context, name: NameArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Disable a user. Until they are enabled, no password or token of theirs is accepted."""
    place = find_place(context, store, data)
    _change(place, name, lambda users, user: users.disable(name_actor(), user))
    show(f"{clean(name)} is disabled.")


@app.command()
def enable(
    context: typer.Context, name: NameArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Enable a disabled user."""
    place = find_place(context, store, data)
    _change(place, name, lambda users, user: users.enable(name_actor(), user))
    show(f"{clean(name)} is enabled.")


@app.command()
def remove(
    context: typer.Context, name: NameArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Remove a user with all their tokens."""
    place = find_place(context, store, data)
    _change(place, name, lambda users, user: users.remove(name_actor(), user))
    show(f"Removed {clean(name)} from {place}.")


@app.command()
def token(
    context: typer.Context,
    user: Annotated[str, typer.Argument(metavar="USER", help="Name of the user whose token it is.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the token is for: 1 to 64 characters.")],
    scope: Annotated[
        list[TokenScope] | None,
        typer.Option(
            help="What the token may do; may be repeated. Users: read, metrics; admins: all.",
            show_default="read",
        ),
    ] = None,
    days: Annotated[
        int | None, typer.Option(min=1, max=3650, help="When it expires.", show_default="never")
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Create an API token and print it, only this once."""
    place = find_place(context, store, data)
    find_backend(place).refuse_missing(place)
    scopes = frozenset(scope or (TokenScope.READ,))

    async def create() -> str:
        async with open_server_runtime(place, Settings()) as server_runtime:
            access, clock = server_runtime.access, server_runtime.stores.clock
            with open_users(access, clock) as users:
                owner = await _find(users, user, place)
            expires_at = None if days is None else clock.wall() + days * DAY_S
            _, text = await open_tokens(access, clock).add(name_actor(), owner, name, scopes, expires_at)
            return text

    show(asyncio.run(create()))


def read_password(is_piped: bool) -> str:
    """Never read it from the arguments, which other users of the machine can see."""
    if is_piped:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise UsageError("Cannot ask for the password without a terminal: pipe it in with --password-stdin.")
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password


async def list_all(users: Users) -> list[User]:
    found: list[User] = []
    wanted = SliceRequest(key="name", is_descending=False, after=None, limit=AT_ONCE)
    while True:
        part = await users.list(wanted, UserFilter())
        found += part.items
        if part.next is None:
            return found
        wanted = SliceRequest(key="name", is_descending=False, after=part.next, limit=AT_ONCE)


def show_users(found: list[User], *, is_json: bool) -> None:
    if is_json:
        for user in found:
            show_json(as_json(_describe(user)), is_line=True)
    elif not found:
        show("No users. Add the first one with 'tenax users add NAME --role admin'.")
    else:
        rows = [
            (clean(user.name), user.role, format_moment(user.created_at), format_moment(user.disabled_at))
            for user in found
        ]
        show_table(("NAME", "ROLE", "ADDED", "DISABLED"), rows)


def _describe(user: User) -> dict[str, object]:
    names = ("id", "name", "role", "created_at", "disabled_at")
    return {name: getattr(user, name) for name in names}


def _change(place: Place, name: str, change: Callable[[Users, User], Awaitable[T]]) -> T:
    async def work(users: Users) -> T:
        return await change(users, await _find(users, name, place))

    return _run(place, work)


async def _find(users: Users, name: str, place: Place) -> User:
    found = await users.find(name)
    if found is None:
        raise UsageError(f"There is no user {clean(name)} in {place}.")
    return found


def _run(place: Place, work: Callable[[Users], Awaitable[T]], *, creates_store: bool = False) -> T:
    """`creates_store`: create a missing store instead of refusing it."""
    if not creates_store:
        find_backend(place).refuse_missing(place)
    return asyncio.run(_run_on_store(place, work))


async def _run_on_store(place: Place, work: Callable[[Users], Awaitable[T]]) -> T:
    # Default settings: users do not need Redis.
    async with open_server_runtime(place, Settings()) as server_runtime:
        with open_users(server_runtime.access, server_runtime.stores.clock) as users:
            return await work(users)
