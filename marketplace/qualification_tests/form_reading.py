"""Reads a QuestionForm. Our own checks of what Amazon's documentation describes; see reading.py for its errors."""

from __future__ import annotations

from html import escape

from marketplace.qualification_tests.form import (
    MOST_TYPED,
    Block,
    ChoiceField,
    Format,
    FormQuestion,
    Overview,
    QuestionForm,
    Selection,
    TextField,
)
from marketplace.qualification_tests.formatted import plain_text, safe_html
from marketplace.qualification_tests.patterns import BadPattern, Pattern
from marketplace.qualification_tests.reading import Part, read_root, shortened, whole

DOCUMENT = "Test"
CONTENT = ("Title", "Text", "List", "FormattedContent", "Binary", "EmbeddedBinary", "Application")
UNSUPPORTED = {
    "Binary": "this marketplace shows no pictures, sounds or films in tests",
    "EmbeddedBinary": "this marketplace shows no pictures, sounds or films in tests",
    "Application": "applets and Flash are no longer supported",
    "FileUploadAnswer": "a qualification test cannot ask for files",
}
STYLES = ("radiobutton", "checkbox", "list", "dropdown", "combobox", "multichooser")
ONE_ONLY = ("radiobutton", "dropdown")
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
MOST_QUESTIONS = 500
MOST_STATES = 600  # of all regular expressions of a test together
LARGEST = 10**9


def read_form(xml: str) -> QuestionForm:
    """Return the test; raise a BadTest that names the line unless it can be shown."""
    root = read_root(DOCUMENT, xml, "QuestionForm")
    parts = [_question(part) if part.name == "Question" else Overview(_content(part, 2))
             for part in root.parts("Overview", "Question")]  # fmt: skip
    questions = [part for part in parts if isinstance(part, FormQuestion)]
    if not 0 < len(questions) <= MOST_QUESTIONS:
        raise root.wrong(f"<QuestionForm> has {len(questions)} questions; it needs from 1 to {MOST_QUESTIONS}.")
    _check_identifiers(root)
    states = sum(form.pattern.states for question in questions for form in _formats(question))
    if states > MOST_STATES:
        raise root.wrong(f"its regular expressions have {states} states together; at most {MOST_STATES} are allowed.")
    return QuestionForm(tuple(parts))


def _formats(question: FormQuestion) -> tuple[Format, ...]:
    field = question.field if isinstance(question.field, TextField) else question.field.other
    return field.formats if field else ()


def _check_identifiers(root: Part) -> None:
    seen: set[str] = set()
    for part in root.parts("Overview", "Question"):
        if part.name == "Question":
            identifier = part.parts(*QUESTION)[0]
            if identifier.name_text() in seen:
                raise identifier.wrong(f"the QuestionIdentifier “{identifier.name_text()}” is used twice.")
            seen.add(identifier.name_text())


QUESTION = ("QuestionIdentifier", "DisplayName", "IsRequired", "QuestionContent", "AnswerSpecification")


def _question(part: Part) -> FormQuestion:
    inner = part.in_order("QuestionIdentifier", "DisplayName?", "IsRequired?", "QuestionContent", "AnswerSpecification")
    field = _field(inner["AnswerSpecification"])
    is_required = _boolean(inner["IsRequired"]) if "IsRequired" in inner else False
    return FormQuestion(
        identifier=inner["QuestionIdentifier"].name_text(),
        name=" ".join(inner["DisplayName"].text(500).split()) if "DisplayName" in inner else "",
        is_required=is_required or (isinstance(field, TextField) and field.shortest > 0),
        content=_content(inner["QuestionContent"], 3),
        field=field,
    )


def _content(part: Part, first_heading: int) -> tuple[Block, ...]:
    """Return the content; on a page, a question has a heading of the second level."""
    return tuple(_block(child, first_heading) for child in part.parts(*CONTENT))


def _block(part: Part, first_heading: int) -> Block:
    if part.name in UNSUPPORTED:
        raise _unsupported(part)
    if part.name == "List":
        items = tuple(item.text().strip() for item in part.parts("ListItem"))
        if not items:
            raise part.wrong("<List> needs at least one <ListItem>.")
        return Block("list", items=items)
    if part.name == "FormattedContent":
        return Block("html", safe_html(part, first_heading))
    return Block(part.name.lower(), part.text().strip())


def _field(part: Part) -> TextField | ChoiceField:
    kinds = part.parts("FreeTextAnswer", "SelectionAnswer", "FileUploadAnswer")
    if len(kinds) != 1:
        raise part.wrong(
            f"<AnswerSpecification> has {len(kinds)} answers; it needs a FreeTextAnswer or SelectionAnswer."
        )
    if kinds[0].name in UNSUPPORTED:
        raise _unsupported(kinds[0])
    return _text_field(kinds[0]) if kinds[0].name == "FreeTextAnswer" else _choice_field(kinds[0])


def _text_field(part: Part) -> TextField:
    inner = part.in_order("Constraints?", "DefaultText?", "NumberOfLinesSuggestion?")
    limits = _Limits(inner.get("Constraints"))
    default = inner["DefaultText"].text(limits.longest) if "DefaultText" in inner else ""
    lines = inner["NumberOfLinesSuggestion"].number(1, 1000) if "NumberOfLinesSuggestion" in inner else 1
    return TextField(
        is_numeric=limits.is_numeric, low=limits.low, high=limits.high, shortest=limits.shortest,
        longest=limits.longest, formats=tuple(limits.formats), default=default, lines=min(lines, 20),
    )  # fmt: skip


class _Limits:
    """The Constraints of a text."""

    def __init__(self, part: Part | None) -> None:
        self.is_numeric, self.shortest, self.longest = False, 0, MOST_TYPED
        self.low: int | None = None
        self.high: int | None = None
        self.formats: list[Format] = []
        names: set[str] = set()
        for child in part.parts("IsNumeric", "Length", "AnswerFormatRegex") if part else ():
            if child.name in names and child.name != "AnswerFormatRegex":
                raise child.wrong(f"<Constraints> has a second <{child.name}>.")
            names.add(child.name)
            child.parts()
            {"IsNumeric": self._numeric, "Length": self._length, "AnswerFormatRegex": self._format}[child.name](child)

    def _numeric(self, part: Part) -> None:
        self.is_numeric = True
        values = part.attributes("minValue", "maxValue")
        self.low = _attribute(part, values, "minValue", -LARGEST, None)
        self.high = _attribute(part, values, "maxValue", -LARGEST, None)
        if self.low is not None and self.high is not None and self.low > self.high:
            raise part.wrong("the minValue is larger than the maxValue.")

    def _length(self, part: Part) -> None:
        values = part.attributes("minLength", "maxLength")
        self.shortest = _attribute(part, values, "minLength", 0, 0) or 0
        self.longest = min(_attribute(part, values, "maxLength", 1, MOST_TYPED) or MOST_TYPED, MOST_TYPED)
        if self.shortest > self.longest:
            raise part.wrong(f"the minLength is larger than the maxLength, or than {MOST_TYPED}.")

    def _format(self, part: Part) -> None:
        values = part.attributes("regex", "errorText", "flags")
        if "regex" not in values:
            raise part.wrong("<AnswerFormatRegex> needs the attribute regex.")
        if values.get("flags", "") not in ("", "i"):
            raise part.wrong(f"the flags are “{shortened(values['flags'])}”; the only flag is i.")
        try:
            pattern = Pattern(values["regex"], ignore_case=values.get("flags") == "i")
        except BadPattern as error:
            problem = f"the regular expression “{shortened(values['regex'])}” cannot be used: {error}."
            raise part.wrong(problem) from None
        self.formats.append(Format(pattern, values.get("errorText") or "Invalid input supplied."))


def _choice_field(part: Part) -> ChoiceField:
    inner = part.in_order("MinSelectionCount?", "MaxSelectionCount?", "StyleSuggestion?", "Selections")
    children = inner["Selections"].parts("Selection", "OtherSelection")
    selections = tuple(_selection(child) for child in children if child.name == "Selection")
    others = [child for child in children if child.name == "OtherSelection"]
    if not selections or len(others) > 1 or (others and children[-1].name != "OtherSelection"):
        raise inner["Selections"].wrong(
            "<Selections> needs a <Selection>, and at most one <OtherSelection> after them."
        )
    identifiers = [selection.identifier for selection in selections]
    for identifier in identifiers:
        if identifiers.count(identifier) > 1:
            raise inner["Selections"].wrong(f"the SelectionIdentifier “{identifier}” is used twice.")
    count = len(selections) + len(others)
    fewest = inner["MinSelectionCount"].number(0, count) if "MinSelectionCount" in inner else 1
    most = inner["MaxSelectionCount"].number(1, count) if "MaxSelectionCount" in inner else 1
    if fewest > most:
        raise part.wrong(f"the MinSelectionCount {fewest} is larger than the MaxSelectionCount {most}.")
    style = _style(inner["StyleSuggestion"], most) if "StyleSuggestion" in inner else ""
    return ChoiceField(selections, fewest, most, style, _text_field(others[0]) if others else None)


def _style(part: Part, most: int) -> str:
    style = part.name_text()
    if style not in STYLES:
        raise part.wrong(f"the StyleSuggestion “{shortened(style)}” is none of {', '.join(STYLES)}.")
    if style in ONE_ONLY and most > 1:
        raise part.wrong(f"the StyleSuggestion {style} needs a MaxSelectionCount of 1; use checkbox for {most}.")
    return style


def _selection(part: Part) -> Selection:
    children = part.parts("SelectionIdentifier", "Text", "FormattedContent", "Binary")
    if [child.name for child in children][:1] != ["SelectionIdentifier"] or len(children) != 2:
        raise part.wrong("<Selection> has a SelectionIdentifier, then a Text or a FormattedContent.")
    identifier, content = children[0].name_text(), children[1]
    if content.name in UNSUPPORTED:
        raise _unsupported(content)
    if content.name == "FormattedContent":
        html = safe_html(content, None)
        return Selection(identifier, plain_text(html), html)
    text = content.text().strip()
    return Selection(identifier, text, escape(text))


def _boolean(part: Part) -> bool:
    text = part.text().strip()
    if text not in BOOLEANS:
        raise part.wrong(f"<{part.name}> is “{shortened(text)}”; it must be true or false.")
    return BOOLEANS[text]


def _attribute(part: Part, values: dict[str, str], name: str, low: int, default: int | None) -> int | None:
    return whole(part, f"the {name}", values[name], low, LARGEST) if name in values else default


def _unsupported(part: Part) -> Exception:
    return part.wrong(f"<{part.name}> is not supported: {UNSUPPORTED[part.name]}.")
