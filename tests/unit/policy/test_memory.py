"""How a worker's memory is divided."""

from dataclasses import fields

import pytest

from tenax.config.fetch import FetchSettings
from tenax.config.settings import Settings
from tenax.config.worker import WorkerSettings
from tenax.errors import ConfigError
from tenax.policy.memory import MB, MemoryPlan, plan_memory


def plan(memory_mb: int = 300, *, max_bytes: int = 10 * MB, concurrency: int = 100) -> MemoryPlan:
    worker = WorkerSettings(memory_mb=memory_mb, concurrency=concurrency)
    return plan_memory(Settings(worker=worker, fetch=FetchSettings(max_bytes=max_bytes)))


def total(shares: MemoryPlan) -> int:
    return sum(getattr(shares, field.name) for field in fields(shares))


@pytest.mark.parametrize("memory_mb", [200, 300, 1_000, 100_000])
def test_the_shares_and_the_process_itself_fit_into_the_memory(memory_mb: int) -> None:
    assert 0.5 * (memory_mb - 80) * MB < total(plan(memory_mb)) < (memory_mb - 70) * MB


def test_every_share_grows_with_the_memory() -> None:
    small, large = plan(300), plan(600)
    assert all(getattr(small, field.name) < getattr(large, field.name) for field in fields(small))


def test_the_largest_body_can_be_taken_in_and_read() -> None:
    shares = plan(189)
    assert shares.bodies >= 10 * MB
    assert shares.document >= 40 * MB


def test_every_request_has_its_connection() -> None:
    assert plan(300, concurrency=200).connections_count >= 200


def test_too_little_memory_is_refused_with_what_is_needed() -> None:
    with pytest.raises(
        ConfigError, match=r"worker\.memory_mb is 100, but 100 concurrent requests .* need at least 188\."
    ) as error:
        plan(100)
    assert "fetch.max_bytes" in str(error.value)
    plan(188)


def test_smaller_bodies_need_less() -> None:
    with pytest.raises(ConfigError):
        plan(130)
    plan(130, max_bytes=MB, concurrency=20)
