"""Writes docs/*.md that are references, and .env.example: `python -m tenax.cli.reference [--check]`."""

import inspect
import json
import re
import shlex
import sys
import textwrap
from collections.abc import Iterable, Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from typer.main import get_command

from tenax.accounts.permissions import Role
from tenax.api.reference import Operation, list_operations
from tenax.cli.app import COMMANDS
from tenax.config import ENV_PREFIX, KEY_FILE_VARIABLE, KEY_VARIABLE, Settings
from tenax.exits import Exit
from tenax.metrics import Metric, list_metrics

NOTICE = "<!-- Written by `python -m tenax.cli.reference`; do not edit. -->"
_EXIT = re.compile(r"^\s+(\w+) = (\d+)\s+# (.+)$", re.MULTILINE)


def format_references() -> dict[str, str]:
    """Path in the repository → text."""
    return {
        ".env.example": "\n".join(_format_environment()) + "\n",
        "docs/api-reference.md": "\n".join(_format_api()) + "\n",
        "docs/cli.md": "\n".join(_format_cli()) + "\n",
        "docs/metrics.md": "\n".join(_format_metrics()) + "\n",
        "docs/settings.md": "\n".join(_format_settings()) + "\n",
    }


# --- docs/api-reference.md -----------------------------------------------------------------------


def _format_api() -> Iterator[str]:
    yield from ("# The API, route by route", "", NOTICE, "")
    yield "`GET /api/v1/openapi.json` has it all with parameters, bodies and answers, as OpenAPI 3.1;"
    yield "[the guide](api.md) shows how to use it. A token needs the scope beside the role of its owner."
    by_tag: dict[str, list[Operation]] = {}
    for operation in list_operations():
        by_tag.setdefault(operation.tag, []).append(operation)
    for tag, operations in by_tag.items():
        yield from ("", f"## {tag.capitalize()}", "")
        yield from _format_rows(
            ("Route", "What it does", "Who", "Scope", "Operation"),
            (
                (
                    f"`{each.method} {each.path}`",
                    each.summary,
                    "anybody" if each.role is Role.ANONYMOUS else each.role.value,
                    "–" if each.role is Role.ANONYMOUS else each.scope,
                    f"`{each.name}`",
                )
                for each in operations
            ),
        )


# --- docs/cli.md ---------------------------------------------------------------------------------


def _format_cli() -> Iterator[str]:
    pages = {name: _list_pages(name) for name in COMMANDS}
    yield from ("# Command line", "", NOTICE, "")
    yield from _format_rows(
        ("Command", "What it does"),
        (
            (f"[`tenax {name}`](#{pages[name][0][0].replace(' ', '-')})", text)
            for name, text in COMMANDS.items()
        ),
    )
    yield from ("", "`tenax --version` shows the version; every command has `--help`.", "")
    for full_name, command in (page for found in pages.values() for page in found):
        yield from _format_command(full_name, command)
    yield from ("## Exit codes", "")
    found = _EXIT.findall(inspect.getsource(Exit))
    yield from _format_rows(("Code", "Meaning"), ((number, meaning) for _, number, meaning in found))


def _list_pages(name: str) -> list[tuple[str, Any]]:
    """The command and its subcommands, by their full names."""
    command: Any = get_command(import_module(f"tenax.cli.commands.{name.replace('-', '_')}").app)
    inner = getattr(command, "commands", {})
    # `tenax config` alone only shows its help.
    own = [(f"tenax {name}", command)] if not inner or command.invoke_without_command else []
    return own + [(f"tenax {name} {word}", each) for word, each in inner.items()]


def _format_command(name: str, command: Any) -> Iterator[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join([name, *map(_format_value_name, arguments)])
    yield from (f"## {name}", "", *_format_help(command), "```", f"{usage} [OPTIONS]", "```", "")
    if arguments:
        yield from _format_rows(("Argument", "Meaning"), map(_argument_row, arguments))
        yield ""
    if options:
        yield from _format_rows(("Option", "Default", "Meaning"), map(_option_row, options))
        yield ""


def _format_help(command: Any) -> Iterator[str]:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield " ".join(paragraph.split())
        yield ""


def _argument_row(param: Any) -> tuple[str, str]:
    return f"`{_format_value_name(param)}`", param.help or ""


def _option_row(param: Any) -> tuple[str, str, str]:
    names = ", ".join(f"`{name}`" for name in param.opts)
    value = "" if param.is_flag else f" `{_format_value_name(param)}`"
    several = " May be given several times." if param.multiple else ""
    return names + value, _format_default(param), f"{param.help or ''}{several}"


def _format_value_name(param: Any) -> str:
    if param.metavar:
        return str(param.metavar)
    kind = param.type_descriptor.annotation
    is_choice = isinstance(kind, type) and issubclass(kind, Enum)
    return "|".join(str(each.value) for each in kind) if is_choice else str(param.name.upper())


def _format_default(param: Any) -> str:
    if isinstance(param.show_default, str):
        return f"`{param.show_default}`"
    if param.is_flag or param.default is None or param.multiple:
        return ""
    return f"`{getattr(param.default, 'value', param.default)}`"


# --- docs/metrics.md -----------------------------------------------------------------------------


def _format_metrics() -> Iterator[str]:
    yield from ("# Metrics", "", NOTICE, "")
    yield (
        "`GET /metrics` of a service tells, in Prometheus's text format, how the whole store fares: every "
        "process that serves it tells the same. A crawl from the command line writes those that it knows "
        "of itself to `DATA/metrics.prom`, for a collector that reads files. Counters begin anew with a "
        "crawl's file; those of a service never go back."
    )
    yield from ("", "Alerts and a dashboard for them are in `deploy/prometheus` and `deploy/grafana`.", "")
    yield from _format_rows(("Metric", "Type", "Labels", "Meaning"), map(_metric_row, list_metrics()))


def _metric_row(metric: Metric) -> tuple[str, str, str, str]:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"`{metric.name}`", metric.kind, labels, metric.meaning


# --- docs/settings.md ----------------------------------------------------------------------------


def _format_settings() -> Iterator[str]:
    yield from ("# Settings", "", NOTICE, "")
    yield (
        "A setting is taken from the command line, else from the environment, else from the TOML file "
        "named by `--config`, else it has its default. `tenax config show` lists what is in force and "
        "where it comes from."
    )
    yield from ("", "```toml", "[politeness]", "delay_s = 2.0", "", "[limits]", "max_depth = 4", "```")
    for section, fields in _list_sections():
        yield from ("", f"## {section}", "")
        rows = (_setting_row(section, name, each) for name, each in fields.items())
        yield from _format_rows(("Setting", "Default", "Environment variable", "Meaning"), rows)


def _list_sections() -> Iterator[tuple[str, dict[str, Any]]]:
    for section, field in Settings.model_fields.items():
        assert isinstance(field.annotation, type)
        assert issubclass(field.annotation, BaseModel)
        yield section, dict(field.annotation.model_fields)


def _setting_row(section: str, name: str, field: Any) -> tuple[str, str, str, str]:
    variable = _name_variable(section, name)
    return f"`{name}`", _format_setting(field.default), f"`{variable}`", field.description or ""


def _name_variable(section: str, name: str) -> str:
    return f"{ENV_PREFIX}{section}__{name}".upper()


def _format_setting(value: Any) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) and value < 1e6 else f"`{value}`"


# --- .env.example --------------------------------------------------------------------------------

ENVIRONMENT_NOTICE = """\
# Every setting as an environment variable, with its default. Written by 'make docs'; do not edit.
# Copy it to .env, remove the # before what you change, and load it before a command:
#     set -a; . ./.env; set +a
# or name it in a systemd unit (EnvironmentFile=). A list stands in single quotes: '["a.test", "b.test"]'.
# What is empty here has no default."""


def _format_environment() -> Iterator[str]:
    yield ENVIRONMENT_NOTICE
    yield from (
        "",
        "# Seals secrets in the store; several, separated by spaces, all open them. See docs/secrets.md.",
    )
    yield from (f"#{KEY_VARIABLE}=", f"#{KEY_FILE_VARIABLE}=")
    for section, fields in _list_sections():
        yield from ("", f"# --- {section}")
        for name, field in fields.items():
            yield from textwrap.wrap(
                field.description or "",
                108,
                initial_indent="# ",
                subsequent_indent="# ",
                break_on_hyphens=False,
            )
            yield f"#{_name_variable(section, name)}={_format_assigned(field.default)}"


def _format_assigned(value: Any) -> str:
    """As a shell, systemd and Tenax read it."""
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return shlex.quote(json.dumps(list(value)))
    return shlex.quote(_format_setting(value).strip("`"))


# --- writing -------------------------------------------------------------------------------------


def _format_rows(headers: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield _format_row(headers)
    yield _format_row(tuple("---" for _ in headers))
    for row in rows:
        yield _format_row(tuple(cell.replace("|", "\\|") for cell in row))


def _format_row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def find_stale(root: Path) -> dict[Path, str]:
    """The references whose files differ from the code, with what they ought to say."""
    references = {root / name: text for name, text in format_references().items()}
    return {path: text for path, text in references.items() if not path.exists() or path.read_text() != text}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("Usage: python -m tenax.cli.reference [--check]", file=sys.stderr)
        return Exit.USAGE
    stale = find_stale(Path())
    if arguments == ["--check"]:
        for path in stale:
            print(f"{path} is stale: run `python -m tenax.cli.reference`.", file=sys.stderr)
        return Exit.ERROR if stale else Exit.DONE
    for path, text in stale.items():
        path.write_text(text)
        print(f"Wrote {path}.")
    return Exit.DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
