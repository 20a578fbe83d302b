"""Which charset a body is in: BOM, header, meta element, then the bytes themselves.

Labels are the WHATWG's: what browsers read as windows-1252 when a page says iso-8859-1, we do too.
"""

import re

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_PRESCAN_BYTES = 4096
_DETECT_BYTES = 32_768
_ENOUGH_BYTES = 4  # fewer bytes beyond ASCII say nothing about the charset
FALLBACK = "windows-1252"

# name → (Python's codec, the labels that mean it beside the name itself)
_CHARSETS = {
    "utf-8": ("utf-8", "utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
    "utf-16le": ("utf-16-le", "utf-16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff"),
    "utf-16be": ("utf-16-be", "unicodefffe"),
    "windows-1252": (
        "cp1252",
        "ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso-ir-100 "
        "latin1 latin-1 l1 cp1252 cp819 ibm819 x-cp1252 csisolatin1",
    ),
    "windows-1250": ("cp1250", "cp1250 x-cp1250"),
    "windows-1251": ("cp1251", "cp1251 x-cp1251 win-1251"),
    "windows-1253": ("cp1253", "cp1253 x-cp1253"),
    "windows-1254": ("cp1254", "cp1254 x-cp1254 iso-8859-9 iso8859-9 iso_8859-9 latin5 l5"),
    "windows-1255": ("cp1255", "cp1255 x-cp1255"),
    "windows-1256": ("cp1256", "cp1256 x-cp1256"),
    "windows-1257": ("cp1257", "cp1257 x-cp1257"),
    "windows-1258": ("cp1258", "cp1258 x-cp1258"),
    "windows-874": ("cp874", "dos-874 iso-8859-11 iso8859-11 tis-620"),
    "iso-8859-2": ("iso8859-2", "iso8859-2 iso_8859-2 latin2 l2 csisolatin2"),
    "iso-8859-3": ("iso8859-3", "iso8859-3 latin3 l3"),
    "iso-8859-4": ("iso8859-4", "iso8859-4 latin4 l4"),
    "iso-8859-5": ("iso8859-5", "iso8859-5 cyrillic"),
    "iso-8859-6": ("iso8859-6", "iso8859-6 arabic ecma-114 asmo-708"),
    "iso-8859-7": ("iso8859-7", "iso8859-7 greek greek8 ecma-118 elot_928"),
    "iso-8859-8": ("iso8859-8", "iso8859-8 hebrew visual iso-8859-8-i logical"),
    "iso-8859-10": ("iso8859-10", "iso8859-10 latin6 l6"),
    "iso-8859-13": ("iso8859-13", "iso8859-13"),
    "iso-8859-14": ("iso8859-14", "iso8859-14"),
    "iso-8859-15": ("iso8859-15", "iso8859-15 latin9 latin-9 l9"),
    "iso-8859-16": ("iso8859-16", ""),
    "koi8-r": ("koi8-r", "koi koi8 koi8_r cskoi8r"),
    "koi8-u": ("koi8-u", "koi8-ru"),
    "ibm866": ("cp866", "866 cp866 csibm866"),
    "macintosh": ("mac-roman", "mac x-mac-roman"),
    "x-mac-cyrillic": ("mac-cyrillic", "x-mac-ukrainian"),
    "gb18030": ("gb18030", "gbk gb2312 gb_2312 gb_2312-80 chinese x-gbk csgb2312 cp936 hz-gb-2312"),
    "big5": ("big5hkscs", "big5-hkscs cn-big5 x-x-big5 csbig5"),
    "shift_jis": ("cp932", "shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis"),
    "euc-jp": ("euc-jp", "x-euc-jp cseucpkdfmtjapanese"),
    "iso-2022-jp": ("iso2022-jp", "csiso2022jp"),
    "euc-kr": ("cp949", "ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cseuckr"),
}
_NAMES = {label: name for name, (_, labels) in _CHARSETS.items() for label in (name, *labels.split())}
_DETECTABLE = {
    "cp1252": FALLBACK,
    "cp1251": "windows-1251",
    "koi8_r": "koi8-r",
    "cp1250": "windows-1250",
    "cp1253": "windows-1253",
    "cp1254": "windows-1254",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "gb18030": "gb18030",
    "big5": "big5",
    "cp932": "shift_jis",
    "euc_jp": "euc-jp",
    "cp949": "euc-kr",
}

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta[\s/]([^<>]*)", re.IGNORECASE)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
_MARKUP = re.compile(rb"<[^<>]*>|[\x00-\x20]+")
_FOREIGN_BYTE = re.compile(rb"[\x80-\xff]")


def find_charset(body: bytes, declared: str | None) -> str:
    """The charset's name in lower case. `declared` is the HTTP header's label."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return name
    if declared is not None and (found := _NAMES.get(declared.strip().lower())):
        return found
    return _declared_inside(body[:_PRESCAN_BYTES]) or _detect(body)


def to_utf8(body: bytes, charset: str) -> bytes:
    """The body in UTF-8 without BOM. What claims to be UTF-8 is passed on unchecked."""
    if charset == "utf-8":
        return body[3:] if body.startswith(_BOMS[0][0]) else body
    codec, _ = _CHARSETS[charset]
    return body.decode(codec, "replace").removeprefix("\ufeff").encode("utf-8", "replace")


def _declared_inside(head: bytes) -> str | None:
    """What a meta element near the start says."""
    if head.startswith(b"<\0") and head[3:4] == b"\0":
        return "utf-16le"
    if head.startswith(b"\0<\0"):
        return "utf-16be"
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    for meta in _META.finditer(head):
        name = _declared_by(meta[1])
        if name:
            # A page whose meta element could be read cannot be in UTF-16.
            return "utf-8" if name.startswith("utf-16") else name
    return None


def _declared_by(attributes: bytes) -> str | None:
    label = _CHARSET.search(attributes)
    if label is None:
        return None
    is_in_content = b"content" in attributes[: label.start()].lower()
    if is_in_content and b"http-equiv" not in attributes.lower():
        return None  # a description that speaks of charsets
    return _NAMES.get(label[1].decode("latin-1").lower())


def _detect(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        is_cut_short = error.end >= len(body) and error.start > len(body) - 4 and error.start > 0
        return "utf-8" if is_cut_short and not body[: error.start].isascii() else _guess(body)
    return "utf-8"


def _guess(body: bytes) -> str:
    # Slow to import and rarely needed.
    from charset_normalizer import from_bytes

    sample = _sample(body)
    if len(_FOREIGN_BYTE.findall(sample)) < _ENOUGH_BYTES:
        return FALLBACK
    best = from_bytes(sample, cp_isolation=list(_DETECTABLE), preemptive_behaviour=False).best()
    return _DETECTABLE.get(best.encoding, FALLBACK) if best else FALLBACK


def _sample(body: bytes) -> bytes:
    """The start of the text without its markup. Cut at a tag, so that no character is halved."""
    start = body[:_DETECT_BYTES]
    if len(start) < len(body):
        start = start[: start.rfind(b"<")] if b"<" in start[_DETECT_BYTES // 2 :] else start
    return _MARKUP.sub(b" ", start)
