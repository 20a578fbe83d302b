"""Loading of settings. Precedence: command line, environment, file, default."""

import difflib
import json
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from pydantic import PlainSerializer, ValidationError

from tenax.config.masking import HIDDEN
from tenax.config.settings import Settings, Values
from tenax.errors import ConfigError
from tenax.wording import as_sentence


def parse_stored(text: str) -> Settings:
    """Parse the JSON of the settings that are stored with a run. Raises ConfigError."""
    try:
        return Settings.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(
            f"The run was started by another version of Tenax, and this version cannot read its settings: "
            f"{_explain(error)} Use the same version on all machines."
        ) from error


# Types of errors of Pydantic; the same form serves in the environment, in TOML and in Python.
_LISTS = dict.fromkeys(("tuple_type", "list_type"), 'it is a list, which is written as ["one", "two"]')
ENV_PREFIX = "TENAX_"
# The key that encrypts secrets in the store. Not a setting, so that code that shows or stores settings never
# has it.
KEY_VARIABLE = "TENAX_SECRET_KEY"
KEY_FILE_VARIABLE = "TENAX_SECRET_KEY_FILE"
# Variables that other parts of Tenax read; not settings.
OTHER_VARIABLES = {
    KEY_VARIABLE,
    KEY_FILE_VARIABLE,
    "TENAX_FAILPOINT",
    "TENAX_TEST_POSTGRES",
    "TENAX_TEST_RABBITMQ",
    "TENAX_TEST_REDIS",
}


def load_settings(*, file: Path | None = None, overrides: Values | None = None) -> Settings:
    """Load the effective settings. Raises ConfigError, whose message names the setting at fault."""
    layers = [read_file(file) if file else {}, read_environment(), overrides or {}]
    merged: Values = {}
    for layer in layers:
        for section, values in layer.items():
            merged[section] = {**merged.get(section, {}), **values}
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise ConfigError(_explain(error)) from error


def read_file(path: Path) -> Values:
    try:
        data = tomllib.loads(path.read_text())
    except OSError as error:
        raise ConfigError(f"Cannot read the settings file {path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(as_sentence(f"The settings file {path} is not valid TOML: {error}")) from error
    for section, values in data.items():
        if not isinstance(values, dict):
            raise ConfigError(f"In {path}, {section!r} is outside a section; see 'tenax config show'.")
    return data


def read_environment() -> Values:
    """Read variables such as TENAX_POLITENESS__DELAY_S=2; lists and objects are JSON."""
    found: Values = {}
    for variable, text in sorted(os.environ.items()):
        if not variable.startswith(ENV_PREFIX) or variable in OTHER_VARIABLES:
            continue
        section, _, name = variable.removeprefix(ENV_PREFIX).lower().partition("__")
        _refuse_unknown(section, Settings.model_fields, f"environment variable {variable}")
        found.setdefault(section, {})[name] = _read_value(variable, text, is_secret=_is_secret(section, name))
    return found


def _read_value(variable: str, text: str, *, is_secret: bool) -> Any:
    """Parse a list or an object; other values stay text, which pydantic converts."""
    if not text.startswith(("[", "{")):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        got = HIDDEN if is_secret else repr(text)
        kind = "list" if text.startswith("[") else "object"
        raise ConfigError(f"The environment variable {variable} is not a JSON {kind}: {got}.") from error


def find_origin(section: str, name: str, *, file: Values, environment: Values, overrides: Values) -> str:
    """Find where the effective value comes from, for `tenax config show`."""
    layers = {"command line": overrides, "environment": environment, "file": file}
    return next((origin for origin, layer in layers.items() if name in layer.get(section, {})), "default")


def _is_secret(section: str, name: str) -> bool:
    """Whether the value is masked when it is shown."""
    part = Settings.model_fields[section].annotation
    field = part.model_fields.get(name) if part is not None else None
    return field is not None and _has_serializer([*field.metadata, field.annotation])


def _has_serializer(parts: Iterable[Any]) -> bool:
    return any(isinstance(each, PlainSerializer) or _has_serializer(get_args(each)) for each in parts)


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    name = ".".join(place)
    if first["type"] != "extra_forbidden":
        # The value of a whole section may contain all its secrets.
        is_open = len(place) > 1 and not _is_secret(place[0], place[1])
        got = repr(first["input"]) if is_open else HIDDEN
        fault = _LISTS.get(first["type"]) or first["msg"].lower().removeprefix("value error, ")
        return f"The setting {name} is not valid: {fault} (got {got})."
    known = Settings.model_fields
    if len(place) > 1 and (annotation := known[place[0]].annotation) is not None:
        known = annotation.model_fields
    return _format_unknown(place[-1], known, name)


def _refuse_unknown(word: str, known: dict[str, Any], name: str) -> None:
    if word not in known:
        raise ConfigError(_format_unknown(word, known, name))


def _format_unknown(word: str, known: dict[str, Any], name: str) -> str:
    close = difflib.get_close_matches(word, known, 1)
    hint = f"did you mean {close[0]!r}?" if close else "'tenax config show' lists all settings."
    return f"Unknown setting {name}: {hint}"
