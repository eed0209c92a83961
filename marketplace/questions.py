"""What a HIT shows: an ExternalQuestion (a page elsewhere) or an HTMLQuestion (the page itself)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

import idna
from lxml import etree

from kernel.security import ORIGIN
from marketplace.errors import MarketError, parameter, request_error

BASE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
EXTERNAL = f"{{{BASE}2006-07-14/ExternalQuestion.xsd}}"
HTML = f"{{{BASE}2011-11-11/HTMLQuestion.xsd}}"
BEFORE_ROOT = re.compile(r"\ufeff?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
# Where pages made for Amazon load its script from, and where they send their forms.
S3 = r"s3[a-z0-9.-]*\.amazonaws\.com"
AMAZON_SCRIPT = re.compile(rf"(?:https?:)?//(?:{S3}/mturk-public|mturk-public\.{S3})/externalHIT_v1\.js", re.IGNORECASE)
AMAZON_SUBMIT = re.compile(
    r"(?:https?:)?//(?:www|worker|workersandbox)\.mturk\.com/mturk/externalSubmit", re.IGNORECASE
)
RELATIVE_SUBMIT = re.compile(r"""(\+\s*)?(["'])/mturk/externalSubmit\2""")
NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"
HIGHEST_FRAME = 20_000
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Question:
    """Either a URL or HTML, and the height of its frame in pixels (0 = as high as the window allows)."""

    height: int
    url: str = ""
    html: str = ""


def read_question(xml: str) -> Question:
    """Return the question; raise if it is no ExternalQuestion or HTMLQuestion as their schemas say."""
    root = _root(xml)
    names = [str(child.tag) for child in root if isinstance(child.tag, str)]
    if root.tag == f"{EXTERNAL}ExternalQuestion" and names == [f"{EXTERNAL}ExternalURL", f"{EXTERNAL}FrameHeight"]:
        return Question(_height(root[-1].text), url=_safe_url((root[0].text or "").strip()))
    if root.tag == f"{HTML}HTMLQuestion" and names == [f"{HTML}HTMLContent", f"{HTML}FrameHeight"]:
        if not (root[0].text or "").strip():
            raise parameter("The HTMLContent of the question is empty.")
        return Question(_height(root[-1].text), html=root[0].text or "")
    if root.tag.endswith(("ExternalQuestion", "HTMLQuestion")):
        raise _unreadable("The question's elements or namespace do not follow its schema.")
    raise parameter("Question must be an ExternalQuestion or an HTMLQuestion; this marketplace shows no other kind.")


def frame_url(url: str, *, assignment: str, hit: str, worker: str, submit_to: str) -> str:
    """Return the address of an ExternalQuestion with the protocol's parameters appended to its own."""
    parameters = {"assignmentId": assignment, "hitId": hit, "workerId": worker, "turkSubmitTo": submit_to}
    parts = urlsplit(url)
    query = "&".join(text for text in (parts.query, urlencode({k: v for k, v in parameters.items() if v})) if text)
    return urlunsplit(parts._replace(query=query))


def frames(question: Question) -> tuple[str, ...]:
    """Return the origins that a page with this question shows in frames: ours, and that of an ExternalQuestion.

    A policy cannot name an IPv6 address, so http://[::1] is shown only where it is our own origin.
    """
    parts = urlsplit(question.url)
    origin = f"{parts.scheme}://{parts.netloc}"
    return ("'self'", origin) if ORIGIN.fullmatch(origin) else ("'self'",)


def with_own_addresses(html: str, *, script: str, submit: str) -> str:
    """Return the page of an HTMLQuestion with our own script and submit address in place of Amazon's.

    A relative submit address stays where the page appends it to another, as to its turkSubmitTo.
    """
    html = AMAZON_SCRIPT.sub(lambda _: script, html)
    html = AMAZON_SUBMIT.sub(lambda _: submit, html)
    return RELATIVE_SUBMIT.sub(lambda match: match[0] if match[1] else f"{match[2]}{submit}{match[2]}", html)


def _root(xml: str) -> etree._Element:
    start = BEFORE_ROOT.match(xml)
    if xml.startswith("<!DOCTYPE", start.end() if start else 0):
        raise _unreadable("The question may not contain a DTD.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(xml.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _unreadable(f"The question is not well-formed XML: {error}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _unreadable("The question may not contain a DTD.")
    return root


def _height(text: str | None) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", (text or "").strip()) or int(text or 0) > HIGHEST_FRAME:
        raise _unreadable(f"FrameHeight must be a whole number of pixels from 0 to {HIGHEST_FRAME}.")
    return int(text or 0)


def _safe_url(url: str) -> str:
    """Return the URL with its host in ASCII; raise unless it may be framed: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host, port = _ascii_host(parts.hostname or ""), parts.port
    except ValueError:
        raise _not_absolute() from None
    if port == 0 or "@" in parts.netloc or re.search(r"[\s\x00-\x1f\"<>\\]", url):
        raise _not_absolute()
    if parts.scheme == "http" and host and host not in THIS_MACHINE:
        raise parameter(
            "ExternalURL must use https; http is allowed only for this machine (localhost, 127.0.0.1, ::1)."
        )
    place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    if host != "::1" and not ORIGIN.fullmatch(f"{parts.scheme}://{place}"):
        raise _not_absolute()
    return urlunsplit(parts._replace(netloc=place))


def _ascii_host(host: str) -> str:
    """Return an international host as browsers write it; raise a ValueError if it is none."""
    return host if host.isascii() else idna.encode(host, uts46=True).decode()


def _not_absolute() -> MarketError:
    return parameter("ExternalURL must be an absolute https address, with a host of letters, digits, hyphens and dots.")


def _unreadable(message: str) -> MarketError:
    return request_error("XMLParseError", message)
