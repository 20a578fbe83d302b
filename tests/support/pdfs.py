"""Small PDFs for tests: good ones, and those that are meant to hurt whoever reads them."""

import zlib
from collections.abc import Sequence
from hashlib import md5

from tenax.record import record

_ID = bytes(16).hex().encode()


@record
class PdfPage:
    lines: Sequence[str] = ()
    links: Sequence[str] = ()


def build_pdf(
    pages: Sequence[PdfPage],
    *,
    title: str | None = None,
    subject: str | None = None,
    language: str | None = None,
) -> bytes:
    """A PDF with the text of each page, and its links as annotations."""
    objects = _Objects()
    parent = objects.reserve()
    font = objects.add_font()
    kids = [_add_text_page(objects, page, parent, font) for page in pages]
    said = b"" if language is None else b"/Lang " + _quote(language)
    facts = [(b"/Title ", title), (b"/Subject ", subject)]
    info = objects.add(b"<< %s >>" % b" ".join(name + _quote(value) for name, value in facts if value))
    return objects.write(parent, kids, catalog=said, trailer=b"/Info " + _refer(info))


def text_pdf(*lines: str, title: str | None = None, links: Sequence[str] = ()) -> bytes:
    return build_pdf([PdfPage(lines=lines, links=links)], title=title)


def scanned_pdf() -> bytes:
    """A page that only paints a picture."""
    objects = _Objects()
    parent = objects.reserve()
    picture = objects.add_stream(
        bytes(16),
        b"/Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceGray /BitsPerComponent 8",
    )
    content = objects.add_stream(b"q 400 0 0 400 50 50 cm /X Do Q")
    return objects.write(parent, [objects.add_page(parent, content, _use_form(picture))])


def encrypted_pdf(*lines: str) -> bytes:
    """Asks for a password that nobody knows."""
    owner, user = (md5(name).hexdigest().encode() * 2 for name in (b"owner", b"user"))
    entry = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >> /ID [<%s> <%s>]"
    return text_pdf(*lines).replace(b"/Info ", entry % (owner, user, _ID, _ID) + b" /Info ")


def bomb_pdf(unpacked_bytes: int = 2_000_000_000) -> bytes:
    """A page of a few kilobytes, compressed twice, whose content is as large as asked for."""
    packed = zlib.compress(_compress_spaces(unpacked_bytes), 9)
    return _with_content(packed, b"/Filter [/FlateDecode /FlateDecode]")


def many_letters_pdf(letters: int) -> bytes:
    """A page that says one line over and over."""
    line = b"(" + b"abcdefghi " * 10 + b") Tj "
    content = b"BT /F1 1 Tf " + line * (letters // 100) + b"ET"
    return _with_content(zlib.compress(content, 9), b"/Filter /FlateDecode")


def slow_pdf(pages: int = 500, operations: int = 300_000) -> bytes:
    """Every page has the same content, which takes long to go through."""
    objects = _Objects()
    parent = objects.reserve()
    content = b"BT /F1 12 Tf (slow) Tj ET " + b"1 0 0 1 0 0 cm " * operations
    stream = objects.add_stream(zlib.compress(content, 9), b"/Filter /FlateDecode")
    fonts = b"/Font << /F1 %s >>" % _refer(objects.add_font())
    return objects.write(parent, [objects.add_page(parent, stream, fonts) for _ in range(pages)])


def nested_forms_pdf(forms: int = 30, uses: int = 10) -> bytes:
    """Each form paints the next one several times: exponentially many letters."""
    objects = _Objects()
    parent = objects.reserve()
    inner = _add_form(objects, b"BT /F1 12 Tf (x) Tj ET", b"/Font << /F1 %s >>" % _refer(objects.add_font()))
    for _ in range(forms):
        inner = _add_form(objects, b"/X Do " * uses, _use_form(inner))
    content = objects.add_stream(b"/X Do " * uses)
    return objects.write(parent, [objects.add_page(parent, content, _use_form(inner))])


def deep_pdf(depth: int = 200_000) -> bytes:
    """Arrays in arrays, where a page has its content."""
    return _with_content(b"BT /F1 12 Tf (deep) Tj ET " + b"[" * depth)


def endless_pdf(pages: int = 1_000_000) -> bytes:
    """Has many pages, all of them the same one."""
    objects = _Objects()
    parent = objects.reserve()
    content = objects.add_stream(b"BT /F1 12 Tf (again) Tj ET")
    fonts = b"/Font << /F1 %s >>" % _refer(objects.add_font())
    return objects.write(parent, [objects.add_page(parent, content, fonts)] * pages)


class _Objects:
    """The objects of a PDF, numbered from 1."""

    def __init__(self) -> None:
        self._bodies: list[bytes] = []

    def reserve(self) -> int:
        return self.add(b"")

    def add(self, body: bytes) -> int:
        self._bodies.append(body)
        return len(self._bodies)

    def add_stream(self, content: bytes, entries: bytes = b"") -> int:
        return self.add(b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content))

    def add_font(self) -> int:
        return self.add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")

    def add_page(self, parent: int, content: int, resources: bytes, notes: Sequence[int] = ()) -> int:
        return self.add(
            b"<< /Type /Page /Parent %s /MediaBox [0 0 612 792] /Contents %s"
            b" /Resources << %s >> /Annots [%s] >>"
            % (_refer(parent), _refer(content), resources, b" ".join(map(_refer, notes)))
        )

    def write(self, parent: int, kids: Sequence[int], *, catalog: bytes = b"", trailer: bytes = b"") -> bytes:
        """`parent`: the reserved number of what lists the pages."""
        listed = b" ".join(map(_refer, kids))
        self._bodies[parent - 1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), listed)
        root = self.add(b"<< /Type /Catalog /Pages %s %s >>" % (_refer(parent), catalog))
        out = bytearray(b"%PDF-1.7\n")
        places = []
        for number, body in enumerate(self._bodies, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start, size = len(out), len(places) + 1
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        out += b"trailer\n<< /Size %d /Root %s %s >>\n" % (size, _refer(root), trailer)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def _with_content(content: bytes, entries: bytes = b"") -> bytes:
    """One page with this content stream."""
    objects = _Objects()
    parent = objects.reserve()
    fonts = b"/Font << /F1 %s >>" % _refer(objects.add_font())
    return objects.write(parent, [objects.add_page(parent, objects.add_stream(content, entries), fonts)])


def _add_text_page(objects: _Objects, page: PdfPage, parent: int, font: int) -> int:
    shown = b" T* ".join(b"%s Tj" % _escape(line.encode("cp1252")) for line in page.lines)
    content = zlib.compress(b"BT /F1 12 Tf 14 TL 50 750 Td %s ET" % shown)
    notes = [
        objects.add(
            b"<< /Type /Annot /Subtype /Link /Rect [50 50 100 60] /A << /S /URI /URI %s >> >>" % _quote(link)
        )
        for link in page.links
    ]
    stream = objects.add_stream(content, b"/Filter /FlateDecode")
    return objects.add_page(parent, stream, b"/Font << /F1 %s >>" % _refer(font), notes)


def _add_form(objects: _Objects, content: bytes, resources: bytes) -> int:
    return objects.add_stream(
        content, b"/Type /XObject /Subtype /Form /BBox [0 0 600 600] /Resources << %s >>" % resources
    )


def _use_form(number: int) -> bytes:
    return b"/XObject << /X %s >>" % _refer(number)


def _refer(number: int) -> bytes:
    return b"%d 0 R" % number


def _quote(text: str) -> bytes:
    """A text string: ASCII as it is, and UTF-16 with a mark for everything else."""
    if text.isascii():
        return _escape(text.encode())
    return b"<" + (b"\xfe\xff" + text.encode("utf-16-be")).hex().encode() + b">"


def _escape(text: bytes) -> bytes:
    return b"(" + text.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") + b")"


def _compress_spaces(size: int) -> bytes:
    packer = zlib.compressobj(9)
    piece = b" " * 1_000_000
    parts = [packer.compress(piece) for _ in range(size // len(piece))]
    return b"".join((*parts, packer.flush()))
