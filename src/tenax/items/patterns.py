"""What can be a pattern of a parser; see `web/url_patterns.py`."""

from typing import Any

MAX_PATTERN_CHARS = 500


def check_pattern(pattern: Any) -> str | None:
    """What is wrong with a pattern, in one sentence."""
    if not isinstance(pattern, str) or not pattern or len(pattern) > MAX_PATTERN_CHARS:
        return f"a pattern must be a text of 1 to {MAX_PATTERN_CHARS} characters, such as '/products/*'."
    if not pattern.startswith(("/", "*")) and "://" not in pattern:
        return f"the pattern {pattern!r} matches nothing: start it with '/' or '*', or give a whole url."
    return None
