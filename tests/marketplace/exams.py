"""Tests that workers take: QuestionForms and AnswerKeys to start from."""

from __future__ import annotations

from marketplace.qualification_tests.reading import BASE

FORM = f'<QuestionForm xmlns="{BASE}2017-11-06/QuestionForm.xsd">%s</QuestionForm>'
KEY = f'<AnswerKey xmlns="{BASE}2005-10-01/AnswerKey.xsd">%s</AnswerKey>'
PERCENT = (
    "<QualificationValueMapping><PercentageMapping><MaximumSummedScore>{}</MaximumSummedScore></PercentageMapping>"
    "</QualificationValueMapping>"
)


def form(*parts: str) -> str:
    return FORM % "".join(parts)


def question(field: str, identifier: str = "q", *, required: bool = False, content: str = "<Text>Which?</Text>") -> str:
    is_required = f"<IsRequired>{str(required).lower()}</IsRequired>"
    return (
        f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier>{is_required}"
        f"<QuestionContent>{content}</QuestionContent><AnswerSpecification>{field}</AnswerSpecification></Question>"
    )


def typed(constraints: str = "", rest: str = "") -> str:
    return f"<FreeTextAnswer><Constraints>{constraints}</Constraints>{rest}</FreeTextAnswer>"


def choice(*options: str, before: str = "", other: str = "") -> str:
    selections = "".join(
        f"<Selection><SelectionIdentifier>{option}</SelectionIdentifier><Text>Option {option}</Text></Selection>"
        for option in options
    )
    return f"<SelectionAnswer>{before}<Selections>{selections}{other}</Selections></SelectionAnswer>"


def scored(identifier: str, *options: tuple[str, int], default: int | None = None) -> str:
    """Return the key of a question; the selections of an option are separated by spaces."""
    answers = "".join(
        "<AnswerOption>"
        + "".join(f"<SelectionIdentifier>{name}</SelectionIdentifier>" for name in names.split())
        + f"<AnswerScore>{score}</AnswerScore></AnswerOption>"
        for names, score in options
    )
    last = "" if default is None else f"<DefaultScore>{default}</DefaultScore>"
    return f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier>{answers}{last}</Question>"


def key(*parts: str) -> str:
    return KEY % "".join(parts)


# Two questions of 5 and 10 points in per cent of 15, as Amazon's documentation scores its example
MOVES = form(
    "<Overview><Title>Tic-Tac-Toe</Title><Text>X is to move.</Text><List><ListItem>X cannot resign.</ListItem></List>"
    "<FormattedContent><![CDATA[<table><tr><td><b>X</b></td><td>&nbsp;</td></tr></table>]]></FormattedContent></Overview>",
    question(choice("C", "D"), "nextmove", required=True),
    question(choice("apples", "pears", before="<StyleSuggestion>dropdown</StyleSuggestion>"), "favoritefruit"),
)
MOVES_KEY = key(scored("nextmove", ("D", 5)), scored("favoritefruit", ("apples", 10)), PERCENT.format(15))
ESSAY = form(
    question(
        typed('<Length minLength="2" maxLength="500"/>', "<NumberOfLinesSuggestion>3</NumberOfLinesSuggestion>"), "why"
    )
)
