"""How sentences for people are put together."""

import pytest

from tenax.wording import as_sentence, count_of, to_json_terms


@pytest.mark.parametrize(("number", "text"), [(0, "0 days"), (1, "1 day"), (2000, "2,000 days")])
def test_a_number_has_its_noun(number: int, text: str) -> None:
    assert count_of(number, "day") == text


@pytest.mark.parametrize("text", ["It failed.", "It failed", "Did it?", "It goes on…"])
def test_a_sentence_has_one_full_stop_at_most(text: str) -> None:
    assert as_sentence(text) == (text if text[-1] in ".?…" else f"{text}.")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Input should be <WebhookEvent.RUN_FINISHED: 'run.finished'>", "Input should be 'run.finished'"),
        ("Input should be <Level.ONE: 1> or <Level.TWO: 2>", "Input should be 1 or 2"),
        ("Input should be a valid dictionary", "Input should be a valid object"),
        ("Input should be None", "Input should be null"),
        ("Input should be 'domain' or 'host'", "Input should be 'domain' or 'host'"),
    ],
)
def test_messages_of_a_validator_name_no_python(message: str, told: str) -> None:
    assert to_json_terms(message) == told
