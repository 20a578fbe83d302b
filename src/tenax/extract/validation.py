"""Decides whether an answer that is called a page is one. Pure.

A rejected page is lost to the user, a wall that passes is only noise: each signature needs several signs, and
an article about captchas has a text that no wall has. Most pages are dismissed after a look at their length,
title and headers.
"""

from collections.abc import Mapping
from typing import Final

from tenax.config.crawl import ValidationSettings
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.signatures import (
    SEARCHED_BYTES,
    SHORT_CHARS,
    Signature,
    Signatures,
    check_signature,
    compile_html,
    compile_text,
    fold_title,
    load_signatures,
)
from tenax.extract.text import read_text
from tenax.record import record
from tenax.records.pages import PageContent
from tenax.records.urls import RejectionReason, ValidationStatus
from tenax.web.documents import Document, select

TOO_SMALL: Final = "min_bytes"
NO_PARAGRAPHS: Final = "require_paragraphs"
SCRIPTS_ONLY: Final = "reject_scripts_only"

# Something to show or to follow, besides text.
_SHOWN: Final = "a, img, picture, video, audio, canvas, svg, iframe, frame, object, embed, form"
_FIELDS: Final = (
    b"<textarea",
    b'type="text"',
    b'type="email"',
    b'type="password"',
    b"type=text",
    b"type=email",
)


@record
class Rejection:
    """An answer that is no page. A valid one has no verdict."""

    reason: RejectionReason
    signature: str
    detail: str
    vendor: str | None = None

    @property
    def status(self) -> ValidationStatus:
        return self.reason.status


@record
class AnswerFacts:
    """What is known of an answer besides its document."""

    body: bytes
    headers: Mapping[str, str]  # names in lower case
    links: int  # that were found in it


@record
class Validator:
    signatures: Signatures
    ignored: frozenset[str]
    min_bytes: int
    requires_paragraphs: bool
    rejects_scripts_only: bool

    @classmethod
    def build(cls, settings: ValidationSettings) -> "Validator | None":
        """None: everything is a page. Raises ConfigError for an unknown signature."""
        if not settings.enabled:
            return None
        for name in settings.ignore:
            check_signature(name)
        return cls(
            signatures=load_signatures(),
            ignored=frozenset(settings.ignore),
            min_bytes=settings.min_bytes,
            requires_paragraphs=settings.require_paragraphs,
            rejects_scripts_only=settings.reject_scripts_only,
        )

    def validate(
        self,
        answer: AnswerFacts,
        document: Document,
        content: PageContent,
        profile: ExtractionProfile = WHOLE_PAGE,
    ) -> Rejection | None:
        """None: it is valid."""
        signatures = self.signatures
        title = fold_title(content.title)
        is_short = len(content.text) <= SHORT_CHARS
        if (
            is_short or title in signatures.titles or not signatures.header_names.isdisjoint(answer.headers)
        ) and (found := self._find(answer, document, content, profile, title)) is not None:
            return found
        if len(answer.body) < self.min_bytes:
            return _break_rule(TOO_SMALL, f"its {len(answer.body):,} bytes are fewer than {self.min_bytes:,}")
        if self.requires_paragraphs and not document.tree.tags("p"):
            return _break_rule(NO_PARAGRAPHS, "it has no paragraphs")
        if self.rejects_scripts_only and not content.text and _is_only_scripts(document):
            return Rejection(
                reason=RejectionReason.NEEDS_RENDERING,
                signature=SCRIPTS_ONLY,
                detail="it holds scripts and nothing to show",
            )
        return None

    def _find(
        self,
        answer: AnswerFacts,
        document: Document,
        content: PageContent,
        profile: ExtractionProfile,
        title: str,
    ) -> Rejection | None:
        """The first signature that matches. A profile may have selected a part of the text: all counts."""
        is_part = bool(profile.only or profile.without)
        text = read_text(document.tree) if is_part else content.text
        signs = _Signs(
            title=title,
            text=text.replace("\n", " ").casefold(),
            html=answer.body[:SEARCHED_BYTES].lower(),
            headers=answer.headers,
            links=answer.links,
        )
        if not self._may_match(signs):
            return None
        for signature in self.signatures.items:
            if signs.match(signature) and signature.name not in self.ignored:
                return Rejection(
                    reason=signature.reason,
                    signature=signature.name,
                    detail=signature.about,
                    vendor=signature.vendor,
                )
        return None

    def _may_match(self, signs: "_Signs") -> bool:
        signatures = self.signatures
        return (
            signs.title in signatures.titles
            or not signatures.header_names.isdisjoint(signs.headers)
            or compile_html()(signs.html) is not None
            or compile_text()(signs.text[:SEARCHED_BYTES].encode("utf-8", "replace")) is not None
        )


@record
class _Signs:
    """What signatures are compared with, in lower case."""

    title: str
    text: str
    html: bytes
    headers: Mapping[str, str]
    links: int

    def match(self, signature: Signature) -> bool:
        """Cheap conditions first."""
        return (
            len(self.text) <= signature.most_chars
            and self.links <= signature.most_links
            and (not signature.titles or self.title in signature.titles)
            and (not signature.headers or _has_header(self.headers, signature))
            and (not signature.html or self._has_markup(signature.html))
            and (not signature.html_too or self._has_markup(signature.html_too))
            and (not signature.text or any(part in self.text for part in signature.text))
            and (not signature.text_too or any(part in self.text for part in signature.text_too))
            and (not signature.text_is or self.text in signature.text_is)
            and (not signature.text_starts or self.text.startswith(signature.text_starts))
            and not (signature.is_formless and any(field in self.html for field in _FIELDS))
        )

    def _has_markup(self, markers: tuple[bytes, ...]) -> bool:
        """What can be read on a page is quoted."""
        return any(marker in self.html and marker.decode() not in self.text for marker in markers)


def name_vendor(headers: Mapping[str, str], body: bytes) -> str | None:
    """The vendor of the bot check or of the firewall that answered an error, from what is not read as a
    page."""
    html = body[:SEARCHED_BYTES].lower()
    for signature in load_signatures().items:
        if signature.vendor is None or signature.titles:
            continue
        if signature.headers and _has_header(headers, signature):
            return signature.vendor
        markers = signature.html or tuple(part.encode() for part in signature.text)
        if any(marker in html for marker in markers):
            return signature.vendor
    return None


def _has_header(headers: Mapping[str, str], signature: Signature) -> bool:
    return any(part in headers.get(name, "\0").lower() for name, part in signature.headers)


def _break_rule(rule: str, detail: str) -> Rejection:
    return Rejection(reason=RejectionReason.NO_CONTENT, signature=rule, detail=detail)


def _is_only_scripts(document: Document) -> bool:
    tree = document.tree
    if not tree.tags("script") or select(tree, _SHOWN) or _is_refreshed(document):
        return False
    return not read_text(tree)  # all of it, whatever a profile selects


def _is_refreshed(document: Document) -> bool:
    """Whether it leads to another page by itself."""
    return any((meta.get("http-equiv") or "").lower() == "refresh" for meta in document.metas)
