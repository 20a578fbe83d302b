"""Masking of passwords, keys and header values. Settings are shown and stored with each run without them."""

import re
from typing import Annotated
from urllib.parse import unquote

from pydantic import PlainSerializer

HIDDEN = "***"  # stands for a password


def hide_header(line: str) -> str:
    """Mask the value of a header: it is often a key."""
    return f"{line.partition(':')[0]}: {HIDDEN}"


HeaderLine = Annotated[str, PlainSerializer(hide_header)]

# Names of parameters with secret values, such as sslpassword, access_token, X-Amz-Signature, api-key.
_SECRET_NAME = re.compile(r"passw|pwd|secret|token|credential|signature|auth|key$|^(pass|sig)$")
_PARAMETER = re.compile(r"(?P<name>(?:^|[?&;#\s])[\w.%-]+\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^&;#\s]*)")
_USER = re.compile(r"(?P<scheme>[\w+.-]*)://(?P<name>[^:/?#@]*)(?P<rest>:.*@|[^/?#]*@)")
_NAMED_USERS = ("postgres", "postgresql", "amqp", "amqps")  # a lone word before the @ is a name there


def hide_password(url: str) -> str:
    """Mask the password and other secrets in the URL of a server, or in a connection string."""
    return _PARAMETER.sub(_hide_parameter, _USER.sub(_hide_user, url, count=1))


def _hide_user(match: re.Match[str]) -> str:
    scheme, name = match["scheme"], match["name"]
    if match["rest"].startswith(":"):
        return f"{scheme}://{name}:{HIDDEN}@"
    return match[0] if scheme.lower() in _NAMED_USERS else f"{scheme}://{HIDDEN}@"


def _hide_parameter(match: re.Match[str]) -> str:
    name = unquote(match["name"]).strip(" \t\n?&;#=").lower().replace("-", "_")
    return f"{match['name']}{HIDDEN}" if _SECRET_NAME.search(name) else match[0]


# Settings are shown and stored with each run: a password must appear in neither.
ServerUrl = Annotated[str | None, PlainSerializer(lambda url: url and hide_password(url))]
# Never shown, not even in part.
Secret = Annotated[str | None, PlainSerializer(lambda secret: secret and HIDDEN)]
