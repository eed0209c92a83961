"""Reads XML that a requester sends: no DTD, no entities, no network; every error names its line."""

from __future__ import annotations

import re
from difflib import get_close_matches

from lxml import etree

BASE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
BEFORE_ROOT = re.compile(r"\ufeff?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
LONGEST_TEXT = 80  # characters of a requester's text that an error repeats


class BadTest(Exception):
    """XML that cannot be used; the text says in which document, on which line, and what is wrong."""

    def __init__(self, document: str, line: int, problem: str) -> None:
        self.line = line
        super().__init__(f"{document}, line {line}: {problem}")


class Part:
    """An element of a document: its children, text and attributes, with errors that name its line."""

    def __init__(self, document: str, element: etree._Element) -> None:
        self.document, self.element = document, element
        qualified = etree.QName(element)
        self.namespace, self.name = qualified.namespace or "", qualified.localname

    @property
    def line(self) -> int:
        return line_of(self.element)

    def wrong(self, problem: str) -> BadTest:
        return BadTest(self.document, self.line, problem)

    def parts(self, *names: str) -> list[Part]:
        """Return the child elements; raise unless their names are among these, and no text is between them."""
        self._check_no_text_between()
        children = [Part(self.document, child) for child in self.element if isinstance(child.tag, str)]
        for child in children:
            if child.name not in names or child.namespace != self.namespace:
                raise child.wrong(f"<{child.name}> cannot be in <{self.name}>. {_advice(child, self, names)}")
        return children

    def in_order(self, *names: str) -> dict[str, Part]:
        """Return the child elements by name. They come in this order; those that end with “?” may be left out."""
        order = [name.rstrip("?") for name in names]
        children = self.parts(*order)
        by_name: dict[str, Part] = {}
        last = -1
        for child in children:
            if child.name in by_name:
                raise child.wrong(f"<{self.name}> has a second <{child.name}>.")
            if order.index(child.name) < last:
                raise child.wrong(f"<{child.name}> is in the wrong place: <{self.name}> has {', '.join(order)}.")
            last = order.index(child.name)
            by_name[child.name] = child
        for name in names:
            if not name.endswith("?") and name not in by_name:
                raise self.wrong(f"<{self.name}> needs a <{name}>.")
        return by_name

    def text(self, most: int = 65_535) -> str:
        """Return the text, which has no elements in it."""
        for child in self.element:
            if isinstance(child.tag, str):
                name = etree.QName(child).localname
                raise Part(self.document, child).wrong(
                    f"<{self.name}> contains text only, not <{name}>. Write < as &lt; if it belongs to the text."
                )
        text = text_of(self.element)
        if len(text) > most:
            raise self.wrong(f"<{self.name}> has more than {most} characters.")
        return text

    def name_text(self) -> str:
        """Return the text of an identifier: not empty, at most 200 characters."""
        text = self.text(200).strip()
        if not text:
            raise self.wrong(f"<{self.name}> is empty.")
        return text

    def number(self, low: int, high: int) -> int:
        return whole(self, f"<{self.name}>", self.text(), low, high)

    def attributes(self, *names: str) -> dict[str, str]:
        """Return the attributes; raise if there are others."""
        values = {str(name): str(value) for name, value in self.element.attrib.items()}
        for name in values:
            if name not in names:
                known = f"It has {', '.join(names)}." if names else "It has none."
                raise self.wrong(f"<{self.name}> has no attribute {name}. {known}")
        return values

    def _check_no_text_between(self) -> None:
        texts = [self.element.text, *(child.tail for child in self.element)]
        for text in texts:
            if text and text.strip():
                raise self.wrong(f"<{self.name}> has text between its elements: “{shortened(text)}”.")


def read_root(document: str, xml: str, name: str) -> Part:
    """Return the root, if it has this name in a namespace of Amazon's schema of that name."""
    root = Part(document, _parse(document, xml))
    if root.name != name:
        raise root.wrong(f"the document is a <{root.name}>; a <{name}> is needed.")
    if not re.fullmatch(rf"{re.escape(BASE)}\d{{4}}-\d\d-\d\d/{name}\.xsd", root.namespace):
        wanted = f"{BASE}{'2017-11-06' if name == 'QuestionForm' else '2005-10-01'}/{name}.xsd"
        where = f"in the namespace “{shortened(root.namespace)}”" if root.namespace else "in no namespace"
        raise root.wrong(f'<{name}> is {where}. Write <{name} xmlns="{wanted}">.')
    return root


def whole(part: Part, what: str, text: str, low: int, high: int) -> int:
    """Return a whole number within these limits."""
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,12}\s*", text, re.ASCII) or not low <= int(text) <= high:
        raise part.wrong(f"{what} is “{shortened(text)}”; it must be a whole number from {low} to {high}.")
    return int(text)


def line_of(element: etree._Element) -> int:
    return int(str(element.sourceline))


def text_of(element: etree._Element) -> str:
    """Return all text of an element."""
    return "".join(map(str, element.itertext()))


def shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def _parse(document: str, xml: str) -> etree._Element:
    start = BEFORE_ROOT.match(xml)
    if xml.startswith("<!DOCTYPE", start.end() if start else 0):
        line = xml.count("\n", 0, start.end() if start else 0) + 1
        raise BadTest(document, line, "it may not contain a document type (<!DOCTYPE), and so no entities of its own.")
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(xml.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise BadTest(document, error.lineno or 1, f"it is not well-formed XML: {error.msg}.") from None
    except ValueError as error:
        raise BadTest(document, 1, f"it is not well-formed XML: {error}.") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadTest(document, 1, "it may not contain a document type (<!DOCTYPE), and so no entities of its own.")
    return root


def _advice(child: Part, parent: Part, names: tuple[str, ...]) -> str:
    if child.name in names:
        return f"Its namespace is not that of <{parent.name}>."
    if close := get_close_matches(child.name, names, n=1):
        return f"Did you mean <{close[0]}>?"
    return f"It can contain {', '.join(names)}." if names else "It is empty."
