"""Formatted content: the subset of XHTML that requesters may write, checked, and written anew as safe HTML.

Only elements and attributes named here reach the page. Elements that only change the look (font, center, big) lose
their tag and keep their content; attributes without a meaning here are dropped. Pictures are refused: a page of this
installation loads nothing from another host.
"""

from __future__ import annotations

import re
from html import escape
from html.entities import html5

from lxml import etree

from marketplace.qualification_tests.reading import BadTest, Part, line_of, text_of

TABLE = "align bgcolor char charoff valign width"
CELL = f"{TABLE} abbr axis colspan headers height nowrap rowspan scope"
ATTRIBUTES: dict[str, str] = {
    "a": "accesskey charset coords href hreflang name rel rev shape tabindex target type",
    "b": "", "big": "", "blockquote": "cite", "br": "", "center": "", "cite": "", "code": "",
    "col": f"{TABLE} span", "colgroup": f"{TABLE} span", "dd": "", "del": "cite datetime", "dl": "", "dt": "", "em": "",
    "font": "color face size", "h1": "align", "h2": "align", "h3": "align", "h4": "align", "h5": "align", "h6": "align",
    "hr": "align noshade size width", "i": "", "ins": "cite datetime", "li": "type value", "ol": "compact start type",
    "p": "align", "pre": "width", "q": "cite", "small": "", "strong": "", "sub": "", "sup": "",
    "table": "align bgcolor border cellpadding cellspacing frame rules summary width", "tbody": TABLE, "td": CELL,
    "tfoot": TABLE, "th": CELL, "thead": TABLE, "tr": TABLE, "u": "", "ul": "compact type",
}  # fmt: skip
EVERYWHERE = {"title", "dir", "lang"}
PICTURES = {"img", "map", "area"}
LOOK_ONLY = {"big", "center", "font", "col", "colgroup"}  # their content is kept, their tag is not
EMPTY = {"br", "hr"}
KEPT = {"title", "dir", "lang", "href", "colspan", "rowspan", "scope", "start", "value"}
NUMBERS = {"colspan", "rowspan", "start", "value"}
ADDRESS = re.compile(r"(?:https?|ftp|mailto|news|nntp|gopher|telnet):[^\x00-\x20\"<>\\]*", re.IGNORECASE)
ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
XML_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}
DEEPEST = 50


def safe_html(part: Part, first_heading: int | None) -> str:
    """Return the content of a FormattedContent as HTML. Its headings begin at this level; in a label there are none."""
    root = _parse(part)
    _check(part, root, 0)
    levels = sorted({int(child.tag[1]) for child in root.iter() if _is_heading(child)})
    names = {
        f"h{level}": f"h{min(first_heading + rank, 6)}" if first_heading else "strong"
        for rank, level in enumerate(levels)
    }
    return "".join(_written(root, names)).strip()


def plain_text(html: str) -> str:
    """Return the text of a safe_html, for a list that shows text only."""
    root = etree.fromstring(f"<all>{html}</all>".encode(), _parser())
    return " ".join(text_of(root).split())


def _parse(part: Part) -> etree._Element:
    markup = ENTITY.sub(_character, part.text())
    try:
        return etree.fromstring(f"<all>{markup}</all>".encode(), _parser())
    except etree.XMLSyntaxError as error:
        problem = f"the XHTML of <{part.name}> is not well-formed: {error.msg}."
        raise BadTest(part.document, part.line + (error.lineno or 1) - 1, problem) from None


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


def _character(match: re.Match[str]) -> str:
    """Return the character of an entity of HTML, such as &nbsp;; XML's own five stay."""
    name = match[1]
    return match[0] if name in XML_ENTITIES else html5.get(f"{name};", match[0])


def _check(part: Part, element: etree._Element, depth: int) -> None:
    if depth > DEEPEST:
        raise _wrong(part, element, f"more than {DEEPEST} elements are within each other")
    for child in element:
        if not isinstance(child.tag, str):
            raise _wrong(part, child, "comments and processing instructions are not allowed")
        name = child.tag
        if name in PICTURES:
            raise _wrong(part, child, f"<{name}> is not supported: this marketplace shows no pictures of other hosts")
        if name not in ATTRIBUTES:
            raise _wrong(part, child, f"<{name}> is not allowed")
        for attribute in map(str, child.attrib):
            if attribute not in {*ATTRIBUTES[name].split(), *EVERYWHERE}:
                raise _wrong(part, child, f"<{name}> may not have the attribute {attribute}")
        if "href" in child.attrib and not ADDRESS.fullmatch(str(child.get("href"))):
            raise _wrong(part, child, "the address of a link begins with https:, http: or mailto:")
        if name in EMPTY and (len(child) or (child.text or "").strip()):
            raise _wrong(part, child, f"<{name}/> has no content")
        _check(part, child, depth + 1)


def _wrong(part: Part, element: etree._Element, problem: str) -> BadTest:
    line = part.line + line_of(element) - 1
    return BadTest(part.document, line, f"{problem} in the XHTML of <{part.name}>.")


def _is_heading(element: etree._Element) -> bool:
    return bool(re.fullmatch("h[1-6]", str(element.tag)))


def _written(element: etree._Element, names: dict[str, str]) -> list[str]:
    """Return the content of an element as HTML."""
    written = [escape(element.text or "")]
    for child in element:
        name = names.get(str(child.tag), str(child.tag))
        if name in EMPTY:
            written.append(f"<{name}>")
        elif name in LOOK_ONLY:
            written.extend(_written(child, names))
        else:
            written.extend([f"<{name}{_attributes(child)}>", *_written(child, names), f"</{name}>"])
        written.append(escape(child.tail or ""))
    return written


def _attributes(element: etree._Element) -> str:
    values = {str(name): str(value) for name, value in element.attrib.items() if name in KEPT}
    for name in NUMBERS & set(values):
        if not re.fullmatch("[0-9]{1,3}", values[name]):
            del values[name]
    if "href" in values:
        values |= {"rel": "noopener noreferrer nofollow", "target": "_blank"}
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items())
