"""NITF, the XML format of news agencies and of the New York Times Annotated Corpus (LDC2008T19).

Reads the LDC folders (data/YYYY/MM/DD/ID.xml), their monthly .tgz files without unpacking them, and any other folder,
archive or file of NITF, with or without a namespace. The remote DTD is never fetched; entities are never expanded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from lxml import etree

from corpus.article_tags import INLINE
from corpus.articles import EntityType, SourceArticle, Tag
from corpus.recognition import clean_name
from corpus.sources.base import Document
from corpus.sources.files import DocumentSource
from corpus.sources.texts import clean, clean_all
from kernel.errors import InvalidInput

ENTITY_TYPES = {"person": EntityType.PERSON, "location": EntityType.LOCATION, "org": EntityType.ORGANIZATION}
PARAGRAPHS = frozenset({"p", "li", "dt", "dd", "pre", "hl2", "credit"})
ASIDES = frozenset({"media", "table", "nitf-table", "fn", "note", "datasource"})
NOT_TEXT = ASIDES | {"byline", "dateline", "credit"}
TEXTS = ("body/body.content", "body/body.head/abstract")
BYLINE_PARTS = frozenset({*ENTITY_TYPES, "byttl", "virtloc"})
BLOCKS = PARAGRAPHS | ASIDES | {"block", "bq", "ul", "ol", "dl"}
LEAD_MARK = re.compile(r"LEAD:\s*")  # until 1990 the Times repeated the lead, marked like this, before the text
ENTITIES = "the file declares XML entities, which are never expanded"
DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")  # 20070201, 20070201T000000, 2007-02-01

_PARSER = etree.XMLParser(
    resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
)


def parse_nitf(document: Document) -> SourceArticle:
    """Return the article of a NITF document, or raise InvalidInput. Without a doc-id, the file name is its id."""
    root = _tree(document.content)
    metas = {meta.get("name", ""): clean(meta.get("content", "")) for meta in root.iterfind("head/meta")}
    body_head = _part(root, "body/body.head")
    headline = _first(body_head, "hedline/hl1", "headline/hl1", "hedline", "headline")
    lead, paragraphs = _lead_and_body(_part(root, "body/body.content"))
    article = SourceArticle(
        source_id=_attribute(root, "head/docdata/doc-id", "id-string") or document.name.rpartition("/")[2],
        title=_first(_part(root, "head"), "title") or headline,
        paragraphs=paragraphs,
        abstract=" ".join(clean_all(_paragraphs(_part(body_head, "abstract")))),
        headline=headline,
        lead=lead,
        byline=_byline(body_head),
        desk=metas.get("dsk", ""),
        published=_published(root, metas),
        tags=_tags(root),
        where=document.where,
    )
    if not (article.title or article.paragraphs):
        raise InvalidInput("this NITF document has neither a title nor text")
    return article


def _tree(content: bytes) -> etree._Element:
    if not content.strip():
        raise InvalidInput("the file is empty")
    if b"<!ENTITY" in content.replace(b"\0", b""):  # without the zeros, UTF-16 looks like ASCII
        raise InvalidInput(ENTITIES)
    try:
        root = etree.fromstring(content, _PARSER)
    except etree.XMLSyntaxError as error:
        raise InvalidInput(f"this is not well-formed XML ({clean(error.msg or 'unknown error')})") from error
    dtd: Any = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(dtd.iterentities()):  # an encoding such as UTF-7 hides them from the search above
        raise InvalidInput(ENTITIES)
    for element in root.iter("*"):
        if element.tag[0] == "{":
            element.tag = element.tag.rpartition("}")[2]
    if root.tag != "nitf":
        raise InvalidInput(f"this is not NITF: its outermost element is <{clean(root.tag)[:80]}>, not <nitf>")
    return root


def _part(parent: etree._Element, path: str) -> etree._Element:
    """Return the first element at a path, or an empty one."""
    element = parent.find(path)
    return element if element is not None else etree.Element("missing")


def _lead_and_body(content: etree._Element) -> tuple[str, tuple[str, ...]]:
    """Return the lead, and the body, which contains the lead once. Corrections belong to neither."""
    # The second repeats the first in curly quotes.
    leads: dict[str, list[str]] = {"lead_paragraph": [], "online_lead_paragraph": []}
    body: list[str] = []
    has_full_text = False
    for child in content:
        block = child.get("class", "") if child.tag == "block" else ""
        if block in leads:
            leads[block] += _paragraphs(child)
        elif block != "correction_text":
            body += _paragraphs(child)
            has_full_text = has_full_text or block == "full_text"
        if child.get("lede") == "true":
            leads["lead_paragraph"].append(_text(child))
    lead = clean_all(leads["lead_paragraph"] or leads["online_lead_paragraph"])
    paragraphs = clean_all(body)
    if not has_full_text:  # only full_text is known to repeat the lead
        paragraphs = tuple(text for text in lead if text not in paragraphs) + paragraphs
    return LEAD_MARK.sub("", " ".join(lead), count=1), _without_marked_lead(paragraphs)


def _without_marked_lead(paragraphs: tuple[str, ...]) -> tuple[str, ...]:
    if not paragraphs or not (mark := LEAD_MARK.match(paragraphs[0])):
        return paragraphs
    lead, rest = paragraphs[0][mark.end() :], paragraphs[1:]
    is_repeated = " ".join(rest).casefold().startswith(lead.casefold())
    return rest if is_repeated else clean_all((lead, *rest))


def _paragraphs(element: etree._Element) -> Iterator[str]:
    if _is_reference(element) or element.tag in ASIDES:
        return
    if element.tag in PARAGRAPHS or not any(child.tag in BLOCKS for child in element):
        yield _text(element)
        return
    yield element.text or ""
    for child in element:
        yield from _paragraphs(child)


def _text(element: etree._Element) -> str:
    """Return running text without its markup."""
    return "".join(_pieces(element)) if len(element) else element.text or ""


def _pieces(element: etree._Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if _is_reference(child):
            yield html.unescape(child.text or "")
        elif child.tag not in ASIDES:
            yield " " if child.tag == "br" or child.tag in BLOCKS else ""
            yield from _pieces(child)
        yield child.tail or ""


def _is_reference(node: etree._Element) -> bool:
    """Return whether a node is an entity of the DTD that we never fetch (such as &mdash;) rather than an element."""
    return not isinstance(node.tag, str)


def _first(parent: etree._Element, *paths: str) -> str:
    return next((text for path in paths if (text := clean(_text(_part(parent, path))))), "")


def _attribute(root: etree._Element, path: str, name: str) -> str:
    return clean(_part(root, path).get(name, ""))


def _byline(body_head: etree._Element) -> str:
    """Return the printed byline, or else that of the index; several of one kind are joined."""
    for path in ("byline[@class='print_byline']", "byline[@class='normalized_byline']", "byline"):
        if texts := clean_all(map(_byline_text, body_head.iterfind(path))):
            return "; ".join(texts)
    return ""


def _byline_text(byline: etree._Element) -> str:
    """Return the text of a byline, with commas where only markup separates names, a title, paper and place."""
    text, is_after_part = byline.text or "", False
    for child in byline:
        is_part = child.tag in BYLINE_PARTS
        if child.tag == "byttl" or (is_part and is_after_part):
            text = text.rstrip()
            text += ", " if text and text[-1] not in ",;:" else " "
        text += html.unescape(child.text or "") if _is_reference(child) else _text(child)
        text += child.tail or ""
        is_after_part = is_part and not (child.tail or "").strip()
    return text


def _tags(root: etree._Element) -> tuple[Tag, ...]:
    """Return the names in the index, followed by those marked in running text, without duplicates."""
    tags: dict[Tag, None] = {}
    for element in root.iterfind("head/docdata/identified-content/*"):
        entity_type = None if _is_reference(element) else ENTITY_TYPES.get(element.tag)
        text = clean(" ".join(_pieces(element)))  # with spaces: an entry may consist of <city> and <country>
        if entity_type and text:
            tags[Tag(text, entity_type, clean(element.get("class", "")) or "nitf")] = None
    return *tags, *_inline_tags(root)


def _inline_tags(root: etree._Element) -> Iterator[Tag]:
    """Yield the names marked in running text, without surnames of people whose full names are marked too."""
    marked = (element for path in TEXTS for text in root.iterfind(path) for element in text.iter(*ENTITY_TYPES))
    names = dict.fromkeys(
        (clean_name(clean(_text(element))), ENTITY_TYPES[element.tag])
        for element in marked
        if not any(parent.tag in NOT_TEXT for parent in element.iterancestors())
    )
    surnames = {name.split()[-1] for name, type in names if type is EntityType.PERSON and " " in name}
    for name, type in names:
        if name and not (type is EntityType.PERSON and name in surnames):
            yield Tag(name, type, INLINE)


def _published(root: etree._Element, metas: dict[str, str]) -> date | None:
    norms = (
        _attribute(root, "head/pubdata", "date.publication"),
        _attribute(root, "head/docdata/date.issue", "norm"),
        _attribute(root, "head/docdata/date.release", "norm"),
    )
    candidates = (
        [metas.get(f"publication_{part}", "") for part in ("year", "month", "day_of_month")],
        *(digits.groups() for norm in norms if (digits := DATE.match(norm))),
    )
    return next((day for parts in candidates if (day := _date(parts))), None)


def _date(parts: Iterable[str]) -> date | None:
    try:
        return date(*map(int, parts))
    except (ValueError, OverflowError):
        return None


NITF = DocumentSource("nitf", (".xml", ".nitf"), parse_nitf)
