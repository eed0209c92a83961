"""What every provider promises, and the settings of panels."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import get_template
from hypothesis import given
from hypothesis import strategies as st

from annotation.forms.campaign import CampaignForm
from annotation.providers import PROVIDERS
from annotation.providers.base import Arrival, Completion, Outcome, Preview
from annotation.providers.forms import provider_forms
from annotation.providers.panel.provider import PANEL
from annotation.providers.panel.settings import PRESETS, panel_settings
from kernel.errors import InvalidInput

PROLIFIC = {"preset": "prolific", "codes": {"completed": "DONE1", "screened_out": "OUT1"}}
SONA = {
    "preset": "sona",
    "redirect": "https://school.sona-systems.com/webstudy_credit.aspx?experiment_id=7&survey_code={worker}",
}
HITS = {"title": "Name them all", "description": "One phrase for several people"}
SETTINGS: dict[str, dict[str, Any]] = {"local": {}, "panel": PROLIFIC, "mturk": HITS}
PERSON = {"PROLIFIC_PID": "5f1c0ffee", "STUDY_ID": "s1", "SESSION_ID": "x9", "other": "thing"}


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_takes_its_own_settings_and_refuses_unknown_ones(name):
    PROVIDERS[name].check(SETTINGS[name])

    with pytest.raises(InvalidInput, match="provider_settings"):
        PROVIDERS[name].check({**SETTINGS[name], "colour": "blue"})


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("outcome", Outcome)
def test_every_provider_answers_for_every_outcome_with_something_complete(name, outcome):
    completion = PROVIDERS[name].completion(SETTINGS[name], outcome)

    assert (completion.kind == "redirect") == bool(completion.url)
    assert completion.kind != "code" or completion.code


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_brings_its_pages_and_keeps_a_mark_of_people_it_sent(name):
    provider = PROVIDERS[name]
    pages = ["campaign"] if provider.takes_own_people else ["campaign", "price"]

    assert provider.name == name
    for page in pages:
        get_template(f"annotation/providers/{name}/{page}.html")
    assert provider.takes_own_people == (provider.door(SETTINGS[name]) is None) == (not provider.kept_details)


def test_no_two_forms_name_a_field_alike():
    forms = [CampaignForm, *provider_forms().values()]

    names = [name for form in forms for name in form.base_fields]
    assert len(names) == len(set(names))
    for form in provider_forms().values():
        assert set(form.field_of.values()) <= set(form.base_fields)
        assert set(form.initial_of({})) == set(form.base_fields)


@pytest.mark.parametrize("name", PROVIDERS)
@given(query=st.dictionaries(st.sampled_from([*PERSON, "x"]), st.text()))
def test_no_address_breaks_a_provider_and_who_arrives_is_always_the_same(name, query):
    first = PROVIDERS[name].arrival(SETTINGS[name], query)

    assert first == PROVIDERS[name].arrival(SETTINGS[name], query)
    if isinstance(first, Arrival):
        assert 0 < len(first.external_id) <= 200


def test_a_person_from_prolific_is_known_by_their_id_and_goes_back_with_the_code():
    arrival = PANEL.arrival(PROLIFIC, PERSON)

    assert arrival == Arrival("prolific:5f1c0ffee", {"panel": "prolific", "study": "s1", "session": "x9"})
    done = PANEL.completion(PROLIFIC, Outcome.COMPLETED, arrival)
    assert done == Completion("redirect", "DONE1", "https://app.prolific.com/submissions/complete?cc=DONE1", "Prolific")


@pytest.mark.parametrize("worker", ["", "{{%PROLIFIC_PID%}}", "%SURVEY_CODE%", "${e://Field/PID}", "tester"])
def test_an_address_with_nobody_in_it_is_a_preview(worker):
    settings = PROLIFIC | {"preview": ["tester"]}

    assert PANEL.arrival(settings, {"PROLIFIC_PID": worker}) == Preview()
    assert PANEL.arrival(settings, {}) == Preview()


@pytest.mark.parametrize("worker", ["a b", "<script>", "é", "x" * 151, "a\x00"])
def test_a_damaged_id_is_nobody(worker):
    assert PANEL.arrival(PROLIFIC, {"PROLIFIC_PID": worker}) is None


def test_the_same_id_on_two_panels_is_two_people():
    connect = {"preset": "connect", "codes": {"completed": "C"}}
    other = {"site": "Campus panel", "worker": "id", "codes": {"completed": "C"}}

    from_connect = PANEL.arrival(connect, {"participantId": "7"})
    from_campus = PANEL.arrival(other, {"id": "7"})

    assert isinstance(from_connect, Arrival)
    assert isinstance(from_campus, Arrival)
    assert (from_connect.external_id, from_campus.external_id) == ("connect:7", "campus-panel:7")


def test_a_panel_that_wants_the_id_back_gets_it_escaped_and_no_address_once_it_is_erased():
    arrival = PANEL.arrival(SONA, {"survey_code": "a=1+b"})

    assert PANEL.completion(SONA, Outcome.COMPLETED, arrival).url.endswith("survey_code=a%3D1%2Bb")
    assert PANEL.completion(SONA, Outcome.COMPLETED).kind == "none"
    assert PANEL.completion(SONA, Outcome.SCREENED_OUT, arrival).kind == "none", "no credit for work not done"


def test_whoever_gets_no_further_task_is_paid_as_completed_unless_there_is_a_code_for_it():
    assert PANEL.completion(PROLIFIC, Outcome.EXCLUDED).code == "DONE1"
    with_code = {"preset": "prolific", "codes": {"completed": "D", "failed": "F"}}
    assert PANEL.completion(with_code, Outcome.EXCLUDED).code == "F"
    assert PANEL.completion(PROLIFIC, Outcome.NO_CONSENT).kind == "none"


def test_a_panel_without_a_redirect_gives_a_code_to_copy():
    settings = {"worker": "id", "codes": {"completed": "COPY-ME"}}

    assert PANEL.completion(settings, Outcome.COMPLETED) == Completion("code", "COPY-ME", "", "the panel")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"preset": "nowhere"}, "preset"),
        ({"codes": {}}, "codes.completed"),
        ({"codes": {"completed": "a b"}}, "codes.completed"),
        ({"codes": {"finished": "a"}}, "codes.finished"),
        ({"codes": "abc"}, "codes"),
        ({"worker": ""}, "worker"),
        ({"worker": "a b"}, "worker"),
        ({"study": 7}, "study"),
        ({"site": ""}, "site"),
        ({"preview": "x"}, "preview"),
        ({"redirect": "http://panel.example/?cc={code}"}, "redirect"),
        ({"redirect": "javascript:alert({code})"}, "redirect"),
        ({"redirect": "https://{code}.example/"}, "redirect"),
        ({"redirect": "https://me@panel.example/?cc={code}"}, "redirect"),
        ({"redirect": "https://[panel/?cc={code}"}, "redirect"),
        ({"redirect": "https://panel.example/"}, "redirect"),
        ({"redirect": "https://panel.example/?cc={code}&x={secret}"}, "redirect"),
        ({"redirect": "https://panel.example/?cc={code}&x={"}, "redirect"),
    ],
)
def test_wrong_settings_are_refused_and_the_field_is_named(changes, field):
    with pytest.raises(InvalidInput) as refused:
        panel_settings(PROLIFIC | changes)

    assert refused.value.field == f"provider_settings.{field}"


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_needs_only_what_the_researcher_alone_knows(preset):
    own = {"other": {"worker": "id"}}.get(preset, {})

    assert panel_settings({"preset": preset, "codes": {"completed": "C"}, **own}).preset == preset
