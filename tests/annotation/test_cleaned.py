"""Cleaned forms of stored answers: by a named pipeline, with the rules that made them; the raw answer stays."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from annotation.cleaning.stored import pipeline_named
from annotation.models import Annotation
from annotation.selectors.cleaned import cleaned_rows, dry_run
from tests.make import make_answer, make_campaign, make_participation

pytestmark = pytest.mark.django_db


def test_a_cleaned_form_names_its_rules_and_the_raw_answer_stays():
    campaign = make_campaign(size=1)
    make_answer(make_participation(campaign), "The two Swedish botanists.")

    (row,) = cleaned_rows(campaign, pipeline_named("tesa"))

    assert row.phrases == ("swedish botanists",)
    assert "opening" in row.cleaned.answers[0].applied
    assert Annotation.objects.get().answer["phrases"] == ["The two Swedish botanists."]


def test_that_nothing_fits_is_cleaned_to_no_phrase():
    campaign = make_campaign(size=1)
    make_answer(make_participation(campaign), "", impossible="on")

    (row,) = cleaned_rows(campaign, pipeline_named("paper"))

    assert row.cleaned.not_aggregatable


def test_a_dry_run_lists_what_other_rules_would_alter(capsys: pytest.CaptureFixture[str]):
    campaign = make_campaign(size=2, redundancy=1)
    person = make_participation(campaign)
    make_answer(person, "botanists")
    make_answer(person, "a couple of botanists")

    found = dry_run(campaign, pipeline_named("paper"), pipeline_named("tesa"))
    call_command("clean_dry_run", campaign.name)

    assert found.annotations == 2
    assert found.counts == {"renamed": 1}
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
