"""How a worker that could not continue ends."""

from tenax.errors import InternalError, StoreError, StoreGivenUp, TenaxError


def explain_end(error: BaseException) -> BaseException:
    """What a worker that could not continue raises. The log has the details."""
    if isinstance(error, StoreError) and error.is_transient:
        return StoreGivenUp(str(error))
    if isinstance(error, TenaxError) or not isinstance(error, Exception):
        return error
    return InternalError(
        f"An internal error ended the worker ({type(error).__name__}: {error}). The log has the details; run"
        " the same command to continue."
    )
