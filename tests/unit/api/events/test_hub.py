"""A stream outlives what goes wrong when its events are collected."""

import asyncio
from collections.abc import Sequence

import pytest
from pydantic import BaseModel

from tenax.api.events.hub import Hub, NewEvent
from tenax.errors import StoreError


class Number(BaseModel):
    number: int


@pytest.mark.parametrize("error", [StoreError("the store is busy"), ZeroDivisionError("a bug")])
def test_a_failed_collection_is_repeated(error: Exception) -> None:
    failures = [error]

    async def collect() -> Sequence[NewEvent]:
        if failures:
            raise failures.pop()
        return [NewEvent(kind="counted", at=1.0, data=Number(number=7))]

    async def listen() -> bytes:
        hub = Hub(collect, every_s=0)
        async for text in hub.listen(None):
            if b"counted" in text:
                return text
        raise AssertionError("the stream ended")

    text = asyncio.run(asyncio.wait_for(listen(), timeout=30))
    assert text == b'id: 1000-0\nevent: counted\ndata: {"number":7}\n\n'
