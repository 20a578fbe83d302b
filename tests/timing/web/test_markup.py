import pytest

from tenax.web.markup import make_safe


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(b"<p>text</p>\n", id="paragraphs"),
        pytest.param(b"<p>text\n", id="unclosed paragraphs"),
        pytest.param(b"<p><b>text\n", id="unclosed bold in paragraphs"),
        pytest.param(b"<ul><li>one<li><a href=/x>two</a></ul>", id="unclosed list items"),
        pytest.param(b"<dl><dt>one<dd>two</dl>", id="unclosed definitions"),
        pytest.param(b"<table><tr><td>1<td>2<tr><th>3</table>", id="unclosed cells"),
        pytest.param(b"<select><option>1<option>2</select>", id="unclosed options"),
        pytest.param(b"<a name=x><h2>title</h2>", id="unclosed anchors"),
        pytest.param(b"<b><div>text</b></div>", id="misnested bold"),
        pytest.param(b"<img src=x><br><input><hr>", id="void elements"),
        pytest.param(b"<svg><path d=x /><style>g{}</style><title>t</title></svg>", id="svg"),
        pytest.param(b"<script>if (a<b) x='<div>'</script>", id="scripts"),
        pytest.param(b"<script><!-- <script></script> --></script>", id="scripts in comments"),
        pytest.param(b"<form><input></form>", id="forms"),
        pytest.param(b"<!-- <div> --><div a='<div>'></div>", id="comments and values"),
        pytest.param(b"<textarea><div></textarea>", id="raw text"),
    ],
)
def test_ordinary_markup_is_safe_at_any_length(unit: bytes) -> None:
    html = unit * (200_000 // unit.count(b"<"))
    assert make_safe(html)
