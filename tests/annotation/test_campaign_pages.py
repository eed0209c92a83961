"""The researcher's pages of a campaign."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Annotation, Assignment, Campaign, Instructions, Invite, Participation, Task
from annotation.services import assigning, campaigns, excluding, leaving
from annotation.services.instructions import default_instructions
from annotation.task_types import TASK_TYPES
from kernel.models import AuditEntry, Job
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path


def test_an_empty_list_says_what_to_do(researcher):
    page = shown(researcher.get("/campaigns/"))

    assert "No campaigns yet" in page
    assert "/campaigns/new/" in page


def test_a_campaign_s_page_leads_with_its_state_and_shows_progress(researcher):
    campaign = make_campaign(size=2, redundancy=1, reward=Decimal("0.10"))
    make_answer(make_participation(campaign))

    page = re.sub(r"<[^>]*>|\s+", " ", shown(researcher.get(f"/campaigns/{campaign.pk}/")))

    words = " ".join(page.split())
    assert "1 of 2 answers" in words
    assert "0 reviewed 1 not reviewed 1 being answered 0 to come" in words
    assert "Needs attention 1 task to review" in words
    assert "Earned $0.10 of $0.20 for 2 answers" in words
    assert "Participant 1" in words, "the latest answers name who gave them"


def test_steps_are_confirmed_done_once_and_kept(researcher):
    campaign = make_campaign(is_running=False)
    base = f"/campaigns/{campaign.pk}/do"

    assert "From now on, answers cost money" in shown(researcher.get(f"{base}/start/"))
    assert Campaign.objects.get().status == "draft"
    for action in ("start", "start", "pause", "resume", "close"):
        assert researcher.post(f"{base}/{action}/").status_code == 302
    for _ in range(2):
        researcher.post(f"{base}/extend/", {"people": 2, "now_asked": 3})
    researcher.post(f"{base}/one-more/")
    researcher.post(f"{base}/take-back/")

    campaign.refresh_from_db()
    assert (campaign.status, campaign.redundancy) == ("closed", 5)
    steps = AuditEntry.objects.filter(subject_type="annotation.campaign").order_by("id")
    done = [action for action in steps.values_list("action", flat=True) if action != "create campaign"]
    assert done == ["start campaign", "pause campaign", "resume campaign", "close campaign", "extend campaign"]
    assert researcher.post(f"{base}/pause/").status_code == 409
    assert researcher.get(f"{base}/explode/").status_code == 404


def test_tasks_in_hand_are_taken_back(researcher):
    campaign = make_campaign(size=1, redundancy=1)
    person = make_participation(campaign)
    assigning.take_turn(person.secret)

    researcher.post(f"/campaigns/{campaign.pk}/do/take-back/")

    assert Assignment.objects.get().status == "expired"
    assert Task.objects.get().free == 1
    assert AuditEntry.objects.filter(action="release held tasks").exists()


def test_only_what_nobody_wrote_in_is_deleted_and_only_by_name(researcher):
    campaign = make_campaign()
    url = f"/campaigns/{campaign.pk}/delete/"

    assert "nothing was deleted" in shown(researcher.post(url, {"name": "phrases?"}))
    make_answer(make_participation(campaign))
    assert "cannot be deleted, only closed" in shown(researcher.get(url))
    assert researcher.post(url, {"name": "Phrases"}).status_code == 409
    other = make_campaign("Other")
    assert researcher.post(f"/campaigns/{other.pk}/delete/", {"name": "Other"}).url == "/campaigns/"
    assert Campaign.objects.get() == campaign


def test_what_is_owed_to_somebody_who_withdrew_is_not_deleted_with_the_campaign(researcher):
    campaign = make_campaign(reward=Decimal("0.10"))
    person = make_participation(campaign)
    make_answer(person)
    leaving.withdraw(person.secret)
    url = f"/campaigns/{campaign.pk}/delete/"

    assert "owed to people who withdrew" in shown(researcher.get(url))
    assert researcher.post(url, {"name": "Phrases"}).status_code == 409
    assert Participation.objects.get().earned == Decimal("0.10")


def test_nobody_loses_a_task_in_hand_because_its_campaign_is_deleted(researcher):
    campaign = make_campaign()
    assigning.take_turn(make_participation(campaign).secret)
    url = f"/campaigns/{campaign.pk}/delete/"

    assert researcher.post(url, {"name": "Phrases"}).status_code == 409
    campaigns.release_turns(campaign, by=None)

    assert researcher.post(url, {"name": "Phrases"}).status_code == 302


def test_plots_come_as_part_page_and_files(researcher):
    campaign = make_campaign(size=2, redundancy=1)
    make_answer(make_participation(campaign))

    assert shown(researcher.get(f"/campaigns/{campaign.pk}/plots/")).count("<figure") == 3
    svg = researcher.get(f"/campaigns/{campaign.pk}/plots/tasks.svg")
    rows = shown(researcher.get(f"/campaigns/{campaign.pk}/plots/tasks.csv?bom=no")).split()
    assert svg["Content-Type"] == "image/svg+xml"
    assert rows == ['"answers","tasks"', '"0","1"', '"1","1"']
    assert researcher.get(f"/campaigns/{campaign.pk}/plots/other.csv").status_code == 404


def test_a_link_is_made_and_withdrawn(researcher):
    campaign = make_campaign()

    researcher.post(f"/campaigns/{campaign.pk}/invites/", {"label": " The  seminar", "capacity": "12"})
    invite = Invite.objects.get()
    page = shown(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert f"/task/join/{invite.code}/" in page
    assert (invite.label, invite.capacity) == ("The seminar", 12)
    for _ in range(2):
        researcher.post(f"/campaigns/invites/{invite.pk}/revoke/")

    assert f"/task/join/{invite.code}/" not in shown(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert AuditEntry.objects.filter(action="revoke invite").count() == 1
    assert researcher.post(f"/campaigns/{campaign.pk}/invites/", {"label": "x", "capacity": "0"}).status_code == 422


# ---- Gold, instructions, trying, files ------------------------------------------------------------


def test_gold_is_chosen_on_its_page(researcher):
    campaign = make_campaign(is_running=False, gold_every=2, reward=Decimal("0.10"))
    task = campaign.tasks.get(position=1)

    researcher.post(f"/campaigns/tasks/{task.pk}/gold/", {"phrases": "botanists\r\nscientists\r\n", "page": "1"})
    assert "botanists / scientists" in shown(researcher.get(f"/campaigns/{campaign.pk}/gold/?show=gold"))
    assert "2 of 3 tasks are left to be answered as data" in shown(
        researcher.get(f"/campaigns/{campaign.pk}/settings/")
    )
    asked = shown(researcher.get(f"/campaigns/{campaign.pk}/do/start/"))
    assert "<dd>2, and 1 check task</dd>" in asked
    assert "$0.90 for 6 answers and about 3 to check tasks" in asked

    researcher.post(f"/campaigns/tasks/{task.pk}/gold/", {"action": "unset"})
    assert not Task.objects.filter(is_gold=True).exists()


def test_an_edit_of_instructions_is_their_next_version(researcher):
    old = default_instructions(TASK_TYPES["aggregation"])
    form = {"name": old.name, "summary": "# Short\n<b>x</b>", "details": "d", "examples": "+ good"}
    url = f"/campaigns/instructions/{old.pk}/new/"

    preview = shown(researcher.post(url, form | {"action": "look"}))
    assert "<h3>Short</h3>" in preview
    assert "&lt;b&gt;" in preview
    assert Instructions.objects.count() == 1
    researcher.post(url, form | {"action": "keep"})

    new = Instructions.objects.get(version=2)
    old.refresh_from_db()
    assert (new.summary, old.version) == ("# Short\n<b>x</b>", 1)
    assert "There is a later version" in shown(researcher.get(f"/campaigns/instructions/{old.pk}/"))
    assert researcher.post(url, form | {"details": " ", "action": "keep"}).status_code == 422


def test_trying_a_task_checks_the_answer_and_stores_nothing(researcher):
    campaign = make_campaign(is_running=False)
    url = f"/campaigns/{campaign.pk}/try/0/"

    page = shown(researcher.get(url))
    assert "Ida Lind" in page
    assert "data-assignment" not in page, "the browser keeps nothing either"
    refused = researcher.post(url, {"phrase_1": "they"})
    assert refused.status_code == 422
    assert "points at them" in shown(refused)
    assert researcher.post(url + "check/", {"phrase_1": "they"}).json()["findings"][0]["level"] == "block"
    assert "<strong>the botanists</strong>" in shown(researcher.post(url, {"phrase_1": "the botanists"}))
    assert not any(model.objects.exists() for model in (Annotation, Assignment, Participation))
    assert researcher.get(f"/campaigns/{campaign.pk}/try/99/").status_code == 404


def test_answers_are_downloaded_and_results_uploaded(researcher):
    campaign = make_campaign(size=1)
    make_answer(make_participation(campaign))
    base = f"/campaigns/{campaign.pk}/answers"

    lines = b"".join(researcher.get(f"{base}/annotations.csv").streaming_content).decode().splitlines()
    assert len(lines) == 2
    upload = SimpleUploadedFile("results.csv", b"Input.id_,WorkerId,Answer.utterance_1\n")
    answer = researcher.post(f"{base}/import/", {"file": upload})
    assert answer.url == f"/jobs/{Job.objects.get(kind='import_mturk_results').pk}/"
    assert researcher.post(f"{base}/import/").status_code == 422


@pytest.mark.parametrize("page", ["", "people/", "answers/", "agreement/", "settings/", "gold/"])
def test_the_pages_of_a_campaign_share_its_header_and_tabs(researcher, page):
    campaign = make_campaign(size=1)

    text = shown(researcher.get(f"/campaigns/{campaign.pk}/{page}"))

    tabs = re.search(r'<nav class="tabs" aria-label="Campaign".*?</nav>', text)
    assert tabs
    assert re.findall(r">(\w+)<", tabs[0])[:1] == ["Overview"]
    assert tabs[0].count('aria-current="page"') == 1
    assert f"<h1>{campaign.name}</h1>" in text


OLD = {
    "/agreement/": "/campaigns/",
    "/agreement/{pk}/": "/campaigns/{pk}/agreement/",
    "/campaigns/{pk}/review/": "/admin/review/{pk}/",
}


@pytest.mark.parametrize(("old", "new"), OLD.items())
def test_old_addresses_lead_to_their_pages(researcher, old, new):
    pk = make_campaign(size=1).pk

    assert researcher.get(old.format(pk=pk)).url == new.format(pk=pk)
    assert researcher.get(new.format(pk=pk)).status_code == 200


def test_a_closed_campaign_leads_on_to_a_release_and_not_to_links(researcher):
    campaign = make_campaign(size=1)
    address, release = f"/campaigns/{campaign.pk}/", f"/releases/new/?campaigns={campaign.pk}"
    running = shown(researcher.get(address))
    campaigns.close(campaign.pk, by=None)

    closed = shown(researcher.get(address))

    assert "Invitation links" in running
    assert "Invitation links" not in closed
    assert f'href="{release}"' in closed
    assert f'href="{release}"' not in running
    assert re.search(rf'<input[^>]*name="campaigns" value="{campaign.pk}"[^>]*checked', shown(researcher.get(release)))
    linked = make_campaign("With a link", size=1)
    Invite.objects.create(campaign=linked, label="friends", capacity=2)
    campaigns.close(linked.pk, by=None)
    assert "Invitation links" in shown(researcher.get(f"/campaigns/{linked.pk}/"))


def test_the_pages_of_a_campaign_that_was_closed_and_excluded_in_still_open(researcher):
    campaign = make_campaign(size=2)
    person = make_participation(campaign)
    make_answer(person)
    excluding.exclude(person.pk, reason="a test", by=None)
    campaigns.close(campaign.pk, by=None)

    for page in ("", "people/", "people/?show=excluded", "gold/", "answers/", "plots/", "do/resume/", "do/one-more/"):
        assert researcher.get(f"/campaigns/{campaign.pk}/{page}").status_code == 200


# ---- The API --------------------------------------------------------------------------------------


def test_the_api_tells_how_a_campaign_gets_on_and_what_was_written(researcher):
    campaign = make_campaign(size=2, redundancy=1, reward=Decimal("0.10"))
    person = make_participation(campaign, "ann@panel.example")
    make_answer(person, "the botanists")

    listed = researcher.get("/api/v1/campaigns/").json()["results"][0]
    detail = researcher.get(f"/api/v1/campaigns/{campaign.pk}/").json()
    page = researcher.get(f"/api/v1/campaigns/{campaign.pk}/annotations/")

    assert (listed["name"], listed["status"], listed["reward"]) == ("Phrases", "running", "0.10")
    assert (detail["progress"]["answers"], detail["progress"]["wanted"]) == (1, 2)
    assert detail["progress"]["by_answers"] == {"0": 1, "1": 1, "2": 0, "3 or more": 0}
    assert page.json()["results"][0]["answer"]["phrases"] == ["the botanists"]
    assert "ann@panel" not in shown(page)
    assert person.secret not in shown(page)


def test_a_panel_campaign_shows_the_address_that_people_are_sent_to_and_the_codes(researcher, settings):
    settings.PUBLIC_ORIGIN = "https://tesa.example.org"
    codes = {"completed": "DONE1", "screened_out": "OUT1"}
    campaign = make_campaign(provider="panel", provider_settings={"preset": "prolific", "codes": codes})

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/"))

    query = "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}"
    assert f"https://tesa.example.org/task/panel/{campaign.slug}/?{query}</code>" in page
    assert 'data-copy="panel-address"' in page
    assert 'href="#panel"' in page
    assert 'id="panel"' in page
    for part in ("<code>DONE1</code>", "<code>OUT1</code>", "exclusion is not rejection"):
        assert part in page


@pytest.mark.parametrize(
    ("provider_settings", "ending"),
    [
        ({"preset": "sona", "redirect": "https://a.example/?s={worker}"}, "/?survey_code=%SURVEY_CODE%</code>"),
        ({"preset": "connect", "codes": {"completed": "A"}}, "/</code>"),
        ({"preset": "other", "worker": "id", "codes": {"completed": "A"}}, "/?id={{id}}</code>"),
    ],
)
def test_each_panel_is_told_in_its_own_way_who_comes(researcher, provider_settings, ending):
    campaign = make_campaign(provider="panel", provider_settings=provider_settings)

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/"))

    assert f"/task/panel/{campaign.slug}{ending}" in page
    assert ("adds each person’s id itself" in page) == (provider_settings["preset"] == "connect")
    assert ("Replace the braces" in page) == (provider_settings["preset"] == "other")


def test_a_small_form_that_is_refused_comes_back_with_its_text_and_a_sentence_beside_the_field(researcher):
    campaign = make_campaign()
    person = make_participation(campaign)
    base = f"/campaigns/{campaign.pk}"

    link = researcher.post(f"{base}/invites/", {"label": "The seminar", "capacity": "10001"})
    more = researcher.post(f"{base}/do/extend/", {"people": "many", "now_asked": "3"})
    why = researcher.post(f"{base}/people/decide/", {"action": "exclude", "person": person.pk, "reason": " "})
    file = researcher.post(f"{base}/answers/import/")

    for answer, sentences in (
        (
            link,
            (
                'value="The seminar"',
                'value="10001"',
                'id="capacity-problem" role="alert">Must be between 1 and 10,000.',
            ),
        ),
        (more, ('value="many"', 'id="people-problem" role="alert">Enter a number, for example 1.')),
        (why, ('id="reason-problem" role="alert">Enter a reason',)),
        (file, ('id="file-problem" role="alert">Choose a result file',)),
    ):
        assert answer.status_code == 422
        assert "That did not work" not in shown(answer)
        for sentence in sentences:
            assert sentence in shown(answer)
    assert not Invite.objects.exists()
