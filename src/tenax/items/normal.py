"""From what a parser yields to records: canonical JSON, keys, confidences. Nonsense is refused in a sentence
that says what to do.
"""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

import orjson
import xxhash
from pydantic import BaseModel

from tenax.items.models import Coercion, convert_value
from tenax.items.page import Follow
from tenax.items.parser import Item
from tenax.items.schema import Check
from tenax.record import record
from tenax.records.items import MAX_KEY_CHARS, MAX_KIND_CHARS, FollowUp, FoundItem
from tenax.web.identity import identity_of

MAX_CONFIDENCES: Final = 1_000  # fields
SHOWN_CHARS: Final = 100
_HASH_CHARS: Final = 16
# Keys of further items of a page end in #2, #3 …: room for those.
_URL_KEY_CHARS: Final = MAX_KEY_CHARS - 20


class Nonsense(Exception):
    """What a parser yields is no item, in one sentence."""


@record
class AskedFollow:
    """A follow-up as a parser asks for it: whether its url may be visited is for the crawl to decide."""

    url: str  # what the parser says, which need not be an address
    follow_up: FollowUp


def make_key(url: str) -> str:
    """The key of the first item of a kind on a page: the identity of its url."""
    identity = identity_of(url)
    if len(identity) <= _URL_KEY_CHARS:
        return identity
    digest = xxhash.xxh3_64_hexdigest(identity.encode())
    return f"{identity[: _URL_KEY_CHARS - _HASH_CHARS - 1]}…{digest}"


@record
class Normaliser:
    """For the items of one parser on one page."""

    kind: str
    url_key: str
    item_bytes: int
    check: Check | None = None
    coercion: Coercion | None = None

    def read_item(self, yielded: Any, counts: dict[str, int]) -> FoundItem:
        """`counts`: items without a key of their own, by kind; this one is counted."""
        item = self._read(yielded)
        kind = _read_name(item.kind, "kind", MAX_KIND_CHARS) or self.kind
        key = _read_name(item.key, "key", MAX_KEY_CHARS)
        if key is None:
            number = counts[kind] = counts.get(kind, 0) + 1
            key = self.url_key if number == 1 else f"{self.url_key}#{number}"
        data, faults = self._examine(item.data)
        confidence, of_fields = _read_confidence(item.confidence)
        return FoundItem(
            kind=kind,
            key=key,
            data=data.decode(),
            content_hash=_sign(xxhash.xxh3_64_intdigest(data)),
            confidence=confidence,
            field_confidence=of_fields,
            faults=faults,
        )

    def _examine(self, said: Any) -> tuple[bytes, tuple[str, ...]]:
        """The data as it is kept, and what is wrong with it."""
        data, coercion = self._dump(said), self.coercion
        if self.check is None or (coercion is not None and coercion.is_done(said)):
            return data, ()
        faults = self.check(orjson.loads(data))
        if faults or coercion is None:
            return data, faults
        return self._dump(coercion.apply(lambda: orjson.loads(data)), _convert_of_model), ()

    def read_follow(self, follow: Follow) -> AskedFollow:
        if not isinstance(follow.url, str) or not isinstance(follow.parser, str):
            raise Nonsense(
                "A follow-up needs a url and the name of a parser: use page.follow(url, handler, data)."
            )
        data = _dump_json(follow.data, "The data of a follow-up")
        if len(data) > self.item_bytes:
            raise Nonsense(
                f"The data of a follow-up has more than {self.item_bytes:,} bytes: raise parsers.item_bytes."
            )
        return AskedFollow(url=follow.url, follow_up=FollowUp(parser=follow.parser, data=data.decode()))

    def _read(self, yielded: Any) -> Item:
        if isinstance(yielded, Item):
            return yielded
        if isinstance(yielded, Mapping | BaseModel):
            return Item(yielded)
        raise Nonsense(f"A parser yields dicts, Items and follow-ups, but not {_show(yielded)}.")

    def _dump(self, data: Any, convert: Callable[[Any], Any] | None = None) -> bytes:
        if isinstance(data, BaseModel):
            data, convert = data.model_dump(), _convert_of_model
        if not isinstance(data, Mapping):
            raise Nonsense(f"The data of an item must be a dict, but is {_show(data)}.")
        dumped = _dump_json(data, "An item", convert)
        if len(dumped) > self.item_bytes:
            raise Nonsense(
                f"An item has {len(dumped):,} bytes: keep less of the page, or raise parsers.item_bytes."
            )
        return dumped


def _dump_json(value: Any, what: str, convert: Callable[[Any], Any] | None = None) -> bytes:
    try:
        return orjson.dumps(value, default=convert or _convert, option=orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError) as error:
        raise Nonsense(f"{what} cannot be written as JSON: {str(error)[:SHOWN_CHARS]}.") from error


def _convert(value: Any) -> Any:
    """What JSON does not know but items often hold."""
    match value:
        case Decimal():
            return float(value)
        case BaseModel():
            return value.model_dump()
        case Mapping():
            return dict(value)
        case set() | frozenset():
            return sorted(value, key=repr)
    raise TypeError(f"{_show(value)} is no text, number, bool, list, dict, date or None")


def _convert_of_model(value: Any) -> Any:
    try:
        return _convert(value)
    except TypeError:
        return convert_value(value)


def _read_name(name: Any, what: str, limit: int) -> str | None:
    if name is None:
        return None
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not 0 < len(name) <= limit or not name.isprintable():
        raise Nonsense(
            f"The {what} of an item must be a text of 1 to {limit} printable characters,"
            f" but is {_show(name)}."
        )
    return name


def _read_confidence(said: Any) -> tuple[float | None, str | None]:
    """Of the item, and of its fields; the item's is the mean of its fields'."""
    if said is None:
        return None, None
    if not isinstance(said, Mapping):
        return _check_confidence(said), None
    if len(said) > MAX_CONFIDENCES:
        raise Nonsense(f"An item has confidences for more than {MAX_CONFIDENCES:,} fields.")
    of_fields = {str(name): _check_confidence(value) for name, value in said.items()}
    mean = round(math.fsum(of_fields.values()) / len(of_fields), 4) if of_fields else None
    return mean, _dump_json(of_fields, "A confidence").decode() if of_fields else None


def _check_confidence(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Nonsense(f"A confidence must be a number from 0 to 1, but is {_show(value)}.")
    return float(value)


def _show(value: Any) -> str:
    """Never the text that an object of the user makes of itself."""
    if isinstance(value, str):
        return repr(value[:SHOWN_CHARS])
    if value is None or type(value) in (bool, float):
        return repr(value)
    return f"an object of the type {type(value).__name__[:SHOWN_CHARS]}"


def _sign(digest: int) -> int:
    return digest - (1 << 64) if digest >> 63 else digest
