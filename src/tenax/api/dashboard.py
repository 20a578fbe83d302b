"""The dashboard, as built by `make dashboard`, served beside the API.

Every file is read once, at startup, and found by its exact path, so no request can name another file.
"""

from collections.abc import Mapping
from mimetypes import guess_type
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from xxhash import xxh3_64_hexdigest

from tenax.record import record

FOLDER = Path(__file__).with_name("static")
INDEX = "/index.html"
ASSETS = "/assets/"  # named after their content
# Requests by programs are never answered with a page.
PROGRAMS = ("/api/", "/sse/", ASSETS)
SAFE_METHODS = ("GET", "HEAD")
MISSING = (
    "The dashboard is not part of this installation. In a clone of Tenax, 'make dashboard' builds it (it"
    " needs npm and Node 20 or newer); then install Tenax again, or run 'make serve'."
    " The API is below /api/v1.\n"
)
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
FOREVER = "public, max-age=31536000, immutable"


@record
class DashboardFile:
    body: bytes
    media_type: str
    tag: str
    caching: str


class DashboardFiles:
    """Answers what no route does; what the dashboard does not have either goes to `fallback`."""

    def __init__(self, fallback: ASGIApp, folder: Path = FOLDER) -> None:
        self._fallback = fallback
        self._pages = load_pages(folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in SAFE_METHODS:
            await self._fallback(scope, receive, send)
            return
        path = scope["path"]
        page = self._find(path)
        if page is not None:
            await _answer(page, Request(scope))(scope, receive, send)
        elif not path.startswith(PROGRAMS):
            await PlainTextResponse(MISSING, status_code=404)(scope, receive, send)
        else:
            await self._fallback(scope, receive, send)

    def _find(self, path: str) -> DashboardFile | None:
        """Every screen has its own path and the same document."""
        page = self._pages.get(path)
        if page is None and not path.startswith(PROGRAMS):
            page = self._pages.get(INDEX)
        return page


def load_pages(folder: Path) -> Mapping[str, DashboardFile]:
    """Load all files by path; empty if the dashboard was not built."""
    files = sorted(each for each in folder.rglob("*") if each.is_file() and not each.name.startswith("."))
    return {f"/{file.relative_to(folder).as_posix()}": _read(file, folder) for file in files}


def _read(file: Path, folder: Path) -> DashboardFile:
    body = file.read_bytes()
    is_asset = f"/{file.relative_to(folder).as_posix()}".startswith(ASSETS)
    return DashboardFile(
        body=body,
        media_type=guess_type(file.name)[0] or "application/octet-stream",
        tag=f'W/"{xxh3_64_hexdigest(body)}"',
        caching=FOREVER if is_asset else "no-cache",
    )


def _answer(page: DashboardFile, request: Request) -> Response:
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": page.caching, "ETag": page.tag}
    if page.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(page.body, media_type=page.media_type, headers=headers)
