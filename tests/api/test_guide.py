"""The examples of docs/api.md, run exactly as written."""

import os
import re
import subprocess
from pathlib import Path

import httpx

from tenax.stores.place import Place
from tests.support.api import ApiServer, run_api
from tests.support.service import NAME, PASSWORD

GUIDE = Path(__file__).parents[2] / "docs" / "api.md"
SCOPES = ["read", "write", "admin", "metrics"]


def make_token(server: ApiServer) -> str:
    """As a user would: become the administrator, create a token."""
    assert server.service is not None
    setup = server.service.accounts.logins.setup_token.text
    with httpx.Client(base_url=server.url) as client:
        body = {"token": setup, "name": NAME, "password": PASSWORD}
        session = client.post("/api/v1/auth/setup", json=body).raise_for_status().json()
        client.headers["X-CSRF-Token"] = session["csrf_token"]
        made = client.post("/api/v1/tokens", json={"name": "guide", "scopes": SCOPES})
        return str(made.raise_for_status().json()["token"])


def test_every_example_of_the_guide_works(tmp_path: Path) -> None:
    examples = re.findall(r"^```bash\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    with run_api(Place(folder=tmp_path / "crawl"), knows_users=True) as server:
        variables = {**os.environ, "TENAX": server.url, "TOKEN": make_token(server)}
        ended = subprocess.run(
            ["bash", "-euxo", "pipefail", "-c", "\n".join(examples)],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    assert "event: progress" in ended.stdout
    assert "fetched" not in (tmp_path / "run.log").read_text()
