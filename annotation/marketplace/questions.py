"""What a HIT shows: an ExternalQuestion (a page elsewhere) or an HTMLQuestion (the page itself)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit, urlunsplit

from lxml import etree

from annotation.marketplace.errors import MarketError, parameter, request_error

BASE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
EXTERNAL = f"{{{BASE}2006-07-14/ExternalQuestion.xsd}}"
HTML = f"{{{BASE}2011-11-11/HTMLQuestion.xsd}}"
BEFORE_ROOT = re.compile(r"\ufeff?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"
HIGHEST_FRAME = 20_000


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
    """Return a URL that may be framed: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        is_here = parts.hostname == "localhost" or (parts.hostname is not None and _is_loopback(parts.hostname))
        is_fine = bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        is_fine = is_here = False
        parts = urlsplit("")
    if not is_fine or re.search(r"[\s\x00-\x1f\"<>\\]", url) or parts.scheme not in ("https", "http"):
        raise parameter("ExternalURL must be an absolute https address.")
    if parts.scheme == "http" and not is_here:
        raise parameter(
            "ExternalURL must use https; http is allowed only for this machine (localhost, 127.0.0.1, ::1)."
        )
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _unreadable(message: str) -> MarketError:
    return request_error("XMLParseError", message)
