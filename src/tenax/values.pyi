from dataclasses import dataclass as record

__all__ = ["record"]
