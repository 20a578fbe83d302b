"""The charset of a page: by its declaration, in forms that browsers accept, and by its bytes."""

import pytest

from tenax.web.charset_labels import find_name
from tenax.web.charsets import find_charset, to_utf8

# Each of the standard's charsets with all its labels but the name itself. https://encoding.spec.whatwg.org/
LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e"
    " iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7"
    " iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8"
    " iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "macintosh": "csmacintosh mac x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1"
    " iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989"
    " l5 latin5 x-cp1254",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso-2022-jp": "csiso2022jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601"
    " windows-949",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr",
    "utf-16be": "unicodefffe",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16",
    "x-user-defined": "",
}


def test_every_label_of_the_standard_is_known() -> None:
    known = {label: name for name, labels in LABELS.items() for label in (name, *labels.split())}
    assert len(known) == 228
    assert {label: find_name(f" {label.upper()}\n") for label in known} == known


@pytest.mark.parametrize("name", LABELS)
def test_every_charset_can_be_read(name: str) -> None:
    assert to_utf8(bytes(range(256)), name).decode("utf-8", "replace")


def test_charsets_that_hide_markup_are_not_read() -> None:
    assert to_utf8(b"<p>~{VPND~}", "replacement").decode() == "\ufffd"
    assert to_utf8(b"", "replacement") == b""


def test_bytes_of_a_page_with_a_font_of_its_own_are_kept() -> None:
    assert to_utf8(b"a\x80\xff", "x-user-defined").decode() == "a\uf780\uf7ff"


# --- what a page declares --------------------------------------------------------------------

ASCII = "utf-8"  # what bytes that say nothing are taken for
DECLARED = {
    "<meta charset=koi8-r>": "koi8-r",
    "<META CHARSET='KOI8-R'/>": "koi8-r",
    "<meta/charset=koi8-r>": "koi8-r",
    '<meta charset="\n koi8-r \t">': "koi8-r",
    "<meta charset = koi8-r >": "koi8-r",
    "<metacharset=koi8-r>": ASCII,
    "<meta charset=koi8-r": ASCII,
    '<meta charset="koi8-r>\n<p>"</p>': ASCII,
    '<meta charset=koi8-r">': ASCII,
    '<meta " charset=koi8-r>': "koi8-r",
    '<meta x" charset=koi8-r>': "koi8-r",
    '<meta x=y" charset=koi8-r>': "koi8-r",
    '<meta x="" charset=koi8-r>': "koi8-r",
    '<meta x=" charset=koi8-r>"': ASCII,
    "<meta x='\" charset=koi8-r>'\">": ASCII,
    '<meta content="text/html; charset=koi8-r" http-equiv=Content-Type>': "koi8-r",
    "<meta http-equiv=content-type content='text/html; charset=\"koi8-r\"'>": "koi8-r",
    "<meta http-equiv=content-type content='text/html; charset = koi8-r ; x'>": "koi8-r",
    '<meta http-equiv="content-type" content=text/html; charset=koi8-r>': "koi8-r",
    "<meta http-equiv=content-type content='charset charset=koi8-r'>": "koi8-r",
    "<meta http-equiv=content-type content='text/html; charset=\"koi8-r'>": ASCII,
    '<meta http-equiv="content-type content="text/html; charset=koi8-r">': ASCII,
    '<meta http-equiv="content-style-type" content="text/html; charset=koi8-r">': ASCII,
    '<meta content="text/html; charset=koi8-r">': ASCII,
    "<meta charset=nonsense><meta charset=koi8-r>": "koi8-r",
    "<meta charset=big5 charset=koi8-r>": "big5",
    '<p title="<meta charset=big5>"><meta charset=koi8-r>': "koi8-r",
    '<p title="x>\n<meta charset=koi8-r>\n<p>"</p>': ASCII,
    '<p title="x>"><meta charset=koi8-r>': "koi8-r",
    "<!--<meta charset=big5>--><meta charset=koi8-r>": "koi8-r",
    "<!--><meta charset=koi8-r>-->": "koi8-r",
    "<!-- <meta charset=koi8-r>": ASCII,
    "<!x <meta charset=koi8-r>": ASCII,
    "</x y='<meta charset=big5>'><meta charset=koi8-r>": "koi8-r",
    "< meta charset=big5><meta charset=koi8-r>": "koi8-r",
    "<script>'<meta charset=koi8-r>'</script>": "koi8-r",
    f"<!-- {'x' * 9_000} --><meta charset=koi8-r>": "koi8-r",
    "<meta charset=utf-16be>": "utf-8",
    "<meta charset=x-user-defined>": "windows-1252",
    "<?xml version='1.0' encoding='koi8-r'?><html>": "koi8-r",
    "<?xml version='1.0' encoding='koi8-r'?><meta charset=big5>": "big5",
    "<?xml version='1.0'?><p encoding='koi8-r'>": ASCII,
}


@pytest.mark.parametrize("markup", DECLARED)
def test_what_a_page_declares_is_read_as_browsers_read_it(markup: str) -> None:
    assert find_charset(markup.encode(), None) == DECLARED[markup]


# --- what the bytes look like ----------------------------------------------------------------

TEXTS = {
    "th": ("windows-874", "ข่าววันนี้ รัฐบาลจะสร้างถนนใหม่และโรงเรียนในชนบท"),
    "lt": ("windows-1257", "Šiandien Vilniuje prasidėjo knygų mugė, į kurią atvyko daugybė žmonių."),
    "lv": ("windows-1257", "Šodien Rīgā sākās grāmatu izstāde, uz kuru ieradās daudz cilvēku."),
    "tr": ("windows-1254", "Bugün İstanbul'da kitap fuarı başladı, çocuklar sahnenin önünde oynadı."),
    "pl": ("windows-1250", "Dzisiaj w Krakowie rozpoczęły się targi książki, są też świąteczne."),
    "cs": ("windows-1250", "Dnes v Praze začal knižní veletrh, přijelo mnoho návštěvníků. Žluťoučký kůň."),
    "hu": ("windows-1250", "Ma megkezdődött a könyvvásár, az írók felolvastak műveikből."),
    "hr": ("windows-1250", "Danas je počeo sajam knjiga, kiša je počela navečer, građani su otišli kući."),
    "fr": ("windows-1252", "Les écrivains ont lu leurs œuvres à côté de la scène, où il a plu très tôt."),
    "de": ("windows-1252", "Heute hat in Köln die Büchermesse geöffnet, größere Säle später."),
    "es": ("windows-1252", "Mañana habrá música también en Málaga. ¿Qué pasará después?"),
    "sv": ("windows-1252", "I dag började bokmässan i Göteborg, på kvällen började det regna."),
    "ru": ("koi8-r", "Сегодня в Москве открылась книжная ярмарка, вечером пошёл дождь."),
    "uk": ("windows-1251", "Сьогодні в Києві відкрився книжковий ярмарок, діти гралися."),
    "el": ("windows-1253", "Σήμερα στην Αθήνα άρχισε η έκθεση βιβλίου, το βράδυ έβρεξε."),
    "he": ("windows-1255", "היום נפתח בירושלים יריד הספרים, ובערב ירד גשם."),
    "ar": ("windows-1256", "افتتح اليوم في القاهرة معرض الكتاب ولعب الأطفال أمام المسرح."),
    "ja": ("shift_jis", "今日、東京で本の見本市が始まり、多くの人が訪れました。"),
    "jp": ("iso-2022-jp", "今日、東京で本の見本市が始まり、多くの人が訪れました。"),
    "ko": ("euc-kr", "오늘 서울에서 도서전이 시작되어 많은 사람들이 찾아왔습니다."),
    "zh": ("gb18030", "今天书展在北京开幕，许多观众前来参观，晚上开始下雨。"),
    "tw": ("big5", "今天書展在臺北開幕，許多觀眾前來參觀，晚上開始下雨。"),
}
PAGE = "<html><head><style>p {{}}</style></head><body><h1 class='a'>{0}</h1><p id=\"b\">{0}</p></body></html>"


@pytest.mark.parametrize("language", TEXTS)
def test_a_page_that_declares_nothing_is_read(language: str) -> None:
    charset, text = TEXTS[language]
    page = PAGE.format(text)
    body = page.encode(
        {"windows-874": "cp874", "shift_jis": "cp932", "euc-kr": "cp949"}.get(charset, charset)
    )
    assert to_utf8(body, find_charset(body, None, "http://a.example/")).decode() == page


SHORT = "Az író műve"


@pytest.mark.parametrize(
    ("head", "url", "is_read"),
    [
        ("", "http://a.example/", False),
        ("", "http://a.hu/", True),
        ('<HTML class=a LANG="hu-HU">', "http://a.example/", True),
        ("<html lang=hu>", "http://a.fr/", True),
        ("<html lang=en>", "http://a.hu:8080/b.fr", True),
        ("<html lang=xx>", "http://a.example/", False),
        ("", "http://127.0.0.1/", False),
        ("", "http://[::1]/", False),
        ("", None, False),
    ],
)
def test_where_a_page_comes_from_helps_when_it_is_short(head: str, url: str | None, is_read: bool) -> None:
    page = (head + SHORT).encode("cp1250")
    assert (to_utf8(page, find_charset(page, None, url)).decode() == head + SHORT) is is_read


def test_text_behind_a_long_head_counts() -> None:
    text = TEXTS["cs"][1]
    body = f"<script>{'var a = 1; ' * 20_000}</script><p>{text}".encode("cp1250")
    assert find_charset(body, None, "http://a.example/") == "windows-1250"


@pytest.mark.parametrize("text", ["größe \x1b$B", "\x1b$ \x1b$", "a \x1b$B"])
def test_an_escape_alone_makes_no_japanese(text: str) -> None:
    assert find_charset(text.encode(), None) == "utf-8"
