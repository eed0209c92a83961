"""Texts in NIF, as Turtle: each context is a text, and the strings in it are its mentions."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from corpus.sources.opening import File
from corpus.sources.texts import decode
from kernel.errors import InvalidInput
from kernel.values import Json, whole_number

MOST_BYTES = 32 * 2**20  # of a file, which is read at once
NIF = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
LINKED = "http://www.w3.org/2005/11/its/rdf#taIdentRef"
WORDS, BEGIN, END = "anchorOf", "beginIndex", "endIndex"
BASE = "http://text.invalid/"  # of names that are no whole address
_DIGITS = re.compile(r"(\d+)")
_PLACE = re.compile(r"#(?:char|offset|hash)[=_].*$")  # of a string in its document


def nif_texts(file: File) -> Iterator[tuple[str, Json | InvalidInput]]:
    """Yield each text with its name, in the order of names; raise InvalidInput if the file is no Turtle."""
    graph = _graph(file)
    mentions: dict[Any, list[Any]] = defaultdict(list)
    contexts: dict[Any, str] = {}
    for subject, _, text in graph.triples((None, _named("isString"), None)):
        contexts[subject] = str(text)
    for subject, _, context in graph.triples((None, _named("referenceContext"), None)):
        if subject not in contexts:
            mentions[context].append(subject)
    if not contexts:
        raise InvalidInput("holds no text: a context needs nif:isString", field="file")
    for number, context in enumerate(sorted(contexts, key=_naturally), 1):
        name = _name(context)
        try:
            own = [_mention(graph, mention) for mention in sorted(mentions[context], key=_naturally)]
            row: dict[str, Json] = {"text": contexts[context], "mentions": own}
            yield name or f"text {number}", row | ({"id": name} if name else {})
        except InvalidInput as error:
            yield name or f"text {number}", error
    for context in sorted(set(mentions) - set(contexts), key=_naturally):
        yield _name(context) or "a context", InvalidInput("has mentions, but no nif:isString with its text")


def _graph(file: File) -> Any:
    from rdflib import Graph  # its parsers take a tenth of a second to load
    from rdflib.plugins.parsers.notation3 import BadSyntax

    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"may have {MOST_BYTES // 2**20} MB: divide it into several", field="file")
    logging.getLogger("rdflib.term").setLevel(logging.ERROR)  # it warns of dates that nobody reads here
    graph = Graph()
    try:
        graph.parse(data=decode(content), format="turtle", publicID=BASE)
    except BadSyntax as error:
        raise InvalidInput(f"is not Turtle from line {error.lines + 1} on", field="file") from error
    except (ValueError, AssertionError, RecursionError) as error:
        raise InvalidInput("is not Turtle", field="file") from error
    return graph


def _named(name: str) -> Any:
    from rdflib import URIRef

    return URIRef(NIF + name)


def _mention(graph: Any, subject: Any) -> Json:
    """Return a mention as files of texts write it."""
    from rdflib import URIRef

    begin, end = (whole_number(str(graph.value(subject, _named(name)))) for name in (BEGIN, END))
    words = graph.value(subject, _named(WORDS))
    if begin is None or end is None:
        of = f" of “{str(words)[:60]}”" if words is not None else ""
        raise InvalidInput(f"a mention{of} needs nif:beginIndex and nif:endIndex, which are whole numbers")
    pages = sorted(str(page) for page in graph.objects(subject, URIRef(LINKED)))
    mention: dict[str, Json] = {"start": begin, "end": end, "pages": [*pages]}
    return mention | ({"words": str(words)} if words is not None else {})


def _name(node: Any) -> str:
    """Return what names a document in its file; "" for a blank node, whose name another reading changes."""
    from rdflib import BNode

    return "" if isinstance(node, BNode) else _PLACE.sub("", str(node)).removeprefix(BASE)


def _naturally(node: Any) -> tuple[bool, list[tuple[int, str]]]:
    """Order by name, and numbers in it by their value; blank nodes come last."""
    parts = _DIGITS.split(str(node))
    return not _name(node), [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
