"""The labels of charsets: all of the Encoding Standard, and a few others that pages use."""

import codecs
from functools import cache
from typing import Final

# name → (Python's codec, its labels other than the name). The standard's "gbk" is read as gb18030, a
# superset, and its "iso-8859-8-i" as iso-8859-8, which differs only in direction.
_CHARSETS: Final = {
    "utf-8": ("utf-8", "utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
    "utf-16le": ("utf-16-le", "utf-16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff"),
    "utf-16be": ("utf-16-be", "unicodefffe"),
    "windows-1252": (
        "cp1252",
        "ansi_x3.4-1968 ascii us-ascii iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100"
        " latin1 latin-1 l1 cp1252 x-cp1252 cp819 ibm819 csisolatin1",
    ),
    "windows-1250": ("cp1250", "cp1250 x-cp1250"),
    "windows-1251": ("cp1251", "cp1251 x-cp1251 win-1251"),
    "windows-1253": ("cp1253", "cp1253 x-cp1253"),
    "windows-1254": (
        "cp1254",
        "cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 latin5 l5"
        " csisolatin5",
    ),
    "windows-1255": ("cp1255", "cp1255 x-cp1255"),
    "windows-1256": ("cp1256", "cp1256 x-cp1256"),
    "windows-1257": ("cp1257", "cp1257 x-cp1257"),
    "windows-1258": ("cp1258", "cp1258 x-cp1258"),
    "windows-874": ("cp874", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
    "iso-8859-2": (
        "iso8859-2",
        "iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 latin2 l2 csisolatin2",
    ),
    "iso-8859-3": (
        "iso8859-3",
        "iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 latin3 l3 csisolatin3",
    ),
    "iso-8859-4": (
        "iso8859-4",
        "iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 latin4 l4 csisolatin4",
    ),
    "iso-8859-5": (
        "iso8859-5",
        "iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 cyrillic csisolatincyrillic",
    ),
    "iso-8859-6": (
        "iso8859-6",
        "iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-ir-127 iso-8859-6-e iso-8859-6-i arabic ecma-114"
        " asmo-708 csiso88596e csiso88596i csisolatinarabic",
    ),
    "iso-8859-7": (
        "iso8859-7",
        "iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 greek greek8 ecma-118 elot_928 sun_eu_greek"
        " csisolatingreek",
    ),
    "iso-8859-8": (
        "iso8859-8",
        "iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-ir-138 iso-8859-8-e iso-8859-8-i hebrew visual"
        " logical csiso88598e csiso88598i csisolatinhebrew",
    ),
    "iso-8859-10": ("iso8859-10", "iso8859-10 iso885910 iso-ir-157 latin6 l6 csisolatin6"),
    "iso-8859-13": ("iso8859-13", "iso8859-13 iso885913"),
    "iso-8859-14": ("iso8859-14", "iso8859-14 iso885914"),
    "iso-8859-15": ("iso8859-15", "iso8859-15 iso885915 iso_8859-15 latin9 latin-9 l9 csisolatin9"),
    "iso-8859-16": ("iso8859-16", ""),
    "koi8-r": ("koi8-r", "koi koi8 koi8_r cskoi8r"),
    "koi8-u": ("koi8-u", "koi8-ru"),
    "ibm866": ("cp866", "866 cp866 csibm866"),
    "macintosh": ("mac-roman", "mac x-mac-roman csmacintosh"),
    "x-mac-cyrillic": ("mac-cyrillic", "x-mac-ukrainian"),
    "gb18030": (
        "gb18030",
        "gbk x-gbk gb2312 gb_2312 gb_2312-80 chinese iso-ir-58 csgb2312 csiso58gb231280 cp936",
    ),
    "big5": ("big5hkscs", "big5-hkscs cn-big5 x-x-big5 csbig5"),
    "shift_jis": ("cp932", "shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis"),
    "euc-jp": ("euc-jp", "x-euc-jp cseucpkdfmtjapanese"),
    "iso-2022-jp": ("iso2022-jp", "csiso2022jp"),
    "euc-kr": (
        "cp949",
        "ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 iso-ir-149 cseuckr csksc56011987",
    ),
    "x-user-defined": ("latin-1", ""),
    # Charsets that can hide markup from checks: like browsers, we read none of them.
    "replacement": ("ascii", "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr"),
}
_NAMES: Final = {label: name for name, (_, labels) in _CHARSETS.items() for label in (name, *labels.split())}

_BLANK = "\t\n\f\r "


def find_name(label: str) -> str | None:
    """Find the name, in lower case, of the charset that a label means."""
    return _NAMES.get(label.strip(_BLANK).lower())


def codec_of(name: str) -> str:
    return _CHARSETS[name][0]


@cache
def name_of_codec(codec: str) -> str | None:
    """Find the name of a charset by any of the names that Python has for its codec."""
    wanted = codecs.lookup(codec).name
    return next(
        (name for name in _CHARSETS if codecs.lookup(codec_of(name)).name == wanted), find_name(codec)
    )
