from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.quality.changes import compare
from annotation.task_types.aggregation.cleaning.paper import PAPER
from annotation.task_types.aggregation.cleaning.pipeline import CleaningStep, Pipeline, Rule
from annotation.task_types.aggregation.cleaning.predicates import About
from annotation.task_types.aggregation.cleaning.tesa import TESA
from annotation.task_types.aggregation.cleaning.word_lists import TITLES

PLACES = About(("Norland", "Sudmark"), "location")
LEADERS = About(("Walter Hale", "Karl Moe"), "person")


def question_about(about: About) -> dict[str, object]:
    return {"entities": about.entities, "entity_type": about.entity_type}


@pytest.mark.parametrize(
    ("rule", "raw", "display", "phrase"),
    [
        ("tidy_characters", "ports\u00a0of\u200b call", "Ports of call", "ports of call"),
        ("tidy_characters", "the sailors’ ports", "Sailors' ports", "sailors' ports"),
        ("tidy_characters", "sea–side ports", "Sea-side ports", "sea-side ports"),
        ("no_answer", "n.a.", "n.a.", None),
        ("no_answer", "I don’t know", "I don't know", None),
        ("no_answer", "I can't find a relevant phrase", "I can't find a relevant phrase", None),
        ("no_answer", "none of the above", "none of the above", None),
        ("no_answer", "nothing fits", "nothing fits", None),
        ("no_answer", "No phrase fits all of them.", "No phrase fits all of them.", None),
        ("markup", "<b>ports</b>", "Ports", "ports"),
        ("markup", "the <i>old</i> ports &amp; bays", "Old ports & bays", "old ports & bays"),
        ("copied_prompt", "In this article, Norland and Sudmark are discussed. The two ports...", "Ports", "ports"),
        ("copied_prompt", "Norland and Sudmark are discussed: ports", "Ports", "ports"),
        ("capitals", "NORTHERN PORTS", "Northern ports", "northern ports"),
        ("capitals", "US PORTS", "US ports", "us ports"),
        ("stray_signs", "“ports”.", "Ports", "ports"),
        ("stray_signs", "- ports ...", "Ports", "ports"),
        ("stray_signs", "[(ports)].", "Ports", "ports"),
        ("stray_signs", "(ports (Nordic))", "Ports (Nordic)", "ports (nordic)"),
        ("stray_signs", "ports)", "Ports", "ports"),
        ("stray_signs", ")ports(", "Ports", "ports"),
        ("stray_signs", "(Nordic) ports.", "(Nordic) ports", "(nordic) ports"),
        ("stray_signs", "ports “of call”", "Ports of call", "ports of call"),
        ("opening", "the “old” ports", "Old ports", "old ports"),
        ("opening", "the 'old' ports", "Old ports", "old ports"),
        ("broken_hyphens", "ex- ministers", "Ex-ministers", "ex-ministers"),
        ("opening", "The two ports", "Ports", "ports"),
        ("opening", "a port", "Port", "port"),
        ("opening", "both of these 2 ports", "Ports", "ports"),
        ("opening", "A couple of ports", "Ports", "ports"),
        ("opening", "seven ports", "Ports", "ports"),
        ("opening", "the two “ports”", "Ports", "ports"),
        ("casing", "McKay voters", "McKay voters", "mckay voters"),
        ("nothing_left", "Norland and Sudmark are discussed.", "", None),
        ("pronoun", "Both of them", "Them", None),
        ("pronoun", "All of the above", "Above", None),
        ("list_of_entities", "Norland and Sudmark", "Norland and Sudmark", None),
        ("only_the_type", "the two areas mentioned", "Areas mentioned", None),
        ("name_of_an_entity", "Norland", "Norland", None),
        ("name_of_an_entity", "Norland's allies", "Norland's allies", "norland's allies"),
        ("clause", "The ports are busy", "Ports are busy", None),
        ("joined", "ports and harbours", "Ports and harbours", "ports and harbours"),
        ("joined", "Politicians, Democrats", "Politicians, Democrats", "politicians, democrats"),
        ("nonsense", "asdf asdf", "Asdf asdf", "asdf asdf"),
        ("nonsense", "old grrrrports", "Old grrrrports", "old grrrrports"),
        ("joined", "ports/harbours", "Ports/harbours", "ports/harbours"),
        (
            "too_long",
            "ports where " + "very " * 9 + "old ships lie",
            None,
            "ports where " + "very " * 9 + "old ships lie",
        ),
    ],
)
def test_each_rule_on_its_cases(rule: str, raw: str, display: str | None, phrase: str | None):
    cleaned = TESA.clean_phrase(raw, PLACES)

    assert cleaned.unit == phrase
    assert rule in cleaned.applied
    if display is not None:
        assert cleaned.display == display


@pytest.mark.parametrize(
    "phrase",
    [
        "people involved in trade and defence",
        "ports that are busy",
        "countries that have left",
        "would-be ministers",
        "all-star players",
        "couple counsellors",
        "groups",
        "one-time rivals",
        "companies of the u.s.",
        "those accused of fraud",
        "those in power",
        "countries they have left",
    ],
)
def test_legitimate_phrases_are_kept_as_they_are(phrase: str):
    assert TESA.clean_phrase(phrase, PLACES).unit == phrase


@pytest.mark.parametrize(
    "raw",
    [
        "President Hale and Vice President Moe",
        "Presidents Hale and Moe",
        "the former Prime Minister Hale, Dr. Moe",
        "Secretary of State Moe and President Walter Hale",
    ],
)
def test_names_with_titles_are_a_list(raw: str):
    cleaned = TESA.clean_phrase(raw, LEADERS)

    assert cleaned.unit is None
    assert [mark.rule for mark in cleaned.marks if mark.discards] == ["list_of_entities"]


def test_a_title_that_is_not_before_a_name_makes_no_list():
    for phrase in ("presidents", "allies of president hale and the senate", "vice presidents who followed hale"):
        assert TESA.clean_phrase(phrase, LEADERS).unit == phrase


@pytest.mark.parametrize(
    ("raw", "phrase"),
    [
        ("Six Nations rugby teams", "six nations rugby teams"),
        ("the Four Tigers", "four tigers"),
        ("The two Four Seasons hotels", "four seasons hotels"),
        ("the six nations that signed", "nations that signed"),
        ("Six European teams", "european teams"),
        ("Two Democrats from Norland", "democrats from norland"),
    ],
)
def test_a_number_stays_where_it_belongs_to_a_name(raw: str, phrase: str):
    assert TESA.clean_phrase(raw).unit == phrase


def test_a_comma_inside_a_number_joins_nothing():
    assert TESA.clean_phrase("1,000 voters", PLACES).marks == ()


def test_a_slash_between_digits_is_a_date_and_not_noted():
    assert TESA.clean_phrase("9/11 victims", PLACES).marks == ()


def test_a_second_answer_that_is_the_same_is_skipped():
    assert TESA.clean(question_about(PLACES), {"phrases": ["Ports", "the ports!"]}).units == ("ports",)


PIECES = """the two Both of them US ports McKay are and Norland Sudmark , n/a discussed. ... people who ex- ministers “
U.S. 3 a ß - "the ( THE Six Nations Four Tigers <b> </b> &amp; &lt;b&gt; asdf , ; President nothing fits"""
ANSWERS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES.split()), max_size=8).map(" ".join))


def letters(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


@given(ANSWERS)
@example("US")
@example("ßa")
@example("THE US. . US")
def test_cleaning_again_what_is_displayed_gives_the_same_phrase(raw: str):
    once = TESA.clean_phrase(raw, PLACES)
    again = TESA.clean_phrase(once.display, PLACES)

    if once.unit is not None:
        assert (again.unit, again.display.lower()) == (once.unit, once.display.lower())


@given(ANSWERS)
def test_the_raw_answer_stays_and_every_cleaned_form_names_its_rules(raw: str):
    cleaned = TESA.clean_phrase(raw, PLACES)

    assert cleaned.raw == raw
    assert cleaned.applied or cleaned.unit == raw
    assert {mark.rule for mark in cleaned.marks} <= set(cleaned.applied)
    assert (cleaned.unit is None) == any(mark.discards for mark in cleaned.marks)


@given(ANSWERS)
def test_a_phrase_is_a_piece_of_what_was_written(raw: str):
    phrase = TESA.clean_phrase(raw, PLACES).unit
    plain = TESA.rules[1].apply(TESA.rules[0].apply(CleaningStep(raw, raw))).phrase  # without tags

    assert phrase is None or (letters(phrase) and letters(phrase) in letters(plain))


@given(ANSWERS, st.sampled_from(["b", "i", "em", "strong", "span class='x'"]))
def test_tags_around_an_answer_make_no_difference(raw: str, tag: str):
    with_tags = TESA.clean_phrase(f"<{tag}>{raw}</{tag.split()[0]}>", PLACES)

    assert with_tags.unit == TESA.clean_phrase(raw, PLACES).unit


TITLED = st.builds(" ".join, st.lists(st.sampled_from(sorted(TITLES)), max_size=3))
NAMES_OF_LEADERS = st.permutations(["Hale", "Karl Moe"])


@given(st.tuples(TITLED, TITLED), NAMES_OF_LEADERS, st.sampled_from([" and ", ", ", " / ", " & "]))
def test_names_are_a_list_whatever_titles_stand_before_them(titles, names, joined):
    raw = joined.join(f"{title} {name}".strip() for title, name in zip(titles, names, strict=True))

    assert TESA.clean_phrase(raw, LEADERS).unit is None


@given(ANSWERS)
def test_what_is_only_noted_stays_a_phrase(raw: str):
    cleaned = TESA.clean_phrase(raw, PLACES)

    if cleaned.unit is not None:
        assert {mark.rule for mark in cleaned.marks} <= {"name_of_an_entity", "joined", "nonsense", "too_long"}


def test_a_dry_run_shows_exactly_what_another_pipeline_would_alter():
    answers = [
        (raw, question_about(PLACES), {"phrases": [raw]}) for raw in ["ports", "both ports", "ports and bays", "They"]
    ]

    changes = compare(PAPER, TESA, answers)

    kinds = {change.raw: (change.kind, change.before.unit, change.after.unit) for change in changes}
    assert kinds == {
        "both ports": ("renamed", "both ports", "ports"),
        "ports and bays": ("regained", None, "ports and bays"),
        "They": ("lost", "they", None),
    }
    assert compare(TESA, TESA, answers) == ()


def shouted(step: CleaningStep) -> CleaningStep:
    """Louder."""
    return step.text(step.phrase.upper())


def test_the_version_changes_with_the_number_the_rules_their_order_and_their_lists():
    quiet = Rule(shouted, {"words": {"a"}})
    pipelines = [
        Pipeline("p", 1, (quiet,)),
        Pipeline("p", 2, (quiet,)),
        Pipeline("q", 1, (quiet,)),
        Pipeline("p", 1, (Rule(shouted, {"words": {"a", "b"}}),)),
        Pipeline("p", 1, (quiet, *TESA.rules[:1])),
        Pipeline("p", 1, (*TESA.rules[:1], quiet)),
    ]

    assert len({pipeline.fingerprint for pipeline in pipelines}) == len(pipelines)
    assert Pipeline("p", 1, (Rule(shouted, {"words": ["a"]}),)).fingerprint == pipelines[0].fingerprint
    assert PAPER.identity.startswith("paper 1 · ")


@pytest.mark.parametrize("rule", [*PAPER.rules, *TESA.rules], ids=lambda rule: rule.name)
def test_every_rule_says_in_one_line_what_it_does(rule: Rule):
    assert rule.about.endswith(".")
