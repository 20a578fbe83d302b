"""Where things lie in a data directory."""

from pathlib import Path

from tenax.errors import StoreError

STORE_NAME = "tenax.db"
WORKERS_NAME = "workers"
BODIES_NAME = "bodies"
LOGS_NAME = "logs"
METRICS_NAME = "metrics.prom"
KEY_NAME = "secret.key"


def refuse_missing(data: Path) -> None:
    """Raise StoreError unless the directory holds a store."""
    path = data / STORE_NAME
    try:
        if path.stat().st_size > 0:
            return
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(f"Cannot read {path}: {error.strerror}.") from error
    raise StoreError(
        f"There is no crawl in {data}. Start one with 'tenax crawl URL --data {data}', "
        "or name its directory with --data."
    )
