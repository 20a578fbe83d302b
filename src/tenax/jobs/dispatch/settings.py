"""Whether a broker could be used, told from the settings alone."""

from importlib.util import find_spec

from tenax.config.masking import hide_password
from tenax.config.service import DispatchSettings
from tenax.errors import ConfigError


def check_broker(settings: DispatchSettings) -> None:
    """Raises ConfigError unless there is a broker that could be spoken to."""
    if settings.broker is None:
        raise ConfigError("Celery needs a broker: name it with --broker or TENAX_DISPATCH__BROKER.")
    if not settings.broker.startswith(("amqp://", "amqps://")):
        raise ConfigError(
            f"{hide_password(settings.broker)!r} is no broker: give amqp://USER:PASSWORD@HOST/VHOST."
        )
    if find_spec("celery") is None:
        raise ConfigError("Brokers need Celery: pip install 'tenax[celery]'.")
