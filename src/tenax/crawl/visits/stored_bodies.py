"""Which bodies are stored with their visits."""

from tenax.blobs.frames import pack_body
from tenax.crawl.visits.pages import PageBuilder
from tenax.record import replace
from tenax.records.requests import Failure, Response


def pack_answer(answer: Response | Failure, pages: PageBuilder) -> Response | Failure:
    """Pack the body of a page while the processor still has it in its cache. Whether it is stored depends on
    what the visit makes of it."""
    if isinstance(answer, Failure) or answer.heads is None or not pages.takes(answer):
        return answer
    return replace(answer, packed=pack_body(answer.body, answer.heads))
