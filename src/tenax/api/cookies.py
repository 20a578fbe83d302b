"""The session's cookie: its name, and how a browser is to keep it."""

from fastapi import Request, Response

from tenax.accounts.sessions import Login

PLAIN = "tenax_session"
SECURE = f"__Host-{PLAIN}"  # browsers take it over TLS only, and from no other host


def find_cookie(request: Request) -> str | None:
    return request.cookies.get(_find_name(request))


def set_cookie(request: Request, response: Response, login: Login, lasts_s: float) -> None:
    response.set_cookie(
        _find_name(request),
        login.cookie,
        max_age=int(lasts_s),
        path="/",
        secure=_is_tls(request),
        httponly=True,
        samesite="strict",
    )


def clear_cookie(request: Request, response: Response) -> None:
    response.delete_cookie(
        _find_name(request), path="/", secure=_is_tls(request), httponly=True, samesite="strict"
    )


def _find_name(request: Request) -> str:
    return SECURE if _is_tls(request) else PLAIN


def _is_tls(request: Request) -> bool:
    """Also when a proxy that is trusted says so."""
    return request.url.scheme == "https"
