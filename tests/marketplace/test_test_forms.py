"""QuestionForms: what is read of them, and the errors of those that cannot be shown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marketplace.qualification_tests.answers import FormAnswer, answers_xml, read_answers, read_answers_xml
from marketplace.qualification_tests.form import ChoiceField, Overview, TextField
from marketplace.qualification_tests.form_reading import read_form
from marketplace.qualification_tests.reading import BASE, BadTest
from tests.marketplace.exams import ESSAY, FORM, MOVES, choice, form, question, typed

TWO = "<MaxSelectionCount>2</MaxSelectionCount><StyleSuggestion>dropdown</StyleSuggestion>"


def formatted(markup: str) -> str:
    """Return a form with this formatted content on line 2."""
    return form(question(typed(), content=f"\n<FormattedContent><![CDATA[{markup}]]></FormattedContent>"))


def html_of(markup: str) -> str:
    return read_form(formatted(markup)).questions[0].content[0].text


def test_a_form_is_read_with_its_content_in_order():
    read = read_form(MOVES)

    overview = read.parts[0]
    assert isinstance(overview, Overview)
    assert [block.kind for block in overview.content] == ["title", "text", "list", "html"]
    assert overview.content[2].items == ("X cannot resign.",)
    assert overview.content[3].text == "<table><tr><td><b>X</b></td><td>\xa0</td></tr></table>"
    move, fruit = read.questions
    assert (move.identifier, move.is_required, fruit.is_required) == ("nextmove", True, False)
    assert isinstance(fruit.field, ChoiceField)
    assert (fruit.field.control, fruit.field.fewest, fruit.field.most) == ("select", 1, 1)
    assert [selection.text for selection in fruit.field.selections] == ["Option apples", "Option pears"]


def test_constraints_are_read_and_a_shortest_length_makes_an_answer_required():
    constraints = (
        '<IsNumeric minValue="100" maxValue="999"/><Length minLength="3" maxLength="3"/>'
        '<AnswerFormatRegex regex="^1" flags="i" errorText="Begin with 1."/>'
    )
    (asked,) = read_form(form(question(typed(constraints, "<DefaultText>123</DefaultText>")))).questions

    assert asked.is_required
    assert isinstance(asked.field, TextField)
    assert asked.field.default == "123"
    problems = [asked.field.problem(text) for text in ("123", "12", "1.2", "1e2", "999", "20x")]
    assert problems[0] == ""
    assert problems[1] == "The answer has 2 characters; it must have exactly 3 characters."
    assert problems[2] == "The answer must be a number from 100 to 999."
    assert problems[3] == problems[5] == "The answer must be a number, for example 12 or 0.5."
    assert problems[4] == "Begin with 1."
    assert asked.field.hint() == "A number from 100 to 999, exactly 3 characters."


@pytest.mark.parametrize(
    ("style", "most", "control"),
    [
        ("radiobutton", 1, "radio"), ("dropdown", 1, "select"), ("list", 1, "select"), ("combobox", 1, "select"),
        ("checkbox", 1, "checkbox"), ("multichooser", 1, "radio"), ("", 1, "radio"), ("checkbox", 2, "checkbox"),
        ("list", 2, "checkbox"), ("combobox", 2, "checkbox"), ("multichooser", 2, "checkbox"), ("", 2, "checkbox"),
    ],
)  # fmt: skip
def test_every_style_has_a_control_that_one_can_use(style, most, control):
    wanted = f"<StyleSuggestion>{style}</StyleSuggestion>" if style else ""
    before = f"<MaxSelectionCount>{most}</MaxSelectionCount>{wanted}"
    (asked,) = read_form(form(question(choice("a", "b", before=before)))).questions

    assert isinstance(asked.field, ChoiceField)
    assert asked.field.control == control


@pytest.mark.parametrize(
    ("xml", "error"),
    [
        ("<QuestionForm>", "Test, line 1: it is not well-formed XML"),
        ("", "Test, line 1: it is not well-formed XML"),
        ("<QuestionForm/>", "Test, line 1: <QuestionForm> is in no namespace. Write <QuestionForm xmlns="),
        ("<ExternalQuestion/>", "the document is a <ExternalQuestion>; a <QuestionForm> is needed."),
        (FORM % "", "<QuestionForm> has 0 questions"),
        (FORM % "\nhello", "<QuestionForm> has text between its elements: “hello”."),
        (FORM % "\n\n<Questions/>", "Test, line 3: <Questions> cannot be in <QuestionForm>. Did you mean <Question>?"),
        (FORM % "<Question/>", "<Question> needs a <QuestionIdentifier>."),
        (form(question("")), "<AnswerSpecification> has 0 answers"),
        (form(question("<FileUploadAnswer/>")), "<FileUploadAnswer> is not supported: a qualification test cannot ask"),
        (form(question(typed(), content="<Binary/>")), "<Binary> is not supported: this marketplace shows no pictures"),
        (form(question(typed(), content="<EmbeddedBinary/>")), "<EmbeddedBinary> is not supported"),
        (form(question(typed(), content="<Application/>")), "<Application> is not supported: applets and Flash"),
        (form(question(typed(), content="<Text>a <b>bold</b></Text>")), "<Text> contains text only, not <b>."),
        (form(question(typed(), content="<List/>")), "<List> needs at least one <ListItem>."),
        (form(question(typed()), question(typed())), "the QuestionIdentifier “q” is used twice."),
        (form(question(typed(), " ")), "<QuestionIdentifier> is empty."),
        (form(question(typed()).replace("false", "no")), "<IsRequired> is “no”; it must be true or false."),
        (form(question(typed("<Length minLenght='2'/>"))), "<Length> has no attribute minLenght. It has minLength"),
        (form(question(typed("<Length minLength='3' maxLength='2'/>"))), "the minLength is larger than the maxLength"),
        (form(question(typed("<IsNumeric minValue='a'/>"))), "the minValue is “a”; it must be a whole number"),
        (form(question(typed("<IsNumeric minValue='2' maxValue='1'/>"))), "the minValue is larger than the maxValue."),
        (form(question(typed("<IsNumeric/><IsNumeric/>"))), "<Constraints> has a second <IsNumeric>."),
        (form(question(typed("<AnswerFormatRegex/>"))), "<AnswerFormatRegex> needs the attribute regex."),
        (form(question(typed("<AnswerFormatRegex regex='a' flags='g'/>"))), "the flags are “g”; the only flag is i."),
        (
            form(question(typed("<AnswerFormatRegex regex='(?=a)'/>"))),
            "the regular expression “(?=a)” cannot be used: at character 1: looking ahead",
        ),
        (
            form(question(typed("<AnswerFormatRegex regex='a{200}'/>" * 6))),
            "its regular expressions have",
        ),
        (form(question(choice())), "<Selections> needs a <Selection>"),
        (form(question(choice("a", "a"))), "the SelectionIdentifier “a” is used twice."),
        (
            form(question(choice("a", before="<MaxSelectionCount>2</MaxSelectionCount>"))),
            "<MaxSelectionCount> is “2”; it must be a whole number from 1 to 1.",
        ),
        (
            form(question(choice("a", "b", before="<MinSelectionCount>2</MinSelectionCount>"))),
            "the MinSelectionCount 2 is larger than the MaxSelectionCount 1.",
        ),
        (
            form(question(choice("a", before="<StyleSuggestion>radio</StyleSuggestion>"))),
            "the StyleSuggestion “radio” is none of radiobutton, checkbox",
        ),
        (
            form(question(choice("a", "b", before=TWO))),
            "the StyleSuggestion dropdown needs a MaxSelectionCount of 1; use checkbox for 2.",
        ),
        (
            form(question(choice("a", before="<StyleSuggestion>list</StyleSuggestion><MinSelectionCount/>"))),
            "<MinSelectionCount> is in the wrong place",
        ),
        (form(question(choice("a").replace("<Text>Option a</Text>", "<Binary/>"))), "<Binary> is not supported"),
        (form(question(choice("a").replace("<Text>Option a</Text>", ""))), "<Selection> has a SelectionId"),
        (formatted("\n<script>1</script>"), "Test, line 3: <script> is not allowed in the XHTML"),
        (formatted("<p onclick='x'>a</p>"), "<p> may not have the attribute onclick"),
        (formatted("<p style='x'>a</p>"), "<p> may not have the attribute style"),
        (formatted("<img src='https://a.org/a.gif' alt=''/>"), "<img> is not supported"),
        (formatted("<a href='javascript:alert(1)'>a</a>"), "the address of a link begins with https:"),
        (formatted("<p>a"), "the XHTML of <FormattedContent> is not well-formed"),
        (formatted("<b><i>a</b></i>"), "is not well-formed"),
        (formatted("<!-- a -->"), "comments and processing instructions are not allowed"),
        (formatted("</all><script/><all>"), "is not well-formed"),
        (form(question(typed(), content="<FormattedContent><p>a</p></FormattedContent>")), "text only, not <p>"),
    ],
)  # fmt: skip
def test_each_error_says_where_and_what(xml, error):
    with pytest.raises(BadTest, match=re.escape(error)):
        read_form(xml)


@pytest.mark.parametrize(
    "start",
    [
        '<!DOCTYPE lolz [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;">]>',
        '<!DOCTYPE x [<!ENTITY c SYSTEM "file:///etc/passwd">]>',
        '<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">',
    ],
)
def test_entities_and_files_of_others_are_never_read(start):
    with pytest.raises(BadTest, match=r"line \d: it may not contain a document type"):
        read_form(start + form(question(typed(), content="<Text>&c;</Text>")))


def test_the_encoding_that_a_form_names_changes_nothing():
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>\n' + form(
        question(typed(), content="<Text>für wén?</Text>")
    )

    assert read_form(declared).questions[0].content[0].text == "für wén?"


def test_an_entity_that_nobody_defined_is_refused():
    with pytest.raises(BadTest, match="not well-formed"):
        read_form(form(question(typed(), content="<Text>&c;</Text>")))
    with pytest.raises(BadTest, match="not well-formed"):
        read_form(formatted("&c;"))


def test_formatted_content_is_written_anew():
    assert (
        html_of('<p align="left">a &amp; &lt;b&gt; <font color="red">c</font><br/></p>')
        == "<p>a &amp; &lt;b&gt; c<br></p>"
    )
    assert html_of("<h1>a</h1><h3>b</h3>") == "<h3>a</h3><h4>b</h4>"
    assert html_of('<a href="https://example.org/?a=1&amp;b=2" target="x">a</a>') == (
        '<a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">a</a>'
    )
    assert html_of('<td colspan="2" rowspan="1;x" width="9" title="&quot;&gt;">a</td>') == (
        '<td colspan="2" title="&quot;&gt;">a</td>'
    )


IDENTIFIERS = st.text("abcdefXYZ019._- é", min_size=1, max_size=8).map(str.strip).filter(bool)
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=20)


@st.composite
def exams(draw):
    """Return a form and answers that fit it."""
    questions, answers = [], {}
    for identifier in draw(st.lists(IDENTIFIERS, min_size=1, max_size=4, unique=True)):
        if draw(st.booleans()):
            questions.append(question(typed(), identifier))
            answers[identifier] = FormAnswer(draw(TEXTS))
            continue
        options = draw(st.lists(IDENTIFIERS, min_size=1, max_size=4, unique=True))
        other = "<OtherSelection/>" if draw(st.booleans()) else ""
        most = len(options) + bool(other)
        before = f"<MinSelectionCount>0</MinSelectionCount><MaxSelectionCount>{most}</MaxSelectionCount>"
        questions.append(question(choice(*options, before=before, other=other), identifier))
        selected = tuple(option for option in options if draw(st.booleans()))
        answers[identifier] = FormAnswer(draw(TEXTS) if other else "", selected)
    return form(*questions), answers


@given(exams())
def test_answers_return_as_they_were_sent(exam):
    xml, answers = exam
    read = read_form(xml)
    fields = {}
    for number, asked in enumerate(read.questions, start=1):
        answer = answers[asked.identifier]
        fields[f"q{number}"] = list(answer.selected) if isinstance(asked.field, ChoiceField) else [answer.text]
        fields[f"q{number}-other"] = [answer.text]

    sent, problems = read_answers(read, fields)

    assert not problems
    assert sent == answers
    returned = read_answers_xml(answers_xml(read, sent))
    assert {name: returned.get(name, FormAnswer()) for name in answers} == answers


@pytest.mark.parametrize(
    ("field", "required", "sent", "problem"),
    [
        (typed(), True, {"q1": [" \r\n"]}, "Please answer this question."),
        (typed(), False, {}, ""),
        (
            typed('<Length maxLength="2"/>'),
            False,
            {"q1": ["a\r\nb"]},
            "The answer has 3 characters; it must have at most 2",
        ),
        (typed('<Length maxLength="3"/>'), False, {"q1": ["a\r\nb"]}, ""),
        (typed(), False, {"q1": ["a" * 5001]}, "it must have at most 5000 characters"),
        (typed('<AnswerFormatRegex regex="^a$"/>'), False, {"q1": ["b"]}, "Invalid input supplied."),
        (choice("a", "b"), True, {"q1": [""]}, "Please answer this question."),
        (choice("a", "b"), False, {"q1": [""]}, ""),
        (choice("a", "b"), False, {"q1": ["a", "b"]}, "Select 1 answer; you selected 2."),
        (choice("a", "b"), False, {"q1": ["c"]}, "an option that this question does not have"),
        (choice("a", other="<OtherSelection/>"), True, {"q1-other": ["b"]}, ""),
        (choice("a", other="<OtherSelection/>"), True, {"q1": ["a"], "q1-other": ["b"]}, "you selected 2"),
        (choice("a", before="<MinSelectionCount>0</MinSelectionCount>"), True, {}, ""),
    ],
)
def test_answers_that_do_not_fit_say_why(field, required, sent, problem):
    _, problems = read_answers(read_form(form(question(field, required=required))), sent)

    assert problem in problems.get("q", "")
    assert bool(problem) == bool(problems)


def test_characters_that_xml_cannot_contain_are_replaced():
    read = read_form(ESSAY)
    sent, problems = read_answers(read, {"q1": ["a\x00b"]})

    assert not problems
    assert read_answers_xml(answers_xml(read, sent)) == {"why": FormAnswer("a\ufffdb")}
    assert BASE in answers_xml(read, sent)
