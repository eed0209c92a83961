"""A draft's settings can be changed; those of a campaign people have come to cannot."""

from __future__ import annotations

from decimal import Decimal

import pytest

from annotation.models import Campaign, Task
from annotation.services import campaigns, editing, gold, importing
from kernel.models import AuditEntry
from tests.annotation.researching import filled
from tests.make import make_campaign, make_sample
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_draft_is_edited_on_the_form_it_was_made_with_and_the_change_is_kept_in_the_trail(researcher):
    draft = make_campaign("First", is_running=False, size=4, reward=Decimal("0.15"), estimated_s=100)
    page = shown(researcher.get(f"/campaigns/{draft.pk}/edit/"))
    assert 'value="1.67"' in page  # every second comes back
    assert "$1.80" in page

    fields = filled(draft.sample, name="Second", contact="Ada", estimated_minutes="1.67")
    answer = researcher.post(f"/campaigns/{draft.pk}/edit/", fields)

    assert answer.url == f"/campaigns/{draft.pk}/"
    draft.refresh_from_db()
    assert (draft.name, draft.contact, draft.estimated_s, draft.status) == ("Second", "Ada", 100, "draft")
    entry = AuditEntry.objects.get(action="edit campaign")
    assert (entry.before["name"], entry.after["name"]) == ("First", "Second")
    assert "reward" not in entry.after
    assert entry.actor_name == "ben"


def test_other_redundancy_reaches_every_task(researcher):
    draft = make_campaign("First", is_running=False, size=4, reward=Decimal("0.15"))
    first = Task.objects.order_by("position")[0]
    gold.set_gold(first.pk, {"phrases": "botanists"}, by=None)

    researcher.post(f"/campaigns/{draft.pk}/edit/", filled(draft.sample, redundancy=5))

    assert Campaign.objects.get().redundancy == 5
    assert list(Task.objects.order_by("position").values_list("slots", "free")) == [(5, 0), (5, 5), (5, 5), (5, 5)]
    assert gold.unset_gold(first.pk, by=None).free == 5


def test_answers_imported_into_a_draft_count_when_it_is_put_to_more_or_fewer_people():
    draft = make_campaign("First", is_running=False, size=2)
    first = Task.objects.select_related("member").order_by("position")[0]
    header = "WorkerId,WorkTimeInSeconds,Input.id_,Answer.utterance_1"
    [*_] = importing.import_results(
        draft, "mturk", [header, *(f"{worker},9,{first.member.key},a" for worker in "AB")], by=None
    )
    plan = {name: getattr(draft, name) for name in campaigns.CampaignPlan.__dataclass_fields__}

    for people, wanted in ((4, [(4, 2, 2), (4, 4, 0)]), (1, [(2, 0, 2), (1, 1, 0)]), (2, [(2, 0, 2), (2, 2, 0)])):
        editing.edit_campaign(draft.pk, campaigns.CampaignPlan(**plan | {"redundancy": people}), by=None)
        assert list(Task.objects.order_by("position").values_list("slots", "free", "answers")) == wanted


def test_the_sample_and_the_seed_stay_whatever_is_sent(researcher):
    draft = make_campaign("First", is_running=False, size=3, reward=Decimal("0.15"), seed=7)

    researcher.post(f"/campaigns/{draft.pk}/edit/", filled(make_sample("Other"), seed=9))

    changed = Campaign.objects.get()
    assert (changed.sample_id, changed.seed, changed.contact) == (draft.sample_id, 7, "Ben")


def test_what_the_form_does_not_ask_of_a_panel_stays(researcher):
    settings = {"preset": "prolific", "codes": {"completed": "C1", "no_consent": "N1"}, "study": "STUDY"}
    draft = make_campaign(
        "First", is_running=False, reward=Decimal("0.15"), provider="panel", provider_settings=settings
    )
    panel = {"provider": "panel", "panel": "prolific", "code_completed": "C2"}

    researcher.post(f"/campaigns/{draft.pk}/edit/", filled(draft.sample) | panel)

    assert Campaign.objects.get().provider_settings == settings | {"codes": {"completed": "C2", "no_consent": "N1"}}


@pytest.mark.parametrize(
    ("fields", "sentence"), [({"redundancy": 0}, "between 1 and 50"), ({"name": "Taken"}, "already")]
)
def test_what_cannot_be_is_refused_at_its_field_and_changes_nothing(researcher, fields, sentence):
    make_campaign("Taken")
    draft = make_campaign("First", is_running=False, reward=Decimal("0.15"))

    answer = researcher.post(f"/campaigns/{draft.pk}/edit/", filled(draft.sample) | fields)

    assert answer.status_code == 422
    assert sentence in shown(answer)
    assert "Nothing was saved." in shown(answer)
    draft.refresh_from_db()
    assert (draft.name, draft.contact) == ("First", "team@tesa.invalid")


def test_a_running_campaign_refuses_in_one_sentence_and_offers_no_edit(researcher):
    running = make_campaign("First")
    page = f"/campaigns/{running.pk}/edit/"

    answers = researcher.get(page), researcher.post(page, filled(running.sample, contact="Ada"))

    for answer in answers:
        assert answer.status_code == 409
        assert "The campaign is running: its settings can be changed only while it is a draft." in shown(answer)
    assert page not in shown(researcher.get(f"/campaigns/{running.pk}/"))
    assert Campaign.objects.get().contact == "team@tesa.invalid"


def test_nothing_is_edited_while_the_tasks_are_being_made(researcher):
    draft = campaigns.create_campaign(
        campaigns.CampaignPlan(name="First", sample=make_sample(), contact="Ben"), by=None
    )

    answer = researcher.get(f"/campaigns/{draft.pk}/edit/")

    assert answer.status_code == 409
    assert "still being created" in shown(answer)
