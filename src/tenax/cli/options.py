"""What several commands share: how an app is made, and their common options."""

from pathlib import Path
from typing import Annotated

import typer

DATA_HELP = "Directory of the crawl."


def new_app(help: str | None = None) -> typer.Typer:
    return typer.Typer(help=help, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


DataOption = Annotated[Path, typer.Option("--data", help=DATA_HELP)]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]

DEFAULT_DATA = Path("crawl")
