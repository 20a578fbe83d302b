"""The session and device cookies: their names and attributes."""

from fastapi import Request, Response

from tenax.accounts.devices import LIFETIME_S, make_device
from tenax.accounts.sessions import Login

SESSION = "tenax_session"
DEVICE = "tenax_device"
SECURE = "__Host-"  # browsers accept the prefix only over TLS and only from this host


def find_cookie(request: Request) -> str | None:
    return request.cookies.get(_find_name(request, SESSION))


def find_device_cookie(request: Request) -> str | None:
    return request.cookies.get(_find_name(request, DEVICE))


def set_cookies(request: Request, response: Response, login: Login, lifetime_s: float) -> None:
    _set(request, response, SESSION, login.cookie, int(lifetime_s))
    _set(request, response, DEVICE, make_device(login.user), LIFETIME_S)


def clear_cookie(request: Request, response: Response) -> None:
    """Delete the session cookie; the device cookie stays."""
    response.delete_cookie(
        _find_name(request, SESSION), path="/", secure=_is_tls(request), httponly=True, samesite="strict"
    )


def _set(request: Request, response: Response, name: str, value: str, lifetime_s: int) -> None:
    response.set_cookie(
        _find_name(request, name),
        value,
        max_age=lifetime_s,
        path="/",
        secure=_is_tls(request),
        httponly=True,
        samesite="strict",
    )


def _find_name(request: Request, name: str) -> str:
    return f"{SECURE}{name}" if _is_tls(request) else name


def _is_tls(request: Request) -> bool:
    """True also if a trusted proxy says so."""
    return request.url.scheme == "https"
