"""Runs and workers over HTTP."""

import httpx


def test_the_newest_run_comes_first(reader: httpx.Client) -> None:
    found = reader.get("/api/v1/runs").json()["items"]
    assert [(run["id"], run["state"]) for run in found] == [(3, "running"), (2, "done"), (1, "stopped")]


def test_runs_are_chosen_by_state(reader: httpx.Client) -> None:
    found = reader.get("/api/v1/runs", params={"state": "done"}).json()["items"]
    assert [run["id"] for run in found] == [2]


def test_one_run_shows_its_settings_and_its_workers(reader: httpx.Client) -> None:
    run = reader.get("/api/v1/runs/1").json()
    assert run["pages"] == 2
    assert run["settings"]["politeness"]["delay_s"] == 1.0
    assert [worker["uuid"] for worker in run["workers"]] == ["worker-of-fill-store"]
    assert run["workers_count"] == 1


def test_an_ended_run_shows_what_it_left(reader: httpx.Client) -> None:
    runs = {run["id"]: run["leftover"] for run in reader.get("/api/v1/runs").json()["items"]}
    assert runs[3] is None, "it goes on"
    assert runs[1] | {"next_at": None} == {
        "due": 1,
        "held": 0,
        "later": 3,
        "resting": 0,
        "capped": 0,
        "inactive": 0,
        "aside": 0,
        "next_at": None,
    }
    assert runs[1]["next_at"].endswith("Z")
    assert reader.get("/api/v1/runs/1").json()["leftover"] == runs[1]


def test_the_active_run_is_found(reader: httpx.Client) -> None:
    run = reader.get("/api/v1/runs/current").json()
    assert run["id"] == 3
    assert [worker["state"] for worker in run["workers"]] == ["lost"]


def test_there_may_be_no_active_run(client: httpx.Client) -> None:
    assert client.get("/api/v1/runs/current").status_code == 404


def test_an_unknown_run_is_not_found(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/runs/4").status_code == 404


def test_lost_and_ended_workers_are_listed_on_request(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/workers").json()["items"] == []
    found = reader.get("/api/v1/workers", params={"all": True}).json()["items"]
    assert [(worker["id"], worker["state"]) for worker in found] == [(3, "lost"), (2, "ended"), (1, "ended")]


def test_workers_are_chosen_by_run(reader: httpx.Client) -> None:
    found = reader.get("/api/v1/workers", params={"all": True, "run": 2}).json()["items"]
    assert [worker["run_id"] for worker in found] == [2]
