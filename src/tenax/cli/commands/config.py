"""`tenax config show`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import orjson
import typer

from tenax.cli.options import ConfigOption, new_app
from tenax.cli.show.render import show, show_json, show_table
from tenax.config.loading import ENV_PREFIX, find_origin, load_settings, read_environment, read_file
from tenax.config.settings import Settings
from tenax.record import record
from tenax.visible import clean

app = new_app("Show the effective settings and where they come from.")


@record
class SettingInForce:
    name: str  # section.setting
    value: Any
    origin: str
    variable: str
    description: str


@app.callback()
def config() -> None:
    """Make `show` a subcommand although it is the only one."""


@app.command("show")
def show_settings(
    config: ConfigOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List every setting with its value, its origin and its meaning."""
    file = read_file(config) if config else {}
    settings = load_settings(file=config)
    found = list(list_settings(settings, file=file, environment=read_environment()))
    if json:
        show_json([asdict(each) for each in found])
        return
    rows = [(each.name, format_value(each.value), each.origin, each.description) for each in found]
    show_table(("SETTING", "VALUE", "FROM", "MEANING"), rows)
    show()
    show(f"Set them in a TOML file (--config) or by variables such as {found[0].variable}.")


def list_settings(settings: Settings, *, file: Any, environment: Any) -> Iterator[SettingInForce]:
    values = settings.model_dump(mode="json")
    for section in Settings.model_fields:
        for name, field in type(getattr(settings, section)).model_fields.items():
            yield SettingInForce(
                name=f"{section}.{name}",
                value=values[section][name],
                origin=find_origin(section, name, file=file, environment=environment, overrides={}),
                variable=f"{ENV_PREFIX}{section}__{name}".upper(),
                description=field.description or "",
            )


def format_value(value: Any) -> str:
    """Format a value as in the file, except for none, which TOML does not have."""
    return "none" if value is None else clean(orjson.dumps(value).decode())
