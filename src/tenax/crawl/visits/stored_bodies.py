"""Which bodies are stored with their visits."""

from tenax.blobs.frames import pack_body
from tenax.crawl.visits.pages import is_page
from tenax.record import replace
from tenax.records.requests import Failure, Response
from tenax.web.pdfs import is_pdf


def pack_answer(answer: Response | Failure, *, takes_pdf: bool) -> Response | Failure:
    """Pack the body of a page while the processor still has it in its cache. Whether it is stored depends on
    what the visit makes of it."""
    if isinstance(answer, Failure) or answer.heads is None:
        return answer
    if not (is_page(answer) or (takes_pdf and is_pdf(answer.headers, answer.body))):
        return answer
    return replace(answer, packed=pack_body(answer.body, answer.heads))
