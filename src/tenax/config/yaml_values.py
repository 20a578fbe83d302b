"""YAML as plain values with line numbers. Only what JSON can express, so that every reader reads the same.

Not supported: anchors and aliases, with which a small file can expand to a huge one; tags; words such as
`yes` and numbers such as 18:00, which YAML 1.1 does not read as text; duplicate keys. Nothing recurses.
"""

import re
from typing import Any, Final

import yaml

from tenax.record import record
from tenax.visible import escape_deceptive, is_deceptive

LARGEST_BYTES: Final = 5_000_000
DEEPEST: Final = 20
MOST_VALUES: Final = 200_000  # including field names; each takes 6 µs

Path = tuple[str | int, ...]

# Without libyaml: the same, but slower.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: Final = {"": None, "~": None, "null": None, "true": True, "false": False}
_is_integer = re.compile(r"-?(?:0|[1-9][0-9]{0,17})").fullmatch
_is_number = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{0,40}(?:[eE][-+][0-9]{1,3})?").fullmatch


@record
class YamlFault:
    line: int  # from 1
    message: str  # one sentence


@record
class YamlValues:
    value: Any
    lines: dict[Path, int]  # from 1, for every value by its path; for a field, the line of its name
    faults: list[YamlFault]

    def find_line(self, path: Path) -> int:
        """The line of the value, or of the closest enclosing one."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


def parse_yaml(text: str) -> YamlValues:
    """Parse, and collect all faults as far as the text can be read."""
    if len(text.encode("utf-8", "replace")) > LARGEST_BYTES:
        fault = YamlFault(line=1, message=f"The file is larger than {LARGEST_BYTES:,} bytes.")
        return YamlValues(value=None, lines={}, faults=[fault])
    reader = _YamlReader()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if not reader.handle(event):
                break
    except (yaml.YAMLError, ValueError) as error:
        reader.faults.append(_translate(error))
    return YamlValues(value=reader.value, lines=reader.lines, faults=reader.faults)


class _YamlReader:
    """Builds values from the parser's events, with an explicit stack."""

    def __init__(self) -> None:
        self.value: Any = None
        self.lines: dict[Path, int] = {}
        self.faults: list[YamlFault] = []
        self._open: list[Any] = []  # lists and dicts
        self._path: list[str | int] = []  # to the next value
        self._keys: list[str | None] = []  # for each open dict, the key whose value comes next
        self._documents = 0
        self._values = 0

    def handle(self, event: Any) -> bool:
        """False: parsing cannot continue."""
        line = event.start_mark.line + 1
        match event:
            case yaml.AliasEvent():
                return self._add_fault(line, "Aliases (*) are not supported: write the value out.")
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    return self._add_fault(line, "A second document (---) is not supported.")
            case yaml.ScalarEvent() | yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                return self._handle_value(event, line)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._close()
        return True

    def _handle_value(self, event: Any, line: int) -> bool:
        if event.anchor is not None:
            return self._add_fault(line, "Anchors (&) are not supported: write the value out.")
        if event.tag is not None and event.tag != "!":
            return self._add_fault(line, "Tags (!) are not supported.")
        if len(self._open) >= DEEPEST:
            return self._add_fault(line, f"The file is nested more than {DEEPEST} levels deep.")
        self._values += 1
        if self._values > MOST_VALUES:
            return self._add_fault(line, f"The file has more than {MOST_VALUES:,} values.")
        if self._open and isinstance(self._open[-1], dict) and self._keys[-1] is None:
            return self._handle_key(event, line)
        if not isinstance(event, yaml.ScalarEvent):
            self._append([] if isinstance(event, yaml.SequenceStartEvent) else {}, line)
            return True
        self._append(_read_scalar(event), line)
        return True

    def _handle_key(self, event: Any, line: int) -> bool:
        if not isinstance(event, yaml.ScalarEvent):
            return self._add_fault(line, "A field name must be a single value.")
        name = event.value
        if name == "<<":
            return self._add_fault(line, "Merge keys (<<) are not supported: write the fields out.")
        if name in self._open[-1]:
            # Continue, to find further faults; the values are not used.
            self._add_fault(line, f"The field {name[:100]} is given twice.")
        self._keys[-1] = name
        self._path[-1] = name
        self.lines[tuple(self._path)] = line
        return True

    def _append(self, value: Any, line: int) -> None:
        if not self._open:
            self.value = value
        elif isinstance(self._open[-1], list):
            self._path[-1] = len(self._open[-1])
            self._open[-1].append(value)
        else:
            self._open[-1][self._keys[-1]] = value
            self._keys[-1] = None
        self.lines.setdefault(tuple(self._path), line)
        if isinstance(value, list | dict):
            self._open.append(value)
            self._keys.append(None)
            self._path.append("")

    def _close(self) -> None:
        self._open.pop()
        self._keys.pop()
        self._path.pop()

    def _add_fault(self, line: int, message: str) -> bool:
        self.faults.append(YamlFault(line=line, message=message))
        return False


def _read_scalar(event: Any) -> Any:
    text: str = event.value
    if not event.implicit[0]:  # quoted, or a block
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _is_integer(text):
        return int(text)
    return float(text) if _is_number(text) else text


def _translate(error: Exception) -> YamlFault:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    return YamlFault(line=1 if mark is None else mark.line + 1, message=f"This is not YAML: {problem}.")


def format_yaml(value: Any) -> str:
    """Format so that `parse_yaml` reads the same values, safe to print to a terminal. No list or dict may
    appear twice."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return escape_deceptive(text)


# Quotes text that has to be escaped.
_Dumper = type("_Dumper", (yaml.SafeDumper,), {})


def _represent_text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if is_deceptive(text) else None)


yaml.add_representer(str, _represent_text, _Dumper)
