"""Checks the broker settings without contacting the broker."""

from importlib.util import find_spec

from tenax.config.masking import hide_password
from tenax.config.service import DispatchSettings
from tenax.errors import ConfigError


def check_broker(settings: DispatchSettings) -> None:
    """Raises ConfigError unless the settings name a usable broker."""
    if settings.broker is None:
        raise ConfigError("Celery needs a broker: set it with --broker or TENAX_DISPATCH__BROKER.")
    if not settings.broker.startswith(("amqp://", "amqps://")):
        raise ConfigError(
            f"{hide_password(settings.broker)!r} is not a broker URL: use amqp://USER:PASSWORD@HOST/VHOST."
        )
    if find_spec("celery") is None:
        raise ConfigError("A broker needs Celery: install Tenax with its 'celery' extra.")
