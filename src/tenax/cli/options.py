"""What several commands share: how an app is made, and their common options."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

DATA_HELP = "Directory of the crawl."


def new_app(help: str | None = None) -> typer.Typer:
    return typer.Typer(help=help, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def command_name() -> str:
    """How the reader can call this program again from where they are."""
    program = Path(sys.argv[0])
    return program.name if shutil.which(program.name) else os.path.relpath(program)


UserAgentOption = Annotated[str | None, typer.Option("--user-agent", help="Replaces the user agent.")]
ContactOption = Annotated[
    str | None,
    typer.Option("--contact", help="URL or mail address for site owners, sent with every request."),
]
ResolveOption = Annotated[
    list[str] | None,
    typer.Option("--resolve", metavar="HOST:IP", help="Use this address; * means every host."),
]
PrivateOption = Annotated[bool, typer.Option("--allow-private", help="Allow loopback and private addresses.")]

RedisOption = Annotated[
    str | None, typer.Option("--redis", metavar="URL", help="Share what may be lost through this Redis.")
]

DataOption = Annotated[Path, typer.Option("--data", help=DATA_HELP)]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]

DEFAULT_DATA = Path("crawl")
