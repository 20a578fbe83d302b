"""Audits that were kept, with what they found."""

import httpx


def test_an_audit_has_its_findings(reader: httpx.Client) -> None:
    newest, of_all, first = reader.get("/api/v1/items/audits").json()["items"]
    assert (newest["source"], of_all["source_id"], of_all["source"]) == ("shop", None, None)
    assert newest["counts"] == {"rule": {"findings": 2, "items": 6}}
    assert "findings" not in newest
    found = reader.get(f"/api/v1/items/audits/{first['id']}").json()
    assert [each["kind"] for each in found["findings"]] == ["product", "boat"]
    assert found["findings"][0]["examples"] == ["https://news.example/boats"]


def test_an_unknown_audit_or_source_is_refused(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/items/audits/999").status_code == 404
    assert reader.get("/api/v1/items/audits?source=Nobody").status_code == 422
