"""What several commands share: how an app is made, and their common options."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from tenax.config import load_settings
from tenax.stores.place import Place, find_place

DATA_HELP = "Directory of the crawl; with a database, of what this machine notes about it."


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

OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="CSS", help="Text of elements that match, not of the whole page."),
]
WithoutOption = Annotated[
    list[str] | None, typer.Option("--without", metavar="CSS", help="No text of elements that match.")
]

RedisOption = Annotated[
    str | None, typer.Option("--redis", metavar="URL", help="Share what may be lost through this Redis.")
]

BrokerOption = Annotated[
    str | None,
    typer.Option(
        "--broker",
        metavar="URL",
        help="The RabbitMQ that runs are named by, as amqp://USER:PASSWORD@HOST/VHOST.",
    ),
]

DataOption = Annotated[Path | None, typer.Option("--data", help=DATA_HELP, show_default="crawl")]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="Database of the crawl, as postgresql://USER@HOST/DATABASE."),
]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]


def locate(store: str | None, data: Path | None) -> Place:
    """The crawl that a command is about."""
    return find_place(store or load_settings().store.url, data)
