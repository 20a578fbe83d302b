"""`tenax`: finds the command, runs it, and turns errors into one sentence and an exit code.

A command's module is imported when it is called, so that no command pays for the start-up of the others.
"""

import contextlib
import difflib
import gc
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from tenax import __version__
from tenax.errors import TenaxError, UsageError
from tenax.exits import Exit, find_exit
from tenax.visible import clean_lines

COMMANDS = {
    "crawl": "Crawl sites, or resume where the last crawl stopped.",
    "run": "Run the crawler of a Python script and store its items.",
    "refresh": "Revisit the pages that are due.",
    "retry": "Revisit dead urls, or any urls by name.",
    "changes": "List new, changed and gone pages.",
    "products": "List products, their prices over time, what became cheaper, sold out or came back.",
    "items": "List items that parsers made of pages; show one and its history.",
    "errors": "List errors of requests and parsers, alone or in groups.",
    "serve": "Serve the API, with workers that run its crawls.",
    "worker": "Join the runs of a store as they start, on any machine.",
    "demo": "Crawl a small demo site, served on this machine.",
    "status": "Show what a crawl holds, what is active and what to do next.",
    "runs": "List the runs of a crawl; pause, resume or cancel one.",
    "tasks": "List the tasks sent through a broker; replay a failed one.",
    "workers": "List the active workers of a store.",
    "doctor": "Find what blocks a crawl, and what to do about it.",
    "explain": "Explain the state of a URL and the rule behind it.",
    "inbound": "List the pages that link to a URL.",
    "duplicates": "List pages that others repeat, word for word or nearly.",
    "domains": "List the domains; show, block, reset or configure one.",
    "traps": "List urls that bring nothing new; open or close them.",
    "sitemaps": "List the sitemaps that were found, and what was read.",
    "pagination": "List how lists are paged, as learned; set or remove a rule.",
    "archives": "List where archives are, as learned; set or remove a pattern.",
    "seeds": "List the seeds, or import a list from a file or Redis.",
    "sources": "List the sources; add, show, enable, disable or remove one.",
    "apply": "Apply sources from a YAML file, or show what would change.",
    "feeds": "List the feeds that are followed; poll one now.",
    "webhooks": "List the webhooks; rotate the secret of one.",
    "secrets": "List the keys that seal secrets; create or rotate them.",
    "body": "Show the stored body of a page, or its headers.",
    "bodies": "List the files with stored bodies; check them.",
    "export": "Export pages, items and more as JSON lines, CSV or Parquet.",
    "fetch": "Fetch one URL and show everything about it.",
    "parse": "Show which items parsers make of a page, and where they find them.",
    "parsers": "List the parsers and how they do; test them with saved pages; try candidates beside them.",
    "robots": "Show what a site's robots.txt says about a URL.",
    "copy": "Copy a crawl to another store, and verify the copy.",
    "jobs": "List the jobs; create, pause, resume, cancel or run one.",
    "users": "List the users of the service; add, disable or remove one.",
    "migrate": "Create the tables of a database, or upgrade them.",
    "rebuild-seen": "Rebuild the seen filter in Redis from the store.",
    "config": "Show the effective settings and where they come from.",
}


class LazyCommands(TyperGroup):
    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, name: str) -> TyperCommand | None:  # type: ignore[override]
        if name not in COMMANDS:
            return None
        if ctx.invoked_subcommand is None and is_listing():
            return TyperCommand(name, help=COMMANDS[name])
        with start_up():
            module = import_module(f"tenax.cli.commands.{name.replace('-', '_')}")
        return get_command(module.app)  # type: ignore[return-value]

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        word = args[0]
        if word not in COMMANDS and not word.startswith("-"):
            raise UsageError(describe_unknown(word))
        return super().resolve_command(ctx, args)


def describe_unknown(word: str) -> str:
    close = difflib.get_close_matches(word, COMMANDS, 1)
    if close:
        return f"Unknown command {word!r}. Did you mean {close[0]!r}?"
    return f"Unknown command {word!r}; 'tenax --help' lists all commands."


@contextlib.contextmanager
def start_up() -> Iterator[None]:
    """While modules are imported, collect no garbage: there is none, and it would take a tenth of the time.
    Let Ctrl-C end the process at once: libraries turn an interrupt in a class body into other errors."""
    gc.disable()
    earlier = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, earlier)
        gc.enable()


def is_listing() -> bool:
    """Whether only the list of commands is shown."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    return not words


app = typer.Typer(
    name="tenax",
    cls=LazyCommands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="A web crawler that is polite, never loses work, explains itself and is fast.",
)


@app.callback(invoke_without_command=True)
def start(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    if version:
        typer.echo(f"tenax {__version__}")
        raise typer.Exit


def main() -> None:
    try:
        app()
    except TenaxError as error:
        fail(error, find_exit(error))


def fail(error: TenaxError, code: Exit) -> None:
    print(f"tenax: {clean_lines(str(error))}", file=sys.stderr)
    sys.exit(code)
