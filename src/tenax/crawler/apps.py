"""Finds the crawler of a script or a module, for commands that run it themselves."""

import importlib.util
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from tenax.crawler.definition import CrawlDefinition
from tenax.errors import TenaxError, UsageError
from tenax.items.loading import loading
from tenax.visible import clean
from tenax.wording import as_sentence

_SHOWN_CHARS = 500


def load_app(app: str) -> CrawlDefinition:
    """The crawler that shop.py, shop.py:crawler, shop or shop:crawler names. The script is executed up to the
    point where it would run its crawler. Raises UsageError with one sentence."""
    place, _, name = app.partition(":")
    if Path(place).suffix.lower() in _DEFINITIONS:
        raise UsageError(
            f"{clean(place)} is no Python script. If it holds a parser without code, name the file in the"
            " setting parsers.files and the parser in parsers.use, and start the crawl by 'tenax crawl'."
        )
    module = _execute(_find_file(place) if place.endswith(".py") else _find_module(place))
    found = {key: value for key, value in vars(module).items() if isinstance(value, CrawlDefinition)}
    if name and name not in found:
        there = f": there is {', '.join(found)}" if found else ""
        raise UsageError(f"There is no crawler {clean(name)} in {clean(place)}{there}.")
    if name:
        return found[name]
    if not found:
        raise UsageError(
            f"There is no crawler in {clean(place)}: make one, as in"
            " crawler = tenax.Crawler('https://example.com/')."
        )
    first, *others = {id(each): key for key, each in found.items()}.values()
    if others:
        raise UsageError(
            f"There are several crawlers in {clean(place)}, {', '.join([first, *others])}: choose one, as in"
            f" --app {clean(place)}:{first}."
        )
    return found[first]


def _find_file(place: str) -> ModuleSpec:
    path = Path(place).absolute()
    if not path.is_file():
        raise UsageError(f"There is no file {clean(place)}.")
    # As with `python shop.py`: what lies beside the script can be imported.
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    return spec


def _find_module(place: str) -> ModuleSpec:
    sys.path.insert(0, "")
    with _explaining(place):
        spec = _find_spec(place) if place and not place.startswith(".") else None
    if spec is None or spec.loader is None:
        raise UsageError(f"There is no module {clean(place)!r}: give one, or a file, as in --app shop.py.")
    return spec


def _find_spec(place: str) -> ModuleSpec | None:
    """Imports the packages around it."""
    try:
        return importlib.util.find_spec(place)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{place}.".startswith(f"{error.name}."):
            return None
        raise


def _execute(spec: ModuleSpec) -> ModuleType:
    module = importlib.util.module_from_spec(spec)
    # Found by what the script imports, as if it had been imported.
    sys.modules[spec.name] = module
    assert spec.loader is not None
    with _explaining(Path(spec.origin or spec.name).name), loading():
        spec.loader.exec_module(module)
    return module


@contextmanager
def _explaining(place: str) -> Iterator[None]:
    """Whatever the code of a user raises, one sentence names it, and where it happened."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(as_sentence(f"{clean(place)} cannot be loaded: {_describe(error)}")) from error


def _describe(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    message = str(error)[:_SHOWN_CHARS]
    said = message if isinstance(error, TenaxError) else f"{type(error).__name__}: {message}"
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_users(frame.filename)]
    return f"line {own[-1].lineno} of {Path(own[-1].filename).name}: {said}" if own else said


def _is_users(file: str) -> bool:
    return not file.startswith(("<frozen", _OURS))


_DEFINITIONS = (".yaml", ".yml", ".json", ".toml")
_OURS = str(Path(__file__).parents[1])
