from dataclasses import dataclass as record
from dataclasses import replace

__all__ = ["record", "replace"]
