"""What documents say for machines: JSON-LD, microdata and meta elements."""

from typing import Any

import pytest

from tenax.extract.structured import MAX_DEPTH, MAX_OBJECTS, read_json_ld, read_metas, read_microdata
from tenax.web.documents import Document, parse_document


def parse(html: str) -> Document:
    return parse_document(
        html.encode(), url="http://a.example/dir/page", content_type="text/html; charset=utf-8"
    )


def read_script(text: str, kind: str = "application/ld+json") -> list[dict[str, Any]]:
    return read_json_ld(parse(f'<script type="{kind}">{text}</script>'))


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        pytest.param('{"a": 1}', [{"a": 1}], id="an object"),
        pytest.param('[{"a": 1}, [{"b": 2}]]', [{"a": 1}, {"b": 2}], id="lists"),
        pytest.param('{"@graph": [{"a": 1}, {"b": 2}]}', [{"a": 1}, {"b": 2}], id="a graph"),
        pytest.param('{"a": [1, 2,], "b": ",}",}', [{"a": [1, 2], "b": ",}"}], id="trailing commas"),
        pytest.param('<!-- {"a": 1} -->', [{"a": 1}], id="a comment around it"),
        pytest.param('//<![CDATA[\n{"a": 1}\n//]]>', [{"a": 1}], id="CDATA around it"),
        pytest.param('{"a": "x\ny\tz"}', [{"a": "x\ny\tz"}], id="raw line breaks"),
        pytest.param('{"a": 1} {"b": 2};', [{"a": 1}, {"b": 2}], id="several objects"),
        pytest.param('/* made by hand */ {"a": 1 /* one */}', [{"a": 1}], id="comments"),
        pytest.param("{a: 1}", [], id="no JSON"),
        pytest.param('"text"', [], id="no object"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_json_ld_is_read_with_the_faults_of_its_authors(text: str, objects: list[Any]) -> None:
    assert read_script(text) == objects


def test_scripts_of_other_types_are_not_read() -> None:
    assert read_script('{"a": 1}', "application/json") == []


def test_the_type_of_a_script_may_have_parameters_and_any_case() -> None:
    assert read_script('{"a": 1}', "Application/LD+JSON; charset=utf-8") == [{"a": 1}]


def test_a_script_that_is_no_json_leaves_the_others() -> None:
    html = (
        '<script type="application/ld+json">no</script><script type="application/ld+json">{"a": 1}</script>'
    )
    assert read_json_ld(parse(html)) == [{"a": 1}]


def test_json_that_is_nested_too_deep_is_left_out() -> None:
    assert read_script('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH) == []


def test_there_are_at_most_so_many_objects() -> None:
    assert len(read_script("[" + "{}," * 2 * MAX_OBJECTS + "{}]")) == MAX_OBJECTS


SHOP = """
<div itemscope itemtype="https://schema.org/Product http://other.example/Thing">
  <h1 itemprop="name">A <b>small</b>
    lamp</h1>
  <a itemprop="url" href="../lamp">details</a>
  <img itemprop="image" src="1.png"><img itemprop="image" src="2.png">
  <div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
    <meta itemprop="priceCurrency" content="EUR"><span itemprop="price" content="12.50">12,50 €</span>
    <time itemprop="validFrom priceValidFrom" datetime="2026-05-01">May</time>
  </div>
</div>
<p itemprop="name">nobody's</p>
"""


def test_microdata_is_read_as_json_ld_would_say_it() -> None:
    assert read_microdata(parse(SHOP)) == [
        {
            "@type": ["Product", "Thing"],
            "name": "A small lamp",
            "url": "http://a.example/lamp",
            "image": ["http://a.example/dir/1.png", "http://a.example/dir/2.png"],
            "offers": {
                "@type": "Offer",
                "priceCurrency": "EUR",
                "price": "12.50",
                "validFrom": "2026-05-01",
                "priceValidFrom": "2026-05-01",
            },
        }
    ]


def test_items_beside_each_other_stay_apart() -> None:
    html = '<div itemscope><i itemprop=a>1</i></div><div itemscope itemid="urn:x"><i itemprop=a>2</i></div>'
    assert read_microdata(parse(html)) == [{"a": "1"}, {"@id": "urn:x", "a": "2"}]


def test_metas_are_found_by_name_or_property() -> None:
    html = (
        '<meta property="OG:Title" content=" A  lamp "><meta name=author content=Ann>'
        "<meta name=author content=Bob><meta name=empty content=''><meta charset=utf-8>"
    )
    assert read_metas(parse(html)) == {"og:title": "A lamp", "author": "Ann"}
