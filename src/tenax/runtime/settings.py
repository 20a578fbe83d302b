"""Checks of settings that their types cannot make."""

from tenax.config.service import DispatchKind
from tenax.config.settings import Settings
from tenax.coordination.address import parse_address
from tenax.errors import ConfigError
from tenax.extract.profile import ExtractionProfile
from tenax.fetch.custom_headers import parse_headers
from tenax.fetch.overrides import parse_resolve
from tenax.jobs.dispatch.settings import check_broker
from tenax.policy.memory import plan_memory
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.tracing import check_tracing


def check_settings(settings: Settings) -> None:
    """Check what the types of the settings cannot, before anything is created. Raises ConfigError."""
    Scope.build(settings.scope, settings.limits, Roots(settings.scope.kind))
    ExtractionProfile.build(settings.extract)
    parse_resolve(settings.fetch.resolve)
    parse_headers(settings.fetch)
    plan_memory(settings)
    if settings.redis.url is not None:
        parse_address(settings.redis.url)
    check_tracing(settings.tracing)
    if settings.dispatch.kind is DispatchKind.CELERY:
        check_broker(settings.dispatch)
    if not settings.fetch.format_user_agent().isprintable():
        raise ConfigError("The user agent and the contact must be one line of printable characters.")
