"""JSON web tokens as made by other services and by forgers."""

import json
import time
from typing import Any

import jwt


def make_jwt(secret: str, *, algorithm: str = "HS256", **claims: Any) -> str:
    """Make a token; `None` leaves a claim out."""
    now = time.time()
    known = {"sub": "scheduler", "role": "user", "iss": "tenax", "iat": now, "exp": now + 3600}
    payload = {name: value for name, value in {**known, **claims}.items() if value is not None}
    # Bypasses the checks of the library, which would not sign invalid claims.
    return jwt.api_jws.encode(json.dumps(payload).encode(), secret, algorithm=algorithm)
