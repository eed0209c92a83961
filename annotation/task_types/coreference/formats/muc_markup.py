"""The characters of SGML: tags, attributes and entities, and the text that is left without them.

The text of a document is what stands between its tags, with five entities (amp, lt, gt, quot, apos) and numbers
decoded, CR LF as one LF, and without the name in DOCID or DOCNO. Other entities stay as they stand, and none is ever
expanded, so a definition of entities is skipped. `Markup.source_start` and `source_end` lead back into the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

NAMES = {"DOCID", "DOCNO"}  # elements that hold the name of the document
OWN = ("ID", "TYPE", "REF", "MIN", "STATUS", "STAT")  # the attributes of MUC-6, with an old name of STATUS
CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
ENTITY = r"&(?:(?P<entity>amp|lt|gt|quot|apos)|\#(?P<decimal>[0-9]{1,7})|\#[xX](?P<hex>[0-9a-fA-F]{1,6}));"
SPECIAL = re.compile(
    rf"""(?P<skipped><!--|<!(?=[A-Za-z])|<\?)
    |<(?P<slash>/?)(?P<name>[A-Za-z][\w.:-]*+)(?=[\s/>])
        (?P<inside>(?:=\s*+"[^"<]*+"|=\s*+'[^'<]*+'|[^<>"'=]|=(?!\s*["']))*+)>
    |<(?P<odd_slash>/?)(?P<odd_name>COREF)\b(?P<odd_inside>[^<>]*+)>
    |{ENTITY}
    |(?P<crlf>\r\n)""",
    re.VERBOSE | re.IGNORECASE,
)
ENTITIES = re.compile(ENTITY)
ATTRIBUTE = re.compile(r"""(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]*))""")


@dataclass(frozen=True, slots=True)
class MarkupTag:
    name: str  # in capitals
    is_end: bool
    start: int  # in the source
    end: int
    offset: int  # in the text
    inside: str  # what follows the name


@dataclass
class Markup:
    """The text of a document, its tags, and the runs of characters of which it is made."""

    text: str = ""
    tags: list[MarkupTag] = field(default_factory=list)
    name: str = ""
    offsets: list[int] = field(default_factory=list)  # where a run begins in the text
    runs: list[tuple[int, int]] = field(default_factory=list)  # and where it stands in the source
    plain: list[bool] = field(default_factory=list)  # whether it stands there as it is

    def source_start(self, offset: int) -> int:
        """Return where a character of the text begins in the source."""
        at = bisect_right(self.offsets, offset) - 1
        return self.runs[at][0] + (offset - self.offsets[at] if self.plain[at] else 0)

    def source_end(self, offset: int) -> int:
        """Return where the character before an offset ends in the source."""
        at = bisect_right(self.offsets, offset - 1) - 1
        return self.runs[at][0] + offset - self.offsets[at] if self.plain[at] else self.runs[at][1]


def scan(source: str, start: int, end: int) -> Markup:
    """Return what stands between two positions of a source."""
    markup = Markup()
    texts: list[str] = []
    names: list[list[str]] = []
    length, in_name = 0, False
    for begin, stop, characters, tag in runs(source, start, end):
        if tag:
            is_end, name, inside = tag
            markup.tags.append(MarkupTag(name, is_end, begin, stop, length, inside))
            if name != "COREF":  # a DOCID that is never closed must not swallow the document
                in_name = name in NAMES and not is_end
                names += [[]] if in_name else []
        elif in_name:
            names[-1].append(characters)
        else:
            markup.offsets.append(length)
            markup.runs.append((begin, stop))
            markup.plain.append(len(characters) == stop - begin)
            texts.append(characters)
            length += len(characters)
    markup.text = "".join(texts)
    markup.name = next((name for parts in names if (name := " ".join("".join(parts).split()))), "")
    return markup


Run = tuple[int, int, str, tuple[bool, str, str] | None]


def runs(source: str, start: int, end: int) -> Iterator[Run]:
    """Yield (begin, end, characters, None) for text and (begin, end, "", (is_end, name, inside)) for each tag."""
    position, plain = start, start
    ends = {"-->": True, "]": True, ">": True}  # what may still follow: a search in vain is not repeated
    while match := SPECIAL.search(source, position, end):
        position = match.end()
        if match["skipped"] and not (position := end_of_skipped(source, match, end, ends)):
            position = match.end()
            continue
        if match.start() > plain:
            yield plain, match.start(), source[plain : match.start()], None
        plain = position
        if name := match["name"] or match["odd_name"]:
            inside = match["inside"] if match["name"] else match["odd_inside"]
            slash = match["slash"] or match["odd_slash"]
            yield match.start(), position, "", (bool(slash), name.upper(), inside)
        elif not match["skipped"]:
            yield match.start(), position, character(match), None
    if plain < end:
        yield plain, end, source[plain:end], None


def end_of_skipped(source: str, match: re.Match[str], end: int, ends: dict[str, bool]) -> int:
    """Return where a comment, a declaration or an instruction ends; 0 if it does not."""
    position = match.end()
    if match["skipped"] == "<!--":
        return search(source, "-->", position, end, ends)
    closing = search(source, ">", position, end, ends)
    bracket = source.find("[", position, closing) if closing and match["skipped"] == "<!" else -1
    if bracket >= 0:
        inside = search(source, "]", bracket, end, ends)
        closing = search(source, ">", inside, end, ends) if inside else closing
    return closing


def search(source: str, closing: str, position: int, end: int, ends: dict[str, bool]) -> int:
    at = source.find(closing, position, end) if ends[closing] else -1
    ends[closing] = at >= 0
    return at + len(closing) if at >= 0 else 0


def character(match: re.Match[str]) -> str:
    """Return the character an entity stands for, the entity itself if that is none, and LF for CR LF."""
    if "crlf" in match.re.groupindex and match["crlf"]:
        return "\n"
    if match["entity"]:
        return CHARACTERS.get(match["entity"], match[0])
    code = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    is_character = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_character else match[0]


def decoded(value: str) -> str:
    return ENTITIES.sub(character, value) if "&" in value else value


def escaped(text: str) -> str:
    """Write a text so that reading gives it back: characters of markup, CR LF (which would be read as LF) and NUL."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r\n", "&#13;\n").replace("\0", "&#0;")


def attributes_of(inside: str) -> tuple[list[tuple[str, str]], str]:
    """Return the attributes of a tag, and what else stands there and cannot be read."""
    values = [
        (match[1], decoded(next(value for value in match.groups()[1:] if value is not None)))
        for match in ATTRIBUTE.finditer(inside)
    ]
    return values, ATTRIBUTE.sub("", inside).strip().strip("/").strip()


def edited(tag: str, changes: list[tuple[str, str | None]]) -> str:
    """Return a tag with other values; None removes an attribute. What stays, stays as it is written."""
    for capitals, value in changes:
        name = capitals.lower() if tag[1:6].islower() and capitals in OWN else capitals
        match = next((match for match in ATTRIBUTE.finditer(tag) if match[1].upper() == name.upper()), None)
        quoted = "" if value is None else escaped(value).replace('"', "&quot;")
        written = "" if value is None else f'{match[1] if match else name}="{quoted}"'
        if match:
            before = tag[: match.start()] if written else tag[: match.start()].rstrip()
            tag = f"{before}{written}{tag[match.end() :]}"
        elif written:
            tag = f"{tag[:-1].rstrip()} {written}>"
    return tag
