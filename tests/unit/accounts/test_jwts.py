"""Which JSON web tokens are accepted."""

import base64
import json
import time
from typing import Any

import pytest

from tenax.accounts.jwts import JwtReader
from tenax.accounts.permissions import Proof, Role
from tenax.errors import BadCredentials, ConfigError
from tests.support.jwts import make_jwt

SECRET = "0123456789abcdef0123456789abcdef"
DAY_S = 86_400

reader = JwtReader(SECRET, "tenax")


def encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize("role", ["user", "admin"])
def test_a_signed_token_says_who_it_is_for(role: str) -> None:
    principal = reader.read(make_jwt(SECRET, sub="scheduler", role=role))
    assert (principal.name, principal.role, principal.proof) == ("scheduler", Role(role), Proof.JWT)
    assert principal.user_id is None


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": time.time() - 3600},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": time.time() + 2 * DAY_S},
        {"exp": float("inf")},
        {"exp": float("nan")},
        {"exp": str(int(time.time() + 60))},
        {"exp": True},
        {"exp": []},
        {"nbf": time.time() + 3600},
        {"nbf": float("inf")},
        {"iat": "yesterday"},
        {"iss": "another"},
        {"iss": None},
        {"iss": ["tenax"]},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "a\nb"},
        {"role": None},
        {"role": "anonymous"},
        {"role": "root"},
        {"role": ["admin"]},
    ],
)
def test_a_token_with_wrong_claims_is_refused(claims: dict[str, Any]) -> None:
    with pytest.raises(BadCredentials):
        reader.read(make_jwt(SECRET, **claims))


def test_a_token_of_another_secret_is_refused() -> None:
    with pytest.raises(BadCredentials):
        reader.read(make_jwt("another secret that is long enough!!"))


@pytest.mark.parametrize("algorithm", ["HS384", "HS512"])
def test_only_one_algorithm_counts_even_with_the_right_secret(algorithm: str) -> None:
    with pytest.raises(BadCredentials):
        reader.read(make_jwt(SECRET * 2, algorithm=algorithm))


@pytest.mark.parametrize("algorithm", ["none", "None", "nOnE", "RS256", "ES256", "", None])
@pytest.mark.parametrize("signature", ["", "AAAA"])
def test_a_token_does_not_choose_how_it_is_checked(algorithm: str | None, signature: str) -> None:
    now = time.time()
    claims = {"sub": "mallory", "role": "admin", "iss": "tenax", "exp": now + 60}
    with pytest.raises(BadCredentials):
        reader.read(f"{encode({'typ': 'JWT', 'alg': algorithm})}.{encode(claims)}.{signature}")


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_token_that_was_changed_is_refused(part: int) -> None:
    parts = make_jwt(SECRET).split(".")
    parts[part] = ("B" if parts[part][0] != "B" else "C") + parts[part][1:]
    with pytest.raises(BadCredentials):
        reader.read(".".join(parts))


@pytest.mark.parametrize("text", ["", ".", "..", "a.b.c", "é.é.é", "x" * 4000, "\x00"])
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(BadCredentials):
        reader.read(text)


def test_nothing_of_a_token_is_repeated() -> None:
    token = make_jwt(SECRET, exp=time.time() - 3600)
    with pytest.raises(BadCredentials) as caught:
        reader.read(token)
    assert str(caught.value) == "The token has expired."


@pytest.mark.parametrize("secret", ["", "x" * 31])
def test_a_short_secret_is_refused_without_being_shown(secret: str) -> None:
    with pytest.raises(ConfigError) as caught:
        JwtReader(secret, "tenax")
    assert str(caught.value) == "The setting server.jwt_secret must be at least 32 bytes long."
