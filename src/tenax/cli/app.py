"""`tenax`: finds the command, runs it, and turns what went wrong into one sentence and an exit code.

Command modules are imported only when they are called: the start-up of one must not pay for the others.
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
from tenax.errors import ConfigError, TenaxError, UsageError
from tenax.exits import Exit
from tenax.visible import clean_lines

COMMANDS = {
    "crawl": "Crawl sites, or go on where the last crawl stopped.",
    "refresh": "Visit again the pages whose time has come.",
    "retry": "Have dead urls visited again, by reason, domain or run, or any urls that are named.",
    "changes": "List new, changed and gone pages.",
    "serve": "Serve the API, with workers that crawl what it is told to.",
    "worker": "Work on the runs of a store as they come up; for many machines on one store.",
    "demo": "Crawl a small web that ships with Tenax, served on this machine.",
    "status": "Show what a data directory holds and what is going on in it.",
    "runs": "List the runs of a crawl; pause, resume or cancel one.",
    "tasks": "List the runs that go through a broker; replay one that failed.",
    "workers": "List the workers that are at work in a store.",
    "doctor": "Name what holds a crawl back, and what to do.",
    "explain": "Say where a URL stands and why.",
    "inbound": "List the pages that link to a URL.",
    "domains": "List the domains, show one with its story, block it, want it again, check the counters.",
    "seeds": "List the seeds, or import a list of them from a file or from Redis.",
    "sources": "List the sources; add, show, enable, disable and remove one, write them as a file.",
    "apply": "Make the sources what a YAML file says, or show what that would change.",
    "feeds": "List the feeds that are followed; have one asked at once.",
    "webhooks": "List the webhooks; make a new secret for one.",
    "secrets": "List the keys that secrets are sealed with; make one, seal them anew, scrub the store.",
    "export": "Write pages, urls, visits, links or images as JSON lines, CSV or Parquet.",
    "fetch": "Visit one URL and show everything about it; nothing is stored.",
    "robots": "Show what a site's robots.txt says about a URL.",
    "copy": "Copy a crawl from one store to another, and prove that both hold the same.",
    "jobs": "List the jobs, create, pause, resume, cancel, retry or run one now; list its executions.",
    "users": "List the users of the service; add, disable and remove them.",
    "migrate": "Make the tables of a database, or bring them up to date.",
    "rebuild-seen": "Fill Redis's seen filter from the store.",
    "config": "Show the settings in force and where they come from.",
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
            raise UsageError(refuse_command(word))
        return super().resolve_command(ctx, args)


def refuse_command(word: str) -> str:
    close = difflib.get_close_matches(word, COMMANDS, 1)
    hint = f"did you mean {close[0]!r}?" if close else "'tenax --help' lists them."
    return f"There is no command {word!r}: {hint}"


@contextlib.contextmanager
def start_up() -> Iterator[None]:
    """While modules are imported: collect no garbage, a tenth of the time, for there is none; and let Ctrl-C
    end the process at once, for libraries turn an interrupt inside their class bodies into other errors."""
    gc.disable()
    earlier = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, earlier)
        gc.enable()


def is_listing() -> bool:
    """Only names and one line each are asked for."""
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
    except (UsageError, ConfigError) as error:
        fail(error, Exit.USAGE)
    except TenaxError as error:
        fail(error, Exit.ERROR)


def fail(error: TenaxError, code: Exit) -> None:
    print(f"tenax: {clean_lines(str(error))}", file=sys.stderr)
    sys.exit(code)
