"""Cleaned forms of stored answers: by a named pipeline, with the rules that made them; the raw answer stays."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AgreementReport, Annotation, Assignment, ReviewItem
from annotation.selectors.cleaned import cleaned_rows, dry_run
from annotation.services import assessing
from annotation.task_types.aggregation.cleaning.paper import PAPER
from annotation.task_types.aggregation.cleaning.pipeline import Pipeline
from annotation.task_types.aggregation.cleaning.predicates import NOTHING_KNOWN, About
from annotation.task_types.aggregation.cleaning.tesa import TESA
from annotation.task_types.cleaned import CleanedPart
from tests.make import make_answer, make_campaign, make_participation

pytestmark = pytest.mark.django_db


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that goes through a pipeline's rules."""
    seen: list[str] = []
    clean = Pipeline.clean_phrase

    def count(self: Pipeline, raw: str, about: About = NOTHING_KNOWN, earlier: tuple[str, ...] = ()) -> CleanedPart:
        seen.append(raw)
        return clean(self, raw, about, earlier)

    monkeypatch.setattr(Pipeline, "clean_phrase", count)
    return seen


def test_a_cleaned_form_names_its_rules_and_the_raw_answer_stays():
    campaign = make_campaign(size=1)
    make_answer(make_participation(campaign), "The two Swedish botanists.")

    (row,) = cleaned_rows(campaign, TESA)

    assert row.units == ("swedish botanists",)
    assert "opening" in row.cleaned.parts[0].applied
    assert Annotation.objects.get().answer["phrases"] == ["The two Swedish botanists."]


def test_the_same_words_about_the_same_entities_are_cleaned_once(texts: list[str]):
    cleaning = TESA.remembering()
    here = {"entities": ["Ida Lind", "Karl Moe"], "entity_type": "person"}
    there = {"entities": ["Oslo", "Bergen"], "entity_type": "location"}

    cleaned = [cleaning.clean(question, {"phrases": ["The ports"]}) for question in (here, here, there)]
    cleaned.append(cleaning.clean(here, {"phrases": ["The ports"], "impossible": True}))

    assert texts == ["The ports"] * 3  # once here, once there, once beside a ticked box
    assert [answer.units for answer in cleaned] == [("ports",), ("ports",), ("ports",), ()]


def test_late_answers_are_read_where_they_are_asked_for():
    campaign = make_campaign(size=1, redundancy=2)
    make_answer(make_participation(campaign, "ann"), "botanists")
    make_answer(make_participation(campaign, "bob"), "gardeners")
    Assignment.objects.filter(participation__worker__external_id="bob").update(status="late")

    assert [row.units for row in cleaned_rows(campaign, TESA)] == [("botanists",)]
    both = cleaned_rows(campaign, TESA, late=True)
    assert [(row.units, row.is_late) for row in both] == [(("botanists",), False), (("gardeners",), True)]


def test_assessing_cleans_every_answer_once_and_leaves_late_ones_out_of_the_agreement(texts: list[str]):
    campaign = make_campaign(size=2, redundancy=3)
    people = [make_participation(campaign, name) for name in ("ann", "bob", "cid")]
    for number in range(2):
        for person, noun in zip(people, ("botanists", "gardeners", "painters"), strict=True):
            make_answer(person, f"{noun} of kind {number}")
    Assignment.objects.filter(participation=people[2]).update(status="late")

    list(assessing.assess(campaign))

    assert len(texts) == len(set(texts)) == 6
    assert AgreementReport.objects.get().answers == 4
    assert ReviewItem.objects.count() == 2


def test_that_nothing_fits_is_cleaned_to_no_phrase():
    campaign = make_campaign(size=1)
    make_answer(make_participation(campaign), "", impossible="on")

    (row,) = cleaned_rows(campaign, PAPER)

    assert not row.cleaned.is_answered


def test_a_dry_run_lists_what_other_rules_would_alter(capsys: pytest.CaptureFixture[str]):
    campaign = make_campaign(size=2, redundancy=1)
    person = make_participation(campaign)
    make_answer(person, "botanists")
    make_answer(person, "a couple of botanists")

    changes = dry_run(campaign, PAPER, TESA)
    call_command("clean_dry_run", campaign.name)

    assert changes.annotations == 2
    assert changes.counts == {"renamed": 1}
    out = capsys.readouterr().out
    assert "renamed" in out
    assert "a couple of botanists → botanists" in out
    assert "2 annotations, 1 renamed" in out


def test_unknown_names_are_refused_in_a_sentence():
    make_campaign("Phrases", size=1)

    with pytest.raises(CommandError, match="no campaign 'Nothing'"):
        call_command("clean_dry_run", "Nothing")
    with pytest.raises(CommandError, match="no cleaning pipeline 'ours'; there are paper and tesa"):
        call_command("clean_dry_run", "Phrases", "--to", "ours")
