# ruff: noqa: E501 (documents)
"""Ordinary pages in many shapes and languages, short and odd ones included: none of them may be rejected."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a page says in one language."""

    title: str
    sentences: tuple[str, str, str]
    login: str
    password: str
    robot: str  # a word next to a captcha in a form
    cookies: str  # of a banner over content
    nothing: str  # an empty list


LANGUAGES = {
    "en": Words(
        title="The harbor at night",
        sentences=(
            "The boats come in before dawn.",
            "Gulls follow them to the quay.",
            "By noon the market is empty.",
        ),
        login="Log in",
        password="Password",
        robot="I am not a robot",
        cookies="We use cookies. You can refuse them.",
        nothing="No posts yet.",
    ),
    "de": Words(
        title="Der Hafen bei Nacht",
        sentences=(
            "Die Boote kommen vor der Dämmerung.",
            "Möwen folgen ihnen zum Kai.",
            "Mittags ist der Markt leer.",
        ),
        login="Anmelden",
        password="Passwort",
        robot="Ich bin kein Roboter",
        cookies="Wir verwenden Cookies. Sie können ablehnen.",
        nothing="Noch keine Beiträge.",
    ),
    "fr": Words(
        title="Le port la nuit",
        sentences=(
            "Les bateaux rentrent avant l'aube.",
            "Les mouettes les suivent jusqu'au quai.",
            "À midi le marché est vide.",
        ),
        login="Se connecter",
        password="Mot de passe",
        robot="Je ne suis pas un robot",
        cookies="Nous utilisons des cookies.",
        nothing="Aucun article.",
    ),
    "es": Words(
        title="El puerto de noche",
        sentences=(
            "Los barcos llegan antes del alba.",
            "Las gaviotas los siguen.",
            "A mediodía el mercado está vacío.",
        ),
        login="Iniciar sesión",
        password="Contraseña",
        robot="No soy un robot",
        cookies="Usamos cookies.",
        nothing="No hay entradas.",
    ),
    "pt": Words(
        title="O porto à noite",
        sentences=(
            "Os barcos chegam antes do amanhecer.",
            "As gaivotas seguem-nos.",
            "Ao meio-dia o mercado está vazio.",
        ),
        login="Entrar",
        password="Senha",
        robot="Não sou um robô",
        cookies="Usamos cookies.",
        nothing="Sem artigos.",
    ),
    "it": Words(
        title="Il porto di notte",
        sentences=(
            "Le barche tornano prima dell'alba.",
            "I gabbiani le seguono.",
            "A mezzogiorno il mercato è vuoto.",
        ),
        login="Accedi",
        password="Password",
        robot="Non sono un robot",
        cookies="Usiamo i cookie.",
        nothing="Nessun articolo.",
    ),
    "nl": Words(
        title="De haven bij nacht",
        sentences=(
            "De boten komen voor zonsopgang.",
            "Meeuwen volgen ze.",
            "Om twaalf uur is de markt leeg.",
        ),
        login="Inloggen",
        password="Wachtwoord",
        robot="Ik ben geen robot",
        cookies="Wij gebruiken cookies.",
        nothing="Geen berichten.",
    ),
    "pl": Words(
        title="Port nocą",
        sentences=("Łodzie wracają przed świtem.", "Mewy lecą za nimi.", "W południe targ jest pusty."),
        login="Zaloguj się",
        password="Hasło",
        robot="Nie jestem robotem",
        cookies="Używamy plików cookie.",
        nothing="Brak wpisów.",
    ),
    "ru": Words(
        title="Ночная гавань",
        sentences=("Лодки приходят до рассвета.", "Чайки летят за ними.", "К полудню рынок пуст."),
        login="Войти",
        password="Пароль",
        robot="Я не робот",
        cookies="Мы используем файлы cookie.",
        nothing="Записей нет.",
    ),
    "el": Words(
        title="Το λιμάνι τη νύχτα",
        sentences=(
            "Οι βάρκες έρχονται πριν την αυγή.",
            "Οι γλάροι τις ακολουθούν.",
            "Το μεσημέρι η αγορά είναι άδεια.",
        ),
        login="Σύνδεση",
        password="Κωδικός",
        robot="Δεν είμαι ρομπότ",
        cookies="Χρησιμοποιούμε cookies.",
        nothing="Καμία ανάρτηση.",
    ),
    "tr": Words(
        title="Gece limanı",
        sentences=("Tekneler şafaktan önce gelir.", "Martılar onları izler.", "Öğlen pazar boştur."),
        login="Giriş yap",
        password="Parola",
        robot="Ben robot değilim",
        cookies="Çerezler kullanıyoruz.",
        nothing="Yazı yok.",
    ),
    "ar": Words(
        title="الميناء ليلا",
        sentences=("تعود القوارب قبل الفجر.", "تتبعها النوارس.", "السوق فارغ عند الظهر."),
        login="تسجيل الدخول",
        password="كلمة المرور",
        robot="لست روبوت",
        cookies="نستخدم ملفات تعريف الارتباط.",
        nothing="لا توجد مقالات.",
    ),
    "he": Words(
        title="הנמל בלילה",
        sentences=("הסירות חוזרות לפני השחר.", "השחפים עוקבים אחריהן.", "בצהריים השוק ריק."),
        login="כניסה",
        password="סיסמה",
        robot="אינני רובוט",
        cookies="אנו משתמשים בעוגיות.",
        nothing="אין פוסטים.",
    ),
    "hi": Words(
        title="रात में बंदरगाह",
        sentences=("नावें भोर से पहले आती हैं।", "पक्षी उनके पीछे आते हैं।", "दोपहर तक बाज़ार खाली है।"),
        login="लॉग इन",
        password="पासवर्ड",
        robot="मैं रोबोट नहीं हूँ",
        cookies="हम कुकी का उपयोग करते हैं।",
        nothing="कोई लेख नहीं।",
    ),
    "th": Words(
        title="ท่าเรือยามค่ำ",
        sentences=("เรือกลับมาก่อนรุ่งสาง", "นกนางนวลบินตาม", "ตลาดว่างตอนเที่ยง"),
        login="เข้าสู่ระบบ",
        password="รหัสผ่าน",
        robot="ฉันไม่ใช่โปรแกรมอัตโนมัติ",
        cookies="เราใช้คุกกี้",
        nothing="ไม่มีโพสต์",
    ),
    "ja": Words(
        title="夜の港",
        sentences=("船は夜明け前に戻る。", "カモメがついてくる。", "昼には市場は空になる。"),
        login="ログイン",
        password="パスワード",
        robot="私はロボットではありません",
        cookies="クッキーを使用しています。",
        nothing="記事はありません。",
    ),
    "zh": Words(
        title="夜晚的港口",
        sentences=("船在黎明前回来。", "海鸥跟着它们。", "中午市场空了。"),
        login="登录",
        password="密码",
        robot="我不是机器人",
        cookies="我们使用 Cookie。",
        nothing="没有文章。",
    ),
    "ko": Words(
        title="밤의 항구",
        sentences=("배는 새벽 전에 돌아온다.", "갈매기가 따라온다.", "정오에 시장은 비어 있다."),
        login="로그인",
        password="비밀번호",
        robot="로봇이 아닙니다",
        cookies="쿠키를 사용합니다.",
        nothing="글이 없습니다.",
    ),
    "vi": Words(
        title="Bến cảng ban đêm",
        sentences=("Thuyền về trước bình minh.", "Hải âu bay theo.", "Đến trưa chợ vắng."),
        login="Đăng nhập",
        password="Mật khẩu",
        robot="Tôi không phải là người máy",
        cookies="Chúng tôi sử dụng cookie.",
        nothing="Chưa có bài.",
    ),
    "uk": Words(
        title="Нічна гавань",
        sentences=("Човни повертаються до світанку.", "Чайки летять за ними.", "Опівдні ринок порожній."),
        login="Увійти",
        password="Пароль",
        robot="Я не робот",
        cookies="Ми використовуємо файли cookie.",
        nothing="Записів немає.",
    ),
}

_NAV = (
    "<nav>"
    + "".join(f'<a href="/{name}">{name}</a> ' for name in ("news", "shop", "about", "team", "blog", "help"))
    + "</nav>"
)


def _document(title: str, body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"


def _text(words: Words, times: int = 1) -> str:
    return "".join(f"<p>{sentence}</p>" for sentence in words.sentences * times)


# --- shapes in every language -------------------------------------------------------------------------


def article(words: Words) -> str:
    return _document(words.title, f"{_NAV}<article><h1>{words.title}</h1>{_text(words, 12)}</article>")


def note(words: Words) -> str:
    return _document(words.title, f"<h1>{words.title}</h1><p>{words.sentences[0]}</p>")


def sentence(words: Words) -> str:
    """As short as a page gets."""
    return f"<title>{words.title}</title>{words.sentences[1]}"


def untitled(words: Words) -> str:
    return f"<p>{words.sentences[2]}"


def poem(words: Words) -> str:
    return _document(words.title, f"<pre>{chr(10).join(words.sentences * 4)}</pre>")


def table(words: Words) -> str:
    rows = "".join(f"<tr><td>{each}<td>{number}</tr>" for number, each in enumerate(words.sentences * 5))
    return _document(words.title, f"<table>{rows}</table>")


def gallery(words: Words) -> str:
    """Pictures and scripts, no text."""
    shown = "".join(f'<img src="/{number}.jpg">' for number in range(12))
    return _document(words.title, f"{shown}<script src=/slides.js></script>")


def login(words: Words) -> str:
    fields = f'<label>{words.login}<input type="email"></label><label>{words.password}<input type="password"></label>'
    return _document(
        words.login, f"<h1>{words.login}</h1><form>{fields}<button>{words.login}</button></form>"
    )


def contact(words: Words) -> str:
    """A form with a captcha, and words next to it."""
    fields = f'<textarea></textarea><div class="g-recaptcha"></div><p>{words.robot}</p>'
    head = '<script src="https://www.google.com/recaptcha/api.js"></script>'
    return _document(words.title, f"<p>{words.sentences[0]}</p><form>{fields}</form>", head)


def banner(words: Words) -> str:
    """Consent is asked for over content."""
    asked = f'<div id="consent">{words.cookies} <button>OK</button></div>'
    head = '<script src="https://cdn.cookielaw.org/otSDKStub.js"></script>'
    return _document(words.title, f"{asked}{_NAV}<main>{_text(words, 3)}</main>", head)


def prices(words: Words) -> str:
    rows = "".join(f"<li>{words.title} {number} — {number * 3}.90 €" for number in range(8))
    return _document(words.title, f"<ul>{rows}</ul><a href=/cart>+</a>")


def empty_blog(words: Words) -> str:
    return _document(words.title, f"<header>{words.title}</header><p>{words.nothing}</p>")


def frames(words: Words) -> str:
    return f"<html><head><title>{words.title}</title></head><frameset cols=20%,80%><frame src=/menu><frame src=/main></frameset></html>"


def scripted(words: Words) -> str:
    """Many scripts of vendors, and content."""
    scripts = "".join(
        f"<script src={source}></script>"
        for source in (
            "/cdn-cgi/challenge-platform/scripts/jsd/main.js",
            "/_Incapsula_Resource?SWJIYLWA=719d34",
            "https://js.datadome.co/tags.js",
            "https://client.px-cloud.net/PX1/main.min.js",
            "https://stackpath.bootstrapcdn.com/bootstrap.js",
            "https://www.google.com/recaptcha/api.js",
            "https://www.googletagmanager.com/gtm.js",
        )
    )
    noscript = "<noscript>Please enable JavaScript to see everything.</noscript>"
    return _document(words.title, f"{noscript}{_NAV}{_text(words, 2)}{scripts}")


SHAPES: tuple[Callable[[Words], str], ...] = (
    article, note, sentence, untitled, poem, table, gallery, login, contact, banner, prices, empty_blog, frames, scripted,
)  # fmt: skip


# --- pages that speak of what others are ----------------------------------------------------------------

_LONG = "The rest of this page explains it step by step, with examples and pictures. " * 12


def _about(title: str, text: str) -> str:
    return _document(title, f"{_NAV}<article><h1>{title}</h1><p>{text}</p><p>{_LONG}</p></article>")


ABOUT = {
    "how captchas work": _about("How captchas work", "A captcha asks you to confirm that you are not a robot. <code>g-recaptcha</code> is its class."),
    "captcha, encyclopedia": _about("CAPTCHA", "Sites say: please verify you are human. hCaptcha and reCAPTCHA are products."),
    "cloudflare challenge docs": _about("Challenges", escape("Interstitial pages set window._cf_chl_opt and show “Just a moment...”; responses have cf-mitigated: challenge.")),
    "cloudflare 1020 docs": _about("Error 1020", "Access denied: the owner has blocked your request. Ray ID and cf-error-details help support."),
    "akamai reference docs": _about("Access Denied", "You don't have permission to access this server. Reference #18.2d351ab8 errors.edgesuite.net"),
    "datadome review": _about("DataDome review", "Visitors see “Please enable JS and disable any ad blocker” from captcha-delivery.com."),
    "perimeterx forum": _about("Access to this page has been denied", "Why do I have to press & hold? px-captcha again."),
    "imperva docs": _about("Pardon Our Interruption", "Imperva shows an incident. Request unsuccessful. Incapsula incident ID: 877."),
    "aws waf docs": _about("AWS WAF challenge", "AwsWafIntegration.getToken() is called by challenge.js; x-amzn-waf-action says captcha."),
    "kasada blog": _about("Reversing ips.js", "window.KPSDK and 149e9513-01fa-4fb0-aad4-566afd725d1b in every page."),
    "f5 docs": _about("Request Rejected", "The requested URL was rejected. Your support ID is 123. Please consult with your administrator."),
    "sucuri docs": _about("Sucuri Website Firewall", "sucuri_cloudproxy_js sets a cookie."),
    "anubis readme": _about("Making sure you're not a bot!", "Anubis weighs the soul of requests: within.website/x/cmd/anubis, techaro.lol."),
    "403 explained": _about("403 Forbidden", "The server understood the request but refuses: access denied, permission, forbidden."),
    "zugriff verweigert": _about("Zugriff verweigert", "Was tun, wenn der Zugriff verweigert oder gesperrt ist?"),
    "accès refusé": _about("Accès refusé", "Vous n'avez pas les droits ? Accès refusé sous Windows."),
    "доступ запрещён": _about("Доступ запрещён", "Почему доступ запрещён и что делать."),
    "アクセス拒否": _about("アクセス拒否", "アクセスが拒否されましたと表示される原因。"),
    "访问被拒绝": _about("访问被拒绝", "访问被拒绝怎么办。"),
    "band named access denied": _about("Access Denied", "The band from Leeds plays on Friday. Access Denied released two records."),
    "enable javascript help": _about("How to enable JavaScript", "Please enable JavaScript: open the settings, then JavaScript."),
    "javascript aktivieren": _about("JavaScript aktivieren", "So aktivieren Sie JavaScript in Ihrem Browser."),
    "cookies help": _about("Enable cookies", "Please enable cookies in your browser settings."),
    "old browser help": _about("Unsupported browser", "Your browser is not supported? Please update your browser."),
    "account suspended help": _about("Account Suspended", "This account has been suspended? Contact your hosting provider: suspendedpage.cgi."),
    "selling domains": _about("Domain for sale", "“This domain is for sale” pages by Sedo (sedoparking.com), Bodis and ParkingCrew (parkingcrew.net)."),
    "domain parking wiki": _about("Domain parking", "Registrars park names: buy this domain, parked free, courtesy of GoDaddy.com, dan.com/buy-domain."),
    "nginx tutorial": _about("Welcome to nginx!", "If you see this page, the nginx web server is successfully installed. Now edit the configuration."),
    "apache tutorial": _about("Apache2 Ubuntu Default Page: It works", "It works! means that you can go on." + " Read on." * 600),
    "iis tutorial": _about("IIS Windows Server", "You see the blue page: IIS runs."),
    "plesk docs": _about("Domain Default page", "Plesk shows Web Server's Default Page."),
    "wordpress error help": _about("Error establishing a database connection", "How to fix error establishing a database connection."),
    "critical error help": _about("Critical error", "There has been a critical error on this website: enable debugging."),
    "maintenance plugin": _about("Maintenance mode", "Briefly unavailable for scheduled maintenance. Check back in a minute."),
    "php manual": _about("Fatal error", "Fatal error: Uncaught Error in /var/www/a.php on line 3 is explained here."),
    "500 explained": _about("500 Internal Server Error", "Something went wrong: the server met an error."),
    "consent explained": _about("Before you continue", "Why consent.google.com asks: please accept cookies to continue."),
    "queue-it story": _about("Waiting rooms", "You are now in line: static.queue-it.net made fans wait."),
    "robot check fiction": _about("Robot Check", "“Are you a robot?” asked the clerk."),
    "just a moment, a song": _about("Just a moment", "A song about waiting: just a moment, please wait."),
    # Short ones: their words alone are no evidence.
    "glossary: captcha": _document("Captcha", f"{_NAV}<p>Captcha: a test that tells people from robots.</p>"),
    "glossary: forbidden": _document("Glossary: 403", f"{_NAV}<p>403 Forbidden: the server refuses.</p>"),
    "faq: javascript": _document("FAQ", f"{_NAV}<p>Do I need it? Yes, please enable JavaScript.</p>"),
    "status page": _document("Status", f"{_NAV}<p>Maintenance on Sunday. All systems operational.</p>"),
    "domain broker": _document("Our names", _NAV + "".join(f'<p><a href="/d/{n}">name{n}.example</a> 900 €</p>' for n in range(20))),
    "forum thread": _document("Access denied - Forum", f"{_NAV}<p>Since today I get access denied. Any ideas?</p><p>Same here.</p>"),
    "news in brief": _document("Bandwidth", f"{_NAV}<p>The city lays new cables.</p>"),
    "hello": "Hello",
    "hello, world": "<h1>Hello, world!</h1>",
    "dot": "<p>.",
    "only a link": '<a href="/next">Next</a>',
    "only a picture": '<img src="a.png" alt="">',
    "coming soon": _document("Studio", "<h1>Coming soon</h1><p>We open in May.</p>"),
    "thank you": _document("Thank you", "<p>Thank you, your message was sent.</p>"),
    "search without results": _document("Search", '<form><input type="text" name=q></form><p>Nothing found.</p>'),
    "video": _document("Film", "<video src=a.mp4></video><script src=player.js></script>"),
    "map": _document("Map", "<canvas id=map></canvas><script src=map.js></script>"),
    "refresh": _document("Moved", "<script>1</script>", '<meta http-equiv="refresh" content="5;url=/new">'),
    "feed reader": _document("Links", "".join(f'<a href="/{n}">{n}</a>' for n in range(300))),
    "legal": _document("Impressum", "<p>Angaben gemäß § 5 DDG: Erika Muster, Hafenweg 1, 20457 Hamburg</p>"),
    "svg": _document("Chart", "<svg><text>42</text></svg><script>draw()</script>"),
    "code only": _document("main.c", "<pre>int main(void) { return 0; }</pre>"),
    "definition list": _document("Terms", "<dl><dt>quay<dd>a wall for ships</dl>"),
    "upside down markup": "</html></body><p>Text<title>Late</title>",
    "empty body": _document("Nothing to see", ""),
    "empty": "",
    "white space": " \n\t ",
    "one word in title": "<title>x</title>",
    "maintenance company": _document("Maintenance", f"{_NAV}<p>We do maintenance of ships, cranes and gates.</p>"),
    "hosting company": _document("Hosting", f"{_NAV}<p>Plesk, cPanel and nginx from 3 € a month. Buy a domain.</p>"),
    "security company": _document("Security check", f"{_NAV}<p>We check locks and gates. Book a security check.</p>"),
    "suspended bridge": _document("Suspended", f"{_NAV}<p>The bridge is suspended from two towers.</p>"),
    "moment": _document("Moment", f"{_NAV}<p>A magazine about time.</p>"),
    "blocked drains": _document("Blocked", f"{_NAV}<p>Blocked drains? We come at once.</p>"),
    "age question": _document("Wine", f"{_NAV}<p>Are you over 18? Our wines come from the Rhine.</p>"),
    "newsletter": _document("News", '<p>Subscribe</p><form><input type="email"><div class="h-captcha"></div><p>Verify you are human</p></form>'),
}  # fmt: skip


def list_pages() -> Iterator[tuple[str, str]]:
    """Each with a name."""
    for language, words in LANGUAGES.items():
        for shape in SHAPES:
            yield f"{shape.__name__} ({language})", shape(words)
    yield from ABOUT.items()
