"""The OpenAPI document, without a server: `python -m tenax.api.describe > dashboard/openapi.json`."""

import json

from tenax.api.app import new_app


def describe() -> str:
    return json.dumps(new_app().openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(describe(), end="")
