# ruff: noqa: E501 (documents)
"""Answers that are no pages, at least one for each signature in extract/signatures.json."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True, slots=True, kw_only=True)
class Wall:
    signature: str
    html: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.html.partition("<title>")[2].partition("</title>")[0]

    @property
    def body(self) -> bytes:
        return self.html.encode()


def wall(signature: str, title: str, body: str, head: str = "", **headers: str) -> Wall:
    html = f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"
    return Wall(
        signature=signature,
        html=html,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def in_article(each: Wall) -> str:
    """A long article that quotes the wall, its words and its markup."""
    words = (
        "Site owners choose between several products that keep automated visitors out, and each of them shows a page"
        " of its own. This article walks through what visitors see, why it appears, and what to do about it. "
    ) * 12
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{each.title}</title></head><body><h1>What it means</h1>"
        f"<p>{words}</p><blockquote>{escape(each.html)}</blockquote><pre>{escape(each.html)}</pre><p>{words}</p></body></html>"
    )


def script(source: str) -> str:
    return f'<script src="{source}"></script>'


def code(text: str) -> str:
    return f"<script>{text}</script>"


def paragraphs(*lines: str) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


WALLS = [
    wall("imperva_text", "", "Request unsuccessful. Incapsula incident ID: 877000340-123"),
    wall(
        "nginx_test_page",
        "Test Page for the Nginx HTTP Server on Fedora",
        "<h1>Welcome to nginx on Fedora!</h1><p>"
        + "This page is used to test the proper operation of nginx. " * 15
        + "</p>",
    ),
    # Bot protection.
    wall(
        "cloudflare_mitigated",
        "Just a moment...",
        "<h1>shop.example</h1>",
        cf_mitigated="challenge",
        server="cloudflare",
    ),
    wall(
        "cloudflare_challenge",
        "Just a moment...",
        "<noscript><p>Enable JavaScript and cookies to continue</p></noscript>"
        + code("window._cf_chl_opt={cvId:'3',cZone:'shop.example'};"),
        server="cloudflare",
    ),
    wall(
        "cloudflare_challenge",
        "Einen Moment, bitte…",
        "<h1>shop.example</h1>"
        + paragraphs("Überprüfen Sie, ob Sie ein Mensch sind.", "Ray ID: 7d1")
        + script("/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=7d1"),
    ),
    wall(
        "cloudflare_denied",
        "Attention Required! | Cloudflare",
        '<div id="cf-error-details"><h1>Sorry, you have been blocked</h1><h2>You are unable to access shop.example</h2>'
        "<p>This website is using a security service to protect itself from online attacks.</p>"
        "<p>Cloudflare Ray ID: 7d1c</p></div>",
    ),
    wall(
        "akamai_denied",
        "Access Denied",
        '<h1>Access Denied</h1>You don\'t have permission to access "http://shop.example/" on this server.'
        "<p>Reference #18.2d351ab8.1557333295.a4e16ab</p><p>https://errors.edgesuite.net/18.2d351ab8</p>",
    ),
    wall("akamai_reference", "Access Denied", "<h1>Access Denied</h1><p>Reference #24.9bd1.1557333.a4e</p>"),
    wall(
        "akamai_challenge",
        "",
        '<div id="sec-if-cpt-container"></div>' + script("/_sec/cp_challenge/sec-cpt-4-3.js"),
    ),
    wall(
        "datadome_captcha",
        "shop.example",
        '<p id="cmsg">Please enable JS and disable any ad blocker</p>'
        + script("https://ct.captcha-delivery.com/c.js"),
    ),
    wall("datadome_text", "shop.example", "<p>Please enable JS and disable any ad blocker</p>"),
    wall(
        "perimeterx_captcha",
        "Human verification",
        '<div id="px-captcha"></div>'
        + paragraphs(
            "Before we continue...",
            "Press &amp; Hold to confirm you are a human (and not a bot).",
            "Reference ID 1a2b",
        ),
    ),
    wall("perimeterx_denied", "Access to this page has been denied.", "<p>Reference ID: #1a2b-3c</p>"),
    wall(
        "imperva_incident",
        "",
        '<iframe id="main-iframe" src="/x">Request unsuccessful. Incapsula incident ID: 877-123</iframe>',
    ),
    wall(
        "imperva_resource", "", "", script("/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3")
    ),
    wall(
        "imperva_interruption",
        "Pardon Our Interruption",
        paragraphs(
            "As you were browsing something about your browser made us think you were a bot.",
            "To regain access, enable cookies.",
        ),
    ),
    wall("aws_waf_action", "", '<div id="challenge-container"></div>', x_amzn_waf_action="challenge"),
    wall(
        "aws_waf_challenge",
        "",
        '<div id="challenge-container"></div>'
        + code("AwsWafIntegration.saveReferrer();")
        + script("https://1f.token.awswaf.com/1f/challenge.js"),
    ),
    wall(
        "cloudfront_denied",
        "ERROR: The request could not be satisfied",
        "<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><p>Request blocked.</p><pre>Generated by cloudfront (CloudFront)</pre>",
    ),
    wall(
        "kasada_challenge",
        "",
        code("window.KPSDK={};KPSDK.now=Date.now;")
        + script(
            "/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39-8ed7-437e-a3be-862e0f06eea3/ips.js?KP_UIDz=1"
        ),
    ),
    wall(
        "f5_support_id",
        "Request Rejected",
        "The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 123456789",
    ),
    wall("f5_shape_challenge", "", "", script("/TSPD/08a1?type=5") + code('window["bobcmn"]="101";')),
    wall(
        "sucuri_denied",
        "Sucuri WebSite Firewall - Access Denied",
        paragraphs(
            "Access Denied - Sucuri Website Firewall",
            "If you are the site owner, please open a ticket.",
            "Block reason: Bad bot",
        ),
    ),
    wall(
        "sucuri_challenge",
        "You are being redirected...",
        "<noscript>Javascript is required.</noscript>" + code("s={},sucuri_cloudproxy_js='';"),
    ),
    wall(
        "stackpath_check",
        "Site verification",
        paragraphs("This website uses a security service to protect itself from online attacks.")
        + script("https://static.stackpathcdn.example/sbtsck.js"),
    ),
    wall(
        "ddos_guard",
        "DDoS-Guard",
        "<h1>Checking your browser</h1>" + script("https://check.ddos-guard.net/check.js"),
    ),
    wall(
        "anubis",
        "Making sure you&#39;re not a bot!",
        paragraphs(
            "Loading...",
            "Why am I seeing this?",
            "You are seeing this because the administrator set up Anubis.",
        )
        + script("/.within.website/x/cmd/anubis/static/js/main.mjs"),
    ),
    wall("vercel_checkpoint", "Vercel Security Checkpoint", "<p>We're verifying your browser</p>"),
    wall(
        "google_sorry",
        "https://www.google.example/search",
        paragraphs(
            "Our systems have detected unusual traffic from your computer network. This page checks to see if it's really you sending the requests, and not a robot."
        ),
    ),
    wall(
        "amazon_robot_check",
        "Shop",
        "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot.</p>"
        '<form action="/errors/validateCaptcha"><input type="text" name="field-keywords"></form>',
    ),
    wall(
        "yandex_captcha",
        "Вы не робот?",
        '<form action="/checkcaptcha?key=1"><div class="SmartCaptcha"></div></form>'
        "<p>Подтвердите, что запросы отправляли вы, а не робот</p>",
    ),
    wall(
        "radware",
        "Radware Captcha Page",
        "<p>Please verify that you are not a bot.</p>" + script("https://cas.avalon.perfdrive.com/jsdata"),
    ),
    wall("reblaze", "", "", code("window.rbzns={bereshit:'1'};winsocks();")),
    wall("alibaba_waf", "", "", code("var arg1='A1';setCookie('acw_sc__v2',x);")),
    wall("tencent_waf", "", '<div id="cap"></div>' + script("https://turing.captcha.qcloud.com/TCaptcha.js")),
    wall(
        "fortinet_blocked",
        "Web Page Blocked!",
        '<img src="/fgd_icon.png"><h1>FortiGuard</h1><p>The page you have requested has been blocked.</p>',
    ),
    wall(
        "wordfence_denied",
        "Your access to this site has been limited by the site owner",
        "<h1>Your access to this site has been limited by the site owner</h1><p>Generated by Wordfence at Mon, 1 Jan</p>",
    ),
    wall(
        "imunify_check",
        "Captcha",
        "<p>We have noticed an unusual activity from your IP. Please confirm that you are not a robot.</p>"
        "<small>Protected by Imunify360 bot-protection</small><div class='i360-captcha'></div>",
    ),
    wall(
        "siteground_captcha",
        "Robot Challenge Screen",
        "<p>Checking the site connection security</p>" + code('location="/.well-known/sgcaptcha/?r=%2F";'),
    ),
    wall(
        "litespeed_recaptcha",
        "reCAPTCHA",
        '<form action="/.lsrecap/recaptcha"></form><p>Please complete the check</p>',
    ),
    wall(
        "queue_it",
        "Queue-it",
        "<p>You are now in line. Thank you for waiting.</p>"
        + script("https://static.queue-it.net/script/queueclient.js"),
    ),
    # Captchas and checks of any vendor, in many languages.
    *[
        wall("captcha_wall", title, f"<p>{text}</p>{widget}")
        for title, text, widget in [
            (
                "Security",
                "Please confirm that you are not a robot.",
                '<div class="g-recaptcha" data-sitekey="1"></div>',
            ),
            ("Prüfung", "Bitte bestätigen Sie, dass Sie kein Roboter sind.", '<div class="h-captcha"></div>'),
            ("Vérification", "Confirmez que vous n'êtes pas un robot.", '<div class="cf-turnstile"></div>'),
            ("Verificación", "Confirma que no eres un robot.", '<div class="g-recaptcha"></div>'),
            ("Verificação", "Confirme que você não é um robô.", '<div class="g-recaptcha"></div>'),
            ("Проверка", "Подтвердите, что вы не робот.", '<div class="g-recaptcha"></div>'),
            ("確認", "あなたがロボットではないことを確認してください。", '<div class="h-captcha"></div>'),
            ("验证", "请确认您不是机器人。", '<div id="geetest"></div>'),
            ("확인", "로봇이 아닙니다.", '<div class="g-recaptcha"></div>'),
            ("تحقق", "أكد أنك لست روبوت", '<div class="h-captcha"></div>'),
            ("Weryfikacja", "Potwierdź, że nie jesteś robotem.", '<div class="g-recaptcha"></div>'),
            ("Doğrulama", "Robot olmadığınızı doğrulayın.", '<div class="g-recaptcha"></div>'),
        ]
    ],
    *[
        wall("browser_check", title, f"<p>{text}</p>")
        for title, text in [
            (
                "Checking your browser",
                "Checking your browser before accessing shop.example. This process is automatic.",
            ),
            ("Sicherheitsüberprüfung", "Ihr Browser wird überprüft. Bitte warten Sie."),
            ("Un instant…", "Vérification de votre navigateur en cours."),
            ("Один момент…", "Проверка вашего браузера. Это займёт несколько секунд."),
            ("请稍候…", "正在检查您的浏览器，请稍候。"),
            ("しばらくお待ちください...", "ブラウザを確認しています。"),
            ("Un momento", "Comprobando su navegador antes de acceder."),
        ]
    ],
    wall("automated_traffic", "Sorry", "<p>Automated access to this site has been detected.</p>"),
    wall("automated_traffic", "Désolé", "<p>Nous avons constaté un trafic inhabituel.</p>"),
    # Access denied.
    *[
        wall("access_denied", title, f"<h1>{title}</h1><p>{text}</p>")
        for title, text in [
            ("403 Forbidden", "nginx"),
            ("Access Denied", "You do not have permission to view this page."),
            ("Zugriff verweigert", "Sie haben keine Berechtigung."),
            ("Accès refusé", "Vous n'avez pas le droit de voir cette page."),
            ("Acceso denegado", "No tiene permiso."),
            ("Acesso negado", "Você não tem permissão."),
            ("Accesso negato", "Non sei autorizzato."),
            ("Toegang geweigerd", "U heeft geen rechten."),
            ("Odmowa dostępu", "Nie masz uprawnień."),
            ("Доступ запрещён", "У вас нет прав."),
            ("Доступ заборонено", "Немає прав."),
            ("アクセスが拒否されました", "このページを表示する権限がありません。"),
            ("访问被拒绝", "您没有权限。"),
            ("접근 거부", "권한이 없습니다."),
            ("تم رفض الوصول", "ليس لديك إذن."),
            ("הגישה נדחתה", "אין לך הרשאה."),
            ("Erişim engellendi", "İzniniz yok."),
            ("Truy cập bị từ chối", "Bạn không có quyền."),
        ]
    ],
    wall(
        "ip_blocked", "Blocked access", "<p>Your IP address has been blocked. Contact the administrator.</p>"
    ),
    wall("ip_blocked", "Gesperrt", "<p>Ihre IP-Adresse wurde gesperrt.</p>"),
    # Suspended accounts.
    wall(
        "cpanel_suspended",
        "Contact Support",
        code('location="/cgi-sys/suspendedpage.cgi"') + "<p>Contact your provider</p>",
    ),
    wall(
        "account_suspended",
        "Account Suspended",
        "<h1>This Account has been suspended.</h1><p>Contact your hosting provider for more information.</p>",
    ),
    wall("account_suspended", "Сайт заблокирован", "<p>Сайт заблокирован хостинг-провайдером.</p>"),
    wall("account_suspended", "Compte suspendu", "<p>Ce compte a été suspendu.</p>"),
    wall(
        "domain_verification",
        "Verify",
        "<p>This domain has been suspended because the registrant has not completed ICANN email verification.</p>",
    ),
    wall(
        "bandwidth_exceeded",
        "509 Bandwidth Limit Exceeded",
        "<h1>Bandwidth Limit Exceeded</h1><p>The server is temporarily unable to service your request.</p>",
    ),
    wall(
        "site_expired",
        "Website Expired",
        "<h1>Website Expired</h1><p>This account has expired. Log in to renew.</p>",
    ),
    # Parked domains.
    wall(
        "sedo_parking",
        "dog-food.example",
        "<p>Related searches</p>" + script("https://img.sedoparking.com/js/jquery.js"),
    ),
    wall("godaddy_parking", "", code('window.onload=function(){window.location.href="/lander"}')),
    wall(
        "bodis_parking",
        "cheap.example",
        '<div id="target"></div>' + script("https://parking.bodiscdn.com/js/p.js"),
    ),
    wall(
        "parkingcrew",
        "cheap.example",
        '<a href="/?x">Loans</a>' + script("https://d38psrni17bvxu.cloudfront.net/themes/a.js"),
    ),
    wall(
        "dan_parking",
        "The domain name name.example is for sale",
        '<h1>name.example is for sale!</h1><a href="https://dan.com/buy-domain/name.example">Buy now</a>',
    ),
    wall(
        "afternic_parking",
        "name.example",
        '<h1>name.example is for sale</h1><a href="https://www.afternic.com/forsale/name.example">Get a price</a>',
    ),
    wall(
        "namecheap_parking",
        "Registrant WHOIS contact information verification",
        '<img src="https://parkingpage.namecheap.com/logo.png"><p>This domain is parked</p>',
    ),
    wall(
        "hugedomains",
        "Name.example is for sale | HugeDomains",
        '<h1>Name.example</h1><a href="https://www.hugedomains.com/domain_profile.cfm?d=name">Buy</a>',
    ),
    wall(
        "uniregistry_parking",
        "name.example",
        '<a href="https://uniregistry.com/market/domain/name.example">Inquire</a>',
    ),
    wall(
        "above_parking", "name.example", '<a href="https://www.above.com/marketplace/name.example">Offer</a>'
    ),
    wall(
        "porkbun_parking",
        "A Brand New Domain!",
        '<img src="https://porkbun.com/images/parked/pig.png"><h1>Congratulations! name.example is parked at Porkbun</h1>',
    ),
    wall(
        "ionos_parking",
        "name.example",
        "<p>This domain name has just been registered.</p>" + script("https://ce1.uicdn.net/ionos/p.js"),
    ),
    wall(
        "hostinger_parking",
        "Parked Domain name on Hostinger DNS system",
        "<h1>You Are All Set to Go!</h1><p>All you have to do now is upload your website files.</p>",
    ),
    wall(
        "ovh_parking",
        "Félicitations !",
        "<h1>Félicitations ! Votre domaine a bien été créé chez OVHcloud !</h1>",
    ),
    wall("gandi_parking", "name.example", "<p>This domain name has been registered with Gandi.net</p>"),
    wall(
        "regru_parking",
        "name.example",
        "<p>Домен припаркован</p>" + script("https://parking.reg.ru/script/get.js"),
    ),
    wall("loopia_parking", "Parked at Loopia", "<h1>Domain parked at Loopia</h1><p>Register domains</p>"),
    wall(
        "parking_script",
        "name.example",
        '<div id="rs"></div>' + script("https://www.google.com/adsense/domains/caf.js"),
    ),
    *[
        wall("domain_for_sale", "name.example", f"<h1>name.example</h1><p>{text}</p>")
        for text in [
            "This domain is for sale. Make an offer.",
            "Diese Domain steht zum Verkauf.",
            "Ce nom de domaine est à vendre.",
            "Este dominio está en venta.",
            "Questo dominio è in vendita.",
            "Deze domeinnaam is te koop.",
            "Домен продаётся.",
            "此域名出售",
            "このドメインは売り出し中です",
        ]
    ],
    wall("domain_registered", "name.example", "<p>Future home of something quite cool.</p>"),
    wall("domain_registered", "name.example", "<p>Hier entsteht eine neue Internetpräsenz.</p>"),
    # Servers without a site.
    wall(
        "nginx_default",
        "Welcome to nginx!",
        "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed"
        ' and working.</p><a href="http://nginx.org/">nginx.org</a>',
    ),
    wall(
        "apache_default",
        "Apache2 Ubuntu Default Page: It works",
        "<p>" + "This is the default welcome page used to test the correct operation of"
        " the Apache2 server after installation on Ubuntu systems. " * 20 + "</p>",
    ),
    Wall(signature="apache_it_works", html="<html><body><h1>It works!</h1></body></html>"),
    wall(
        "iis_default",
        "IIS Windows Server",
        '<a href="http://go.microsoft.com/?linkid=1"><img src="iisstart.png" alt="IIS"></a>',
    ),
    wall(
        "iis_under_construction",
        "Under Construction",
        "<h1>Under Construction</h1><p>The site you are trying to view does not currently have a default page. It may be in the process of being upgraded.</p>",
    ),
    wall(
        "tomcat_default",
        "Apache Tomcat/9.0.30",
        "<h2>If you're seeing this, you've successfully installed Tomcat. Congratulations!</h2>",
    ),
    wall(
        "cpanel_default",
        "Default Web Site Page",
        "<h1>Sorry!</h1><p>If you are the owner of this website, please contact your hosting provider.</p>",
    ),
    wall(
        "cpanel_default_redirect",
        "Moving",
        '<meta http-equiv="refresh" content="0;url=/cgi-sys/defaultwebpage.cgi"><p>Wait</p>',
    ),
    wall(
        "plesk_default",
        "Web Server's Default Page",
        "<h1>Web Server's Default Page</h1><p>This page is generated by Plesk, the leading hosting automation software.</p>",
    ),
    wall(
        "panel_default",
        "恭喜，站点创建成功！",
        "<h1>恭喜, 站点创建成功！</h1><p>这是默认index.html，本页面由系统自动生成</p>",
    ),
    wall(
        "lighttpd_default",
        "Placeholder page",
        "<h1>Placeholder page</h1><p>The owner of this web site has not put up any web pages yet. lighttpd is running.</p>",
    ),
    wall(
        "xampp_default",
        "Welcome to XAMPP",
        "<h1>XAMPP Apache + MariaDB + PHP + Perl</h1><p>You have successfully installed XAMPP on this system!</p>",
    ),
    wall(
        "litespeed_default",
        "Welcome to LiteSpeed Web Server",
        "<h1>Congratulations!</h1><p>LiteSpeed Web Server is running.</p>",
    ),
    wall(
        "cloud_default",
        "Microsoft Azure App Service - Welcome",
        "<h1>Your web app is running and waiting for your content</h1>",
    ),
    wall("site_not_connected", "Error", "<p>Looks like this domain isn't connected to a website yet</p>"),
    # Errors of the software behind a site.
    wall("wordpress_database", "Database Error", "<h1>Error establishing a database connection</h1>"),
    wall("wordpress_database", "Datenbankfehler", "<h1>Fehler beim Aufbau einer Datenbankverbindung</h1>"),
    wall("wordpress_error", "WordPress › Error", "<p>There has been a critical error on this website.</p>"),
    wall(
        "wordpress_error",
        "Wartung laufend",
        "<p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p>",
    ),
    wall("drupal_error", "", "The website encountered an unexpected error. Please try again later."),
    wall("joomla_error", "Error", "Error displaying the error page: Application Instantiation Error"),
    wall(
        "magento_error",
        "There has been an error processing your request",
        "<h1>There has been an error processing your request</h1><p>Error log record number: 123</p>",
    ),
    wall(
        "typo3_error",
        "TYPO3 Exception",
        "<h1>Oops, an error occurred!</h1><p>Code: 2023 More information regarding this error is available online.</p>",
    ),
    wall(
        "php_fatal",
        "",
        "<br><b>Fatal error</b>: Uncaught Error: Call to undefined function x() in /var/www/index.php on line <b>3</b>",
    ),
    wall("aspnet_error", "Runtime Error", "<h1>Server Error in '/' Application.</h1><h2>Runtime Error</h2>"),
    wall("framework_error", "Server Error (500)", "<h1>Server Error (500)</h1>"),
    wall(
        "mediawiki_error",
        "Wiki",
        "<h1>Sorry! This site is experiencing technical difficulties.</h1><p>Try waiting a few minutes and reloading.</p>",
    ),
    wall(
        "maintenance",
        "Site Maintenance",
        "<h1>We'll be back soon!</h1><p>We are performing maintenance at the moment.</p>",
    ),
    wall("maintenance", "Wartungsarbeiten", "<p>Wegen Wartung nicht erreichbar.</p>"),
    wall("maintenance", "メンテナンス中", "<p>ただいまメンテナンス中です。</p>"),
    # What a browser may pass.
    wall(
        "google_consent",
        "Before you continue to Google Search",
        "<p>We use cookies and data to deliver and maintain Google services.</p>"
        '<form action="https://consent.google.com/save"></form>',
    ),
    wall(
        "yahoo_consent",
        "Yahoo ist Teil der Yahoo-Markenfamilie",
        '<form class="consent-form" action="https://consent.yahoo.com/v2/collectConsent">'
        "<p>Wenn Sie unsere Websites und Apps nutzen, verwenden wir Cookies.</p></form>",
    ),
    wall(
        "dpg_privacy_gate",
        "Privacy Gate",
        "<p>Laden…</p>" + script("https://myprivacy.dpgmedia.nl/consent.js"),
    ),
    wall(
        "contentpass_wall",
        "Zeitung",
        "<p>Mit Werbung weiterlesen oder Abo abschließen</p>"
        + script("https://cp.zeitung.example/contentpass.js"),
    ),
    wall("consent_wall", "News", "<p>Please accept cookies to continue to our site.</p>"),
    wall("consent_wall", "Nachrichten", "<p>Wir benötigen Ihre Einwilligung, bevor Sie weiterlesen.</p>"),
    *[
        wall("enable_javascript", "App", f"<p>{text}</p>")
        for text in [
            "Please enable JavaScript to continue.",
            "Bitte aktivieren Sie JavaScript.",
            "Veuillez activer JavaScript.",
            "Por favor, habilite JavaScript.",
            "Ative o JavaScript para continuar.",
            "Attiva JavaScript per continuare.",
            "Schakel JavaScript in.",
            "Włącz JavaScript.",
            "Включите JavaScript.",
            "JavaScriptを有効にしてください。",
            "请启用JavaScript。",
            "JavaScript를 활성화하십시오.",
            "يرجى تفعيل JavaScript",
            "יש להפעיל JavaScript",
            "JavaScript'i etkinleştirin.",
            "Bật JavaScript để tiếp tục.",
        ]
    ],
    wall(
        "enable_javascript_noscript",
        "React App",
        "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>"
        + script("/static/js/main.js"),
    ),
    wall("enable_cookies", "Cookies", "<p>Please enable cookies and reload the page.</p>"),
    wall("old_browser", "Update", "<p>Your browser is not supported. Please use a recent one.</p>"),
    wall("old_browser", "Обновите", "<p>Ваш браузер устарел.</p>"),
]
