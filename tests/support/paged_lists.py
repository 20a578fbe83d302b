"""List pages in many shapes, and pages that only look like them: what `find_list` is measured by.

Every case is a whole document with navigation, entries and a footer. `next_url` is the next page of the list;
None: the page has none, or is no list.
"""

from dataclasses import dataclass

SITE = "https://news.example"


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedList:
    name: str
    url: str
    html: str
    next_url: str | None


def _link(target: str, text: str, extra: str = "") -> str:
    return f'<a href="{target}"{extra}>{text}</a>'


def _document(pager: str, *, head: str = "", entries: int = 12, base: str = "/story") -> str:
    menu = "".join(_link(f"/{name}", name.title()) for name in ("world", "sports", "about", "contact"))
    stories = "".join(_write_story(f"{base}/{number}-it-has-happened", number) for number in range(entries))
    foot = _link("/terms", "Terms") + _link("/feed", "RSS") + _link("/tag/2024", "2024")
    body = f"<nav>{menu}</nav>{stories}<div>{pager}</div><footer>{foot}</footer>"
    return f"<html><head>{head}</head><body>{body}</body></html>"


def _write_story(path: str, number: int) -> str:
    title = _link(path, f"Something has happened, part {number}")
    return f"<article><h2>{title}</h2><p>{_link(f'{path}/replies', str(number % 4))} comments</p></article>"


def _numbers(pattern: str, numbers: range | list[int], current: int = 1, zero: int = 0, step: int = 1) -> str:
    """Numbered links: `{n}` of the pattern counts from 1, or by `step` from `zero`."""
    shown = []
    for number in numbers:
        target = pattern.replace("{n}", str((number - 1) * step + zero if zero or step > 1 else number))
        shown.append(f"<b>{number}</b>" if number == current else _link(target, str(number)))
    return " ".join(shown)


def _case(name: str, path: str, pager: str, next_path: str | None, **document: object) -> PagedList:
    html = _document(pager, **document)  # type: ignore[arg-type]
    return PagedList(
        name=name, url=SITE + path, html=html, next_url=None if next_path is None else SITE + next_path
    )


# Anchor of the link to the next page, and how the site numbers its pages.
_LABELS = [
    ("english", "Next"),
    ("english arrow", "Next »"),
    ("english older", "Older posts"),
    ("english upper", "NEXT PAGE"),
    ("german", "Weiter"),
    ("german page", "Nächste Seite ›"),
    ("french", "Suivant »"),
    ("french page", "Page suivante"),
    ("spanish", "Siguiente ›"),
    ("portuguese", "Próxima"),
    ("italian", "Successiva"),
    ("dutch", "Volgende"),
    ("polish", "Następna"),
    ("czech", "Další"),
    ("swedish", "Nästa"),
    ("finnish", "Seuraava"),
    ("hungarian", "Következő"),
    ("turkish", "Sonraki"),
    ("russian", "Следующая"),
    ("russian further", "Далее →"),
    ("greek", "Επόμενη"),
    ("chinese", "下一页"),
    ("japanese", "次へ"),
    ("korean", "다음"),
    ("arabic", "التالي"),
    ("hebrew", "הבא"),
    ("arrow", "›"),
    ("double arrow", "»"),
    ("signs", ">>"),
    ("vietnamese", "Trang sau"),
]
_STYLES = [
    "/news?page={n}",
    "/news/page/{n}/",
    "/blog?p={n}",
    "/blog/seite-{n}.html",
    "/list?cat=3&paged={n}",
    "/search?q=crawler&pg={n}",
]


def _list_by_label() -> list[PagedList]:
    found = []
    for place, (name, label) in enumerate(_LABELS):
        pattern = _STYLES[place % len(_STYLES)]
        here = 1 + place % 3
        path = pattern.replace("{n}", str(here))
        following = pattern.replace("{n}", str(here + 1))
        found.append(_case(f"only a label, {name}", path, _link(following, label), following))
    return found


def _list_by_numbers() -> list[PagedList]:
    return [
        _case("numbers, first page", "/news", _numbers("/news?page={n}", range(1, 6)), "/news?page=2"),
        _case(
            "numbers, in the middle",
            "/news?page=5",
            _numbers("/news?page={n}", range(3, 8), 5),
            "/news?page=6",
        ),
        _case(
            "gap in the numbers",
            "/news?page=2",
            _numbers("/news?page={n}", [1, 2, 3, 40], 2),
            "/news?page=3",
        ),
        _case(
            "counted from zero",
            "/node",
            _numbers("/node?page={n}", range(1, 5), zero=0)
            .replace("page=2", "page=1")
            .replace("page=3", "page=2"),
            "/node?page=1",
        ),
        _case("offsets", "/list", _numbers("/list?offset={n}", range(1, 5), step=20), "/list?offset=20"),
        _case(
            "offsets, in the middle",
            "/list?start=40",
            _numbers("/list?start={n}", range(1, 6), 3, step=20),
            "/list?start=60",
        ),
        _case(
            "forum",
            "/viewtopic.php?t=9",
            _numbers("/viewtopic.php?t=9&start={n}", range(1, 4), step=15),
            "/viewtopic.php?t=9&start=15",
        ),
        _case("in the path", "/tag/rust", _numbers("/tag/rust/page/{n}", range(1, 4)), "/tag/rust/page/2"),
        _case(
            "files",
            "/archiv/index.html",
            _numbers("/archiv/index_{n}.html", range(1, 4)),
            "/archiv/index_2.html",
        ),
        _case("number appended", "/blog", _numbers("/blog/{n}", range(1, 5)), "/blog/2"),
        _case("number appended, later", "/blog/2", _numbers("/blog/{n}", range(1, 5), 2), "/blog/3"),
        _case(
            "thread",
            "/thread-123-1.html",
            _numbers("/thread-123-{n}.html", range(1, 5)),
            "/thread-123-2.html",
        ),
        _case("unknown name", "/items?seq=2", _numbers("/items?seq={n}", range(1, 6), 2), "/items?seq=3"),
        _case(
            "extension of a CMS",
            "/news",
            _numbers("/news?tx_news%5BcurrentPage%5D={n}", range(1, 4)),
            "/news?tx_news%5BcurrentPage%5D=2",
        ),
        _case("block of a CMS", "/", _numbers("/?query-3-page={n}", range(1, 4)), "/?query-3-page=2"),
        _case(
            "sorted list",
            "/shop?sort=price",
            _numbers("/shop?sort=price&page={n}", range(1, 4)),
            "/shop?sort=price&page=2",
        ),
        _case(
            "more parameters",
            "/shop",
            _numbers("/shop?view=grid&page={n}", range(1, 4)),
            "/shop?view=grid&page=2",
        ),
    ]


def _list_others() -> list[PagedList]:
    older = _link("/page/2/", "Older posts")
    rel = '<link rel="next" href="/blog/page/4/"><link rel="prev" href="/blog/page/2/">'
    return [
        _case("home page of a blog", "/", older, "/page/2/"),
        _case("home page, list below", "/", _link("/blog/page/2", "Older »"), "/blog/page/2"),
        _case("rel in the head", "/blog/page/3/", "", "/blog/page/4/", head=rel),
        _case("rel on an arrow", "/blog?page=3", _link("/blog?page=4", "🠒", ' rel="next"'), "/blog?page=4"),
        _case("icon", "/blog?page=3", _link("/blog?page=4", "<i></i>"), "/blog?page=4"),
        _case("cursor", "/feed", _link("/feed?after=t3_abc", "Next ›"), "/feed?after=t3_abc"),
        _case(
            "token",
            "/list?q=a",
            _link("/list?q=a&pageToken=CAoQ", "Next", ' rel="nofollow next"'),
            "/list?q=a&pageToken=CAoQ",
        ),
        _case("last page", "/news?page=7", _numbers("/news?page={n}", range(1, 8), 7), None),
        _case(
            "last page with a label for the previous",
            "/blog/page/9/",
            _link("/blog/page/8/", "Newer posts"),
            None,
        ),
        _case("list without others", "/news", "", None),
    ]


def _list_negatives() -> list[PagedList]:
    days = " ".join(_link(f"/events/2025/06/{day:02d}/", str(day)) for day in range(1, 31))
    day_names = " ".join(_link(f"/events?day={day}", str(day)) for day in range(1, 31))
    sizes = " ".join(_link(f"/shoe?size={size}", str(size)) for size in range(38, 46))
    variants = " ".join(_link(f"/shoe?variant={number}", str(number)) for number in range(1, 5))
    years = " ".join(_link(f"/archive/{year}/", str(year)) for year in range(2015, 2025))
    stars = " ".join(_link(f"/reviews?stars={number}", str(number)) for number in range(1, 6))
    chapters = " ".join(_link(f"/book/chapter-{number}", str(number)) for number in range(1, 9))
    return [
        _case("calendar by path", "/events/2025/06/", days + _link("/events/2025/07/", "Next »"), None),
        _case("calendar by month", "/calendar?month=6", _link("/calendar?month=7", "Next"), None),
        _case(
            "calendar by year and month", "/cal?year=2025&month=6", _link("/cal?year=2025&month=7", "›"), None
        ),
        _case("days of a calendar", "/events", day_names, None),
        _case("week view", "/plan?week=23", _link("/plan?week=24", "weiter"), None),
        _case("date of a plan", "/plan?date=2025-06-01", _link("/plan?date=2025-06-02", "Next"), None),
        _case("next article", "/2024/05/17/a-title", _link("/2024/05/18/another-title", "Next"), None),
        _case("next article by id", "/article/123", _link("/article/124", "Next »"), None),
        _case("next post by rel", "/a-title", "", None, head='<link rel="next" href="/another-title">'),
        _case("next chapter", "/book/chapter-2", chapters + _link("/book/chapter-3", "Next"), None),
        _case("next lesson", "/course/lesson/4", _link("/course/lesson/5", "Weiter"), None),
        _case("sizes of a product", "/shoe", sizes, None),
        _case("variants of a product", "/shoe", variants, None),
        _case(
            "carousel", "/", " ".join(_link(f"#slide-{number}", str(number)) for number in range(1, 6)), None
        ),
        _case(
            "carousel by parameter",
            "/",
            " ".join(_link(f"/?slide={number}", str(number)) for number in range(1, 6)),
            None,
        ),
        _case("years", "/archive", years, None),
        _case("ratings", "/reviews", stars, None),
        _case("pages of another list", "/a-title", _numbers("/news?page={n}", range(2, 5), 0), None),
        _case("comments of a post", "/a-title", _link("/a-title/comment-page-2#comments", "Older"), None),
        _case("breadcrumb", "/world/europe", _link("/world", "»") + _link("/", "›"), None),
        _case("photos of a gallery", "/gallery/photo-3", _link("/gallery/photo-4", "›"), None),
        _case(
            "numbers of other sites",
            "/links",
            " ".join(
                _link(f"https://other.example/links?page={number}", str(number)) for number in range(1, 5)
            ),
            None,
        ),
        _case("versions", "/docs/3", _link("/docs/4", "Next"), None),
        _case("questions of a quiz", "/quiz?question=3", _link("/quiz?question=4", "Next"), None),
        _case(
            "more on a topic",
            "/a-title",
            _link("/topics/economy", "More") + _link("/newsletter", "More »"),
            None,
        ),
    ]


def _list_hard() -> list[PagedList]:
    """Real ones that rules of this kind are bound to miss in part; kept so that the figure stays honest."""
    return [
        _case("number in words", "/news", _link("/news?page=2", "Page 2"), "/news?page=2"),
        _case("long label", "/news", _link("/news?page=2", "Go to the next page of news"), "/news?page=2"),
        _case("label with a total", "/news?page=3", _link("/news?page=4", "Next (4 of 17)"), "/news?page=4"),
        _case("matrix parameter", "/news", _link("/news;page=2", "Next"), "/news;page=2"),
        _case("letters", "/authors/a", _link("/authors/b", "Next ›"), "/authors/b"),
        _case(
            "hash in the number",
            "/set",
            _link("/set?token=9f3a&dir=fwd", "weiter"),
            "/set?token=9f3a&dir=fwd",
        ),
        _case(
            "two pagers",
            "/news",
            _numbers("/news?cpage={n}", range(1, 4)) + _link("/news?page=2", "Next"),
            "/news?page=2",
        ),
        _case("short name", "/forum/f12", _numbers("/forum/f12p{n}", range(1, 5)), "/forum/f12p2"),
        _case(
            "month list with pages", "/2024/05/", _link("/2024/05/page/2/", "Older posts"), "/2024/05/page/2/"
        ),
        _case(
            "calendar with pages",
            "/events?month=6&page=1",
            _link("/events?month=6&page=2", "Next"),
            "/events?month=6&page=2",
        ),
        _case("products like pages", "/p/12", _link("/p/13", "Next"), None),
        _case("list of lists", "/lists", "".join(_link(f"/list/{n}", str(n)) for n in range(1, 6)), None),
    ]


CASES = [*_list_hard(), *_list_by_label(), *_list_by_numbers(), *_list_others(), *_list_negatives()]
