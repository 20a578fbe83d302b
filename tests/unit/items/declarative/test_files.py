"""Files with parsers: all faults at once, with their lines."""

import pytest

from tenax.errors import ConfigError
from tenax.items.declarative.files import BadParserFile, parse_definitions, read_definition

SHOP = """\
name: shop
version: 2
patterns: /products/*
key: sku
fields:
  name: h1
  sku: {microdata: Product.sku, required: true}
"""


def find_faults(text: str) -> list[str]:
    with pytest.raises(BadParserFile) as refused:
        parse_definitions(text, name="shop.yaml")
    return str(refused.value).splitlines()


def test_a_file_is_one_parser_or_a_list() -> None:
    (one,) = parse_definitions(SHOP, name="shop.yaml")
    assert (one.name, one.version, one.patterns, list(one.fields_)) == (
        "shop",
        "2",
        ("/products/*",),
        ["name", "sku"],
    )
    text = "- {name: a, fields: {x: h1}}\n- {name: b, fields: {x: h1}}\n"
    assert [each.name for each in parse_definitions(text, name="shop.yaml")] == ["a", "b"]


def test_json_is_read_too() -> None:
    assert parse_definitions('{"name": "a", "fields": {"x": "h1"}}', name="shop.json")[0].name == "a"


def test_every_fault_is_reported_with_its_line() -> None:
    text = """\
- name: shop
  paterns: [/a]
  key: id
  fields:
    name: "h1 ~ p"
    price:
      css: .price
      typ: price
    id: {}
- name: 2 shops
  patterns: [products/*]
  each: a b c d e f
  fields:
    one: {jsonld: "Product..name"}
    two: {regex: "(?=x)"}
    three: {css: i, required: true, default: 1}
    four: {meta: x, attribute: href}
    five: {css: i, type: money}
  schema: {type: thing}
"""
    assert find_faults(text) == [
        "shop.yaml:2: Unknown field paterns: did you mean patterns?",
        "shop.yaml:5: fields.name.css.0: The selector 'h1 ~ p' cannot be used from '~ p' on. Use tags,"
        " .classes, #ids, [attributes], :first-child, :last-child and :not(…), with spaces, > or + between"
        " them.",
        "shop.yaml:8: Unknown field fields.price.typ: did you mean type?",
        "shop.yaml:9: fields.id: A field needs a place: jsonld, microdata, meta, css, url or regex.",
        "shop.yaml:10: The field name is not valid: string should match pattern "
        "'^[A-Za-z_][A-Za-z0-9_.-]{0,99}$' (got '2 shops').",
        "shop.yaml:11: patterns.0: The pattern 'products/*' matches nothing: start it with '/' or '*', or"
        " give a whole url.",
        "shop.yaml:12: each: The selector 'a b c d e f' has more than 5 steps.",
        "shop.yaml:14: fields.one.jsonld.0: 'Product..name' is not a path, such as Product.offers.price.",
        "shop.yaml:15: fields.two.regex.0: '(?=x)' is not a valid RE2 pattern: invalid perl operator: (?=.",
        "shop.yaml:16: fields.three: A field with a default is never missing: leave out required.",
        "shop.yaml:17: fields.four: An attribute needs the css of its element.",
        "shop.yaml:18: The field fields.five.type is not valid: input should be 'text', 'number', 'price', "
        "'date', 'url', 'bool' or 'list' (got 'money').",
    ]


def test_faults_of_a_whole_parser_come_when_its_fields_are_right() -> None:
    assert find_faults("name: a\nkey: id\nfields: {x: h1}\n") == [
        "shop.yaml:2: The key 'id' is not one of the fields."
    ]
    assert find_faults("name: a\nfields: {x: h1}\nschema: {type: thing}\n")[0].startswith(
        "shop.yaml:3: The schema: type must be one of"
    )


@pytest.mark.parametrize("text", ["", "shop", "[]", "- " * 30 + "x"])
def test_what_is_no_parser_is_refused(text: str) -> None:
    assert len(find_faults(text)) == 1


def test_a_definition_in_settings_is_refused_with_its_name() -> None:
    with pytest.raises(ConfigError, match=r"The parser shop cannot be used\. The field fields is missing\."):
        read_definition({"name": "shop"})


def test_a_bad_name_of_a_field_is_named() -> None:
    assert find_faults("name: a\nfields:\n  a b: h1\n") == [
        "shop.yaml:3: 'a b' cannot be a name in fields: string should match pattern '^[^\\W\\d][\\w-]*$'."
    ]
