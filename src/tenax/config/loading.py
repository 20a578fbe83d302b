"""Settings from the command line, the environment, the file and the defaults, in this order of precedence."""

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


def parse_ordered(text: str) -> Settings:
    """The settings that a run keeps, from their JSON."""
    try:
        return Settings.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(
            f"The run was ordered by another version of Tenax, whose settings this one cannot read: "
            f"{_explain(error)} Use the same version on all machines."
        ) from error


ENV_PREFIX = "TENAX_"
# The key of the store's secrets: no setting, so that nothing that shows or keeps settings ever holds it.
KEY_VARIABLE = "TENAX_SECRET_KEY"
KEY_FILE_VARIABLE = "TENAX_SECRET_KEY_FILE"
# Read from the environment by other parts of Tenax; no settings.
OTHER_VARIABLES = {
    KEY_VARIABLE,
    KEY_FILE_VARIABLE,
    "TENAX_FAILPOINT",
    "TENAX_TEST_POSTGRES",
    "TENAX_TEST_RABBITMQ",
    "TENAX_TEST_REDIS",
}


def load_settings(*, file: Path | None = None, overrides: Values | None = None) -> Settings:
    """The settings in force. Raises ConfigError with one sentence that names the culprit."""
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
            raise ConfigError(f"In {path}, {section!r} stands outside a section; see 'tenax config show'.")
    return data


def read_environment() -> Values:
    """Variables such as TENAX_POLITENESS__DELAY_S=2; a list is JSON."""
    found: Values = {}
    for variable, text in sorted(os.environ.items()):
        if not variable.startswith(ENV_PREFIX) or variable in OTHER_VARIABLES:
            continue
        section, _, name = variable.removeprefix(ENV_PREFIX).lower().partition("__")
        _refuse_unknown(section, Settings.model_fields, f"environment variable {variable}")
        found.setdefault(section, {})[name] = _read_value(variable, text, is_secret=_is_secret(section, name))
    return found


def _read_value(variable: str, text: str, *, is_secret: bool) -> Any:
    """Text is what most settings take; pydantic turns it into numbers and words."""
    if not text.startswith("["):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        got = HIDDEN if is_secret else repr(text)
        raise ConfigError(f"The environment variable {variable} is not a JSON list: {got}.") from error


def find_origin(section: str, name: str, *, file: Values, environment: Values, overrides: Values) -> str:
    """Where the value in force comes from, for `tenax config show`."""
    layers = {"command line": overrides, "environment": environment, "file": file}
    return next((origin for origin, layer in layers.items() if name in layer.get(section, {})), "default")


def _is_secret(section: str, name: str) -> bool:
    """Whether its value is shown otherwise than it is, or not at all."""
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
        # What stands for a whole section may hold all its secrets.
        is_open = len(place) > 1 and not _is_secret(place[0], place[1])
        got = repr(first["input"]) if is_open else HIDDEN
        fault = first["msg"].lower().removeprefix("value error, ")
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
