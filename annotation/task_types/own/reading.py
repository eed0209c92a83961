"""Descriptions as people write them: YAML with the line of everything that is wrong, and what was meant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from operator import itemgetter
from typing import Any

import yaml
from pydantic import ValidationError

from annotation.parts.base import NO_ID
from annotation.task_types.own.description import OwnTask, part_models
from annotation.task_types.settings import LONGEST_DESCRIPTION
from kernel.errors import InvalidInput
from kernel.values import storable

DEEPEST = 12
MOST_PROBLEMS = 30
Path = tuple[str | int, ...]
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same in C, which is ten times as fast

WHOLE_NUMBER = re.compile(r"[-+]?[0-9]{1,15}")
DECIMAL = re.compile(r"[-+]?[0-9]{1,15}\.[0-9]{1,15}")
SURROGATES = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")  # how JSON writes an emoji
BAD_CHARACTER = "this line has a character that is not allowed"
INDENTED = "this line does not fit the lines around it: check its indentation, and the colons and dashes before it"
IN_QUOTES = "put words that contain a colon or begin with a sign in quotes"
YAML_WORDS = {  # what the YAML reader says, in plainer words
    "mapping values are not allowed in this context": IN_QUOTES,
    "mapping values are not allowed here": IN_QUOTES,
    "did not find expected '-' indicator": INDENTED,
    "did not find expected key": INDENTED,
    "could not find expected ':'": INDENTED,
    "expected <block end>, but found '-'": INDENTED,
    "found character '\\t' that cannot start any token": "indent with blanks, not with tabs",
    "found character that cannot start any token": "indent with blanks, and put words that begin with a sign in quotes",
}
TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class BadLine:
    """Something wrong with a description: where, and what to do. Line 0: with all of it."""

    line: int
    place: str  # such as “parts 2, options 3”
    why: str

    @property
    def sentence(self) -> str:
        where = f"Line {self.line}: " if self.line else ""
        return f"{where}{self.place}{': ' if self.place else ''}{self.why}."


class InvalidDescription(InvalidInput):
    """A description that cannot be used; `problems` are in the order of their lines."""

    code = "invalid_description"

    def __init__(self, problems: Sequence[BadLine]) -> None:
        self.problems = tuple(problems)
        first, *others = (bad.sentence.rstrip(".") for bad in self.problems)
        super().__init__(first, field="text", others=others)


def read_description(text: str) -> Any:
    """Return the description (an `OwnTask`), or raise InvalidDescription with everything that is wrong."""
    return read_with_lines(text)[0]


def read_with_lines(text: str) -> tuple[Any, Mapping[Path, int]]:
    """Return the description, and the line on which each of its values begins."""
    if len(text) > LONGEST_DESCRIPTION:
        raise InvalidDescription(
            [BadLine(0, "", f"a description has at most {LONGEST_DESCRIPTION:,} characters, not {len(text):,}")]
        )
    lines: dict[Path, int] = {}
    value = _loaded(SURROGATES.sub(lambda pair: json.loads(f'"{pair[0]}"'), text), lines)
    if not isinstance(value, dict):
        raise InvalidDescription([BadLine(1, "", "begin with “name:” and the name of the task")])
    try:
        return OwnTask.model_validate(value), lines
    except ValidationError as error:
        raise InvalidDescription(_problems(error, lines)) from error


# ---- YAML ------------------------------------------------------------------------------------------


def _loaded(text: str, lines: dict[Path, int]) -> Any:
    """Return plain values, and write the line of each into `lines`."""
    try:
        _check_events(text)
        node = yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line + 1, len(text.rstrip().splitlines())) if mark else 0
        why = YAML_WORDS.get(error.problem or "", f"this is not YAML: {error.problem or 'it cannot be read'}")
        raise InvalidDescription([BadLine(line, "", why)]) from error
    except (yaml.YAMLError, UnicodeEncodeError) as error:  # characters that YAML forbids, and halves of characters
        place = error.start if isinstance(error, UnicodeEncodeError) else getattr(error, "position", 0)
        line = text[:place].count("\n") + 1
        raise InvalidDescription([BadLine(line, "", BAD_CHARACTER)]) from error
    return _value(node, (), lines) if node else None


def _check_events(text: str) -> None:
    """Refuse what makes YAML surprising: aliases, tags, several documents, and values nested too deeply."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=LOADER):
        why = ""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            why = "aliases and anchors (“*” and “&”) are not used here: write the words again, or put them in quotes"
        elif getattr(event, "tag", None):
            why = "tags (“!”) are not used here: leave them out, or put the words in quotes"
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if documents > 1:
            why = "a second document begins here: a file holds one description"
        if depth > DEEPEST:
            why = f"values are nested more than {DEEPEST} levels deep"
        if why:
            raise InvalidDescription([BadLine(event.start_mark.line + 1, "", why)])


def _value(node: yaml.Node, path: Path, lines: dict[Path, int]) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, (*path, number), lines) for number, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(node, path, lines))
    return _scalar(node)


def _pairs(node: yaml.MappingNode, path: Path, lines: dict[Path, int]) -> Iterator[tuple[str, Any]]:
    names: set[str] = set()
    for key, child in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise InvalidDescription([BadLine(line, "", "a name must be a word")])
        if name in names:
            raise InvalidDescription([BadLine(line, _place(path), f"“{name}” is here twice: keep one of them")])
        _scalar(key)
        names.add(name)
        lines[*path, name] = line
        yield name, _value(child, (*path, name), lines)


def _scalar(node: yaml.Node) -> Any:
    """Return the value of a word. Unlike in YAML 1.1, yes, no, on and off are words, and so are dates."""
    text = str(node.value)
    if storable(text) != text:
        raise InvalidDescription([BadLine(node.start_mark.line + 1, "", BAD_CHARACTER)])
    if getattr(node, "style", None):  # in quotes, or a block of text
        return text
    if text.lower() in TRUTHS:
        return TRUTHS[text.lower()]
    if text.lower() in ("", "~", "null"):
        return None
    if WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return float(text) if DECIMAL.fullmatch(text) else text


# ---- What is wrong ---------------------------------------------------------------------------------


def _problems(error: ValidationError, lines: Mapping[Path, int]) -> list[BadLine]:
    """Return what is wrong, in the order of the lines. There may be thousands: only the first are put into words."""
    details = []
    for detail in error.errors(include_url=False):
        path = _written(detail["loc"], lines)
        line = next(lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lines)
        details.append((line, path, detail))
    problems: dict[BadLine, None] = {}
    for line, path, detail in sorted(details, key=itemgetter(0)):
        problems[BadLine(line, _place(path), _why(detail, path))] = None
        if len(problems) == MOST_PROBLEMS:
            break
    return [*problems]


def _written(place: tuple[int | str, ...], lines: Mapping[Path, int]) -> Path:
    """Return where something stands in the text, without what only pydantic puts into the path."""
    path: list[int | str] = []
    for number, step in enumerate(place):
        is_kind = step in part_models() and number == 2 and place[0] == "parts"
        is_ours = isinstance(step, str) and ("[" in step or step in ("str", "int", "float", "bool"))
        if not is_kind and (not is_ours or (*path, step) in lines):
            path.append(step)
    return tuple(path)


def _place(path: Path) -> str:
    """Return “parts 2, options 3, id”."""
    words: list[str] = []
    for step in path:
        if isinstance(step, int) and words:
            words[-1] = f"{words[-1]} {step + 1}"
        else:
            words.append(str(step))
    return ", ".join(words)


def _why(detail: Any, path: Path) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if "actual_length" in context:
        context = {**context, "actual_length": len(detail["input"])}  # pydantic does not always count
    match kind:
        case "missing":
            return "this is missing"
        case "extra_forbidden":
            near = get_close_matches(str(path[-1]), _names(detail["loc"]), n=1)
            return f"there is no such setting{f'; perhaps “{near[0]}” is meant' if near else ' here'}"
        case "union_tag_not_found":
            return f"say what kind of question it is (kind: {' or '.join(part_models())})"
        case "union_tag_invalid" | "literal_error" | "enum":
            expected = context.get("expected_tags") or context.get("expected")
            return f"“{_short(detail['input'], path)}” is not possible here; possible are {expected}".replace("'", "")
        case "value_error":
            return str(context["error"])
        case "string_pattern_mismatch" if path[-1] == "language":
            return "write a language tag, such as en, de or pt-BR"
        case "string_pattern_mismatch" if path[-1] == "id":
            return NO_ID
        case _:
            return PLAIN[kind].format(**context) if kind in PLAIN else detail["msg"][:1].lower() + detail["msg"][1:]


def _short(value: Any, path: Path) -> str:
    text = str(value.get("kind", "")) if isinstance(value, dict) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _names(place: Sequence[int | str]) -> Sequence[str]:
    """Return the names of the settings of a part if that is where something stands, otherwise of everything."""
    is_of_a_part = len(place) == 4 and place[0] == "parts"
    return [*part_models()[str(place[2])].model_fields] if is_of_a_part else _all_names()


@cache
def _all_names() -> Sequence[str]:
    names: dict[str, None] = {}
    schema = OwnTask.model_json_schema()
    for model in (schema, *schema.get("$defs", {}).values()):
        names |= dict.fromkeys(model.get("properties", {}))
    return tuple(names)


PLAIN = {
    "string_type": "write words here; put numbers, and words such as true or null, in quotes",
    "string_too_short": "write something here",
    "string_too_long": "at most {max_length:,} characters are allowed",
    "string_pattern_mismatch": "begin with a letter, and use letters, digits and “_” only, at most 30 of them",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "float_type": "write a number",
    "greater_than_equal": "write a number of at least {ge:,}",
    "less_than_equal": "write a number of at most {le:,}",
    "list_type": "write a list: lines that begin with “- ”",
    "dict_type": "write names with values, such as “name: value”",
    "model_type": "write names with values, such as “name: value”",
    "model_attributes_type": "write names with values, such as “name: value”",
    "too_short": "there are {actual_length}, and {min_length} are needed",
    "too_long": "there are {actual_length:,}, and at most {max_length:,} are allowed",
}


def json_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of descriptions, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **OwnTask.model_json_schema()}
