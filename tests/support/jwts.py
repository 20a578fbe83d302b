"""JSON web tokens as other services, and forgers, make them."""

import json
import time
from typing import Any

import jwt


def make_jwt(secret: str, *, algorithm: str = "HS256", **claims: Any) -> str:
    """`None` as a claim leaves it out."""
    now = time.time()
    known = {"sub": "scheduler", "role": "user", "iss": "tenax", "iat": now, "exp": now + 3600}
    told = {name: value for name, value in {**known, **claims}.items() if value is not None}
    # Past the checks of the library, which would not sign nonsense.
    return jwt.api_jws.encode(json.dumps(told).encode(), secret, algorithm=algorithm)
