"""The form of a parser without code. What cannot work is refused with a sentence per fault."""

import re
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Final, Self

import xxhash
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator

from tenax.config.definition_faults import PlacedFault
from tenax.config.parsers import ParserName
from tenax.config.section import Section
from tenax.errors import ConfigError
from tenax.items.patterns import check_pattern
from tenax.items.schema import build_check
from tenax.policy.patterns import MAX_PATTERN_CHARS, BadPattern, PatternBudget, compile_pattern
from tenax.records.items import MAX_KIND_CHARS
from tenax.web.selectors import parse_selector
from tenax.wording import as_sentence

MAX_FIELDS: Final = 100
MAX_PLACES: Final = 10  # of one kind, for a field
MAX_PATTERNS: Final = 100
MAX_STEPS: Final = 5  # of a selector
MAX_PATH_CHARS: Final = 200
_match_path = re.compile(r"[\w@][\w@:-]*(?:\.[\w@][\w@:-]*){0,9}").fullmatch


class FieldType(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    PRICE = "price"  # an object: amount, currency
    DATE = "date"
    URL = "url"
    BOOL = "bool"
    LIST = "list"  # of all texts that are found


def _check_by(check: Callable[[str], object], text: str) -> str:
    try:
        check(text)
    except ConfigError as error:
        raise ValueError(str(error)) from error
    return text


def _check_regex(pattern: str, info: ValidationInfo) -> str:
    """Compiled only if a budget limits the cost; other callers compile it when they use it."""
    if isinstance(info.context, PatternBudget):
        try:
            compile_pattern(pattern, info.context)
        except BadPattern as error:
            raise ValueError(as_sentence(str(error))) from error
    return pattern


def _check_path(path: str) -> str:
    if len(path) > MAX_PATH_CHARS or _match_path(path) is None:
        raise ValueError(f"{path[:100]!r} is not a path, such as Product.offers.price.")
    return path


def _check_url_pattern(pattern: str) -> str:
    if (fault := check_pattern(pattern)) is not None:
        raise ValueError(fault[0].upper() + fault[1:])
    return pattern


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _as_css(value: Any) -> Any:
    return {"css": value} if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    """YAML reads the version 2 as a number."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Css = Annotated[str, AfterValidator(partial(_check_by, partial(parse_selector, max_steps=MAX_STEPS)))]
Regex = Annotated[str, Field(min_length=1, max_length=MAX_PATTERN_CHARS), AfterValidator(_check_regex)]
DataPath = Annotated[str, AfterValidator(_check_path)]
MetaName = Annotated[str, Field(min_length=1, max_length=200)]
UrlPattern = Annotated[str, AfterValidator(_check_url_pattern)]
Words = Annotated[str, Field(min_length=1, max_length=MAX_KIND_CHARS, pattern=r"^[^\x00-\x1f\x7f]*$")]
FieldName = Annotated[str, Field(pattern=r"^[^\W\d][\w-]*$", max_length=100)]
_one_or_more = Field(max_length=MAX_PLACES)
_CssList = Annotated[
    tuple[Css, ...], _one_or_more, BeforeValidator(_as_list, json_schema_input_type=str | list[str])
]
_PathList = Annotated[
    tuple[DataPath, ...], _one_or_more, BeforeValidator(_as_list, json_schema_input_type=str | list[str])
]
_MetaList = Annotated[
    tuple[MetaName, ...], _one_or_more, BeforeValidator(_as_list, json_schema_input_type=str | list[str])
]
_RegexList = Annotated[
    tuple[Regex, ...], _one_or_more, BeforeValidator(_as_list, json_schema_input_type=str | list[str])
]
Default = str | bool | int | float | list[str | bool | int | float]


class FieldDefinition(Section):
    """Where a field is found. Places are tried in this order, and those of one kind in theirs, until one
    holds a value of its type."""

    jsonld: _PathList = Field((), description="Paths in JSON-LD, such as `Product.offers.price`.")
    microdata: _PathList = Field((), description="Paths in microdata, such as `Product.name`.")
    meta: _MetaList = Field((), description="Names of meta elements, such as `og:title`.")
    css: _CssList = Field((), description="CSS selectors of elements.")
    attribute: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        pattern=r"^[^\s\"'>/=]+$",
        description="Which attribute of the element holds the value. null: its text, or the address that it "
        "refers to if the type is `url`.",
    )
    url: _RegexList = Field(
        (),
        description="RE2 patterns on the URL of the page; the value is the first group, or all of it.",
    )
    regex: _RegexList = Field(
        (),
        description="RE2 patterns on the text of the page; the value is the first group, or all of it.",
    )
    match: Regex | None = Field(
        None, description="An RE2 pattern that takes a part of what is found: its first group, or all of it."
    )
    type: FieldType = Field(FieldType.TEXT, description="What the value is.")
    many: bool = Field(False, description="Whether the field is a list of all values that are found.")
    currency: str | None = Field(
        None, pattern=r"^[A-Z]{3}$", description="The currency of a price that does not name one."
    )
    required: bool = Field(False, description="Whether an item without it is invalid.")
    default: Default | None = Field(None, description="The value if none is found.")

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if not (self.has_places or self.default is not None):
            raise ValueError("A field needs a place: jsonld, microdata, meta, css, url or regex.")
        if self.attribute is not None and not self.css:
            raise ValueError("An attribute needs the css of its element.")
        if self.required and self.default is not None:
            raise ValueError("A field with a default is never missing: leave out required.")
        if self.currency is not None and self.type is not FieldType.PRICE:
            raise ValueError("A currency is for fields of type price.")
        return self

    @property
    def has_places(self) -> bool:
        return bool(self.jsonld or self.microdata or self.meta or self.css or self.url or self.regex)

    @property
    def is_list(self) -> bool:
        return self.many or self.type is FieldType.LIST


ParserFields = dict[
    FieldName,
    Annotated[FieldDefinition, BeforeValidator(_as_css, json_schema_input_type=str | FieldDefinition)],
]


class ParserDefinition(Section):
    """A parser without code."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: ParserName = Field(description="Unique among the parsers of a run.")
    version: Annotated[Words, BeforeValidator(_as_text)] | None = Field(
        None, description="null: derived from the definition, so that each change makes a new version."
    )
    patterns: Annotated[
        tuple[UrlPattern, ...], BeforeValidator(_as_list, json_schema_input_type=str | list[str])
    ] = Field(
        (),
        max_length=MAX_PATTERNS,
        description="Paths of its pages such as `/products/*`, or whole URLs; empty: every page.",
    )
    kind: Words | None = Field(None, description="The kind of its items; null: the name of the parser.")
    key: str | None = Field(
        None, description="The field that identifies an item; null: the URL of its page does."
    )
    each: Css | None = Field(
        None, description="A CSS selector: each element that matches is an item, and fields are found in it."
    )
    fields_: ParserFields = Field(
        alias="fields",
        min_length=1,
        max_length=MAX_FIELDS,
        description="The fields of an item by name. A text is short for the CSS selector of its element.",
    )
    schema_: dict[str, Any] | None = Field(
        None, alias="schema", description="A JSON Schema that its items must fit."
    )

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.key is not None and self.key not in self.fields_:
            raise PlacedFault(f"The key {self.key!r} is not one of the fields.", "key")
        try:
            build_check(self.schema_)
        except ConfigError as error:
            raise PlacedFault(str(error), "schema") from error
        return self

    def find_version(self) -> str:
        if self.version is not None:
            return self.version
        said = self.model_dump_json(by_alias=True, exclude_defaults=True)
        return f"{xxhash.xxh3_64_intdigest(said.encode()):016x}"[:12]
