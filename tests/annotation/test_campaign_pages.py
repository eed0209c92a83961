"""The researcher's pages of a campaign."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.models import Annotation, Assignment, Campaign, Instructions, Invite, Participation, Task
from annotation.services import campaigns, people
from annotation.services.instructions import default_instructions
from tesa_site.kernel.models import AuditEntry, Job
from tesa_site.kernel.roles import Role
from tests.make import make_answer, make_campaign, make_participation, make_sample, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def researcher(client):
    client.force_login(make_user("ben"))
    return client


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path


def text(answer) -> str:
    return answer.content.decode()


def filled(sample, **fields) -> dict[str, object]:
    return {
        "name": "First", "sample": sample.pk, "seed": 1, "provider": "local", "redundancy": 3, "per_person": 0,
        "reward": "0.15", "currency": "usd", "estimated_minutes": "1.5", "time_limit_minutes": 15, "practice": 1,
        "quiz_pass": 0, "gold_every": 0, "has_signals": "on", "consent": "You may stop.", "contact": "Ben",
    } | fields  # fmt: skip


# ---- Making ---------------------------------------------------------------------------------------


def test_an_empty_list_says_what_to_do(researcher):
    page = text(researcher.get("/campaigns/"))

    assert "No campaign yet" in page
    assert "/campaigns/new/" in page


def test_the_price_is_seen_before_anything_is_made(researcher):
    sample = make_sample(size=4)

    first = researcher.post("/campaigns/new/", filled(sample))

    assert "USD 1.80" in text(first)
    assert "USD 6.00 an hour" in text(first)
    assert not Campaign.objects.exists()

    second = researcher.post("/campaigns/new/", filled(sample, seen_total="1.80"))
    campaign = Campaign.objects.get()
    assert second.url == f"/campaigns/{campaign.pk}/"
    assert (campaign.status, campaign.estimated_s, campaign.time_limit_s) == ("draft", 90, 900)
    assert Job.objects.get().kind == "make_tasks"
    assert "Wait for the job" in text(researcher.get(second.url))


def test_what_costs_something_else_than_was_seen_is_shown_again(researcher):
    answer = researcher.post("/campaigns/new/", filled(make_sample(size=4), seen_total="1.80", redundancy=5))

    assert "USD 3.00" in text(answer)
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "This field is required"),
        ({"redundancy": 0}, "must be between 1 and 50"),
        ({"gold_every": 1}, "would hide gold in every task"),
        ({"practice": 99}, "there are no more questions"),
        ({"currency": "$"}, "three letters"),
        ({"time_limit_minutes": "0.1"}, "must be between 60 and"),
        ({"qualifications": "English"}, "is not of the form"),
        ({"provider": "panel", "panel": "prolific", "code_completed": "a b"}, "must be letters, digits"),
        (
            {"provider": "panel", "panel": "other", "panel_worker": "id", "panel_redirect": "http://x.invalid/{code}"},
            "https",
        ),
        ({"qualifications": "min_answers = many"}, "number"),
        ({"sample": 0}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(researcher, fields, sentence):
    answer = researcher.post("/campaigns/new/", filled(make_sample()) | fields)

    assert answer.status_code == 422
    assert sentence in text(answer)
    assert not Campaign.objects.exists()


def test_a_panel_needs_no_more_than_its_name_and_a_code(researcher):
    fields = {"provider": "panel", "panel": "prolific", "code_completed": "C1A2B3", "seen_total": "1.35"}

    researcher.post("/campaigns/new/", filled(make_sample()) | fields)

    campaign = Campaign.objects.get()
    assert campaign.provider_settings == {"preset": "prolific", "codes": {"completed": "C1A2B3"}}
    page = text(researcher.get(f"/campaigns/new/?from={campaign.pk}"))
    assert "C1A2B3" in page


def test_a_name_is_given_once(researcher):
    campaign = make_campaign("First", reward=Decimal(1))

    answer = researcher.post("/campaigns/new/", filled(campaign.sample, seen_total="1.35"))

    assert answer.status_code == 422
    assert "there is a campaign of this name already" in text(answer)


def test_a_pilot_becomes_the_main_campaign_with_another_sample(researcher):
    pilot = make_campaign("Pilot", is_pilot=True, reward=Decimal("0.25"), qualifications={"language": "English"})
    other = make_sample("Main", size=2)

    page = text(researcher.get(f"/campaigns/new/?from={pilot.pk}"))
    assert "Pilot – main" in page
    assert "language = English" in page
    researcher.post(f"/campaigns/new/?from={pilot.pk}", filled(other, seen_total="0.90"))

    main = Campaign.objects.get(name="First")
    assert (main.made_from, main.is_pilot, main.sample) == (pilot, False, other)


def test_the_command_makes_the_tasks_and_opens_the_campaign(capsys):
    make_sample("S", size=3)

    for _ in range(2):
        call_command("create_campaign", "By hand", "S", contact="Ben", reward="0.10", start=True)

    campaign = Campaign.objects.get()
    assert (campaign.status, campaign.tasks.count()) == ("running", 3)
    assert "9 answers come to USD 0.90" in capsys.readouterr().out
    with pytest.raises(CommandError, match="there is no sample"):
        call_command("create_campaign", "Other", "T", contact="Ben")


# ---- Its page and its steps -----------------------------------------------------------------------


def test_a_campaign_s_page_leads_with_its_state_and_shows_progress(researcher):
    campaign = make_campaign(size=2, redundancy=1, reward=Decimal("0.10"))
    make_answer(make_participation(campaign))

    page = text(researcher.get(f"/campaigns/{campaign.pk}/"))
    part = text(researcher.get(f"/campaigns/{campaign.pk}/", headers={"HX-Request": "true"}))

    assert "1 of 2 answers, 1 in hand" in page
    assert "People are at work" in part
    assert "<html" not in part


def test_steps_are_confirmed_done_once_and_kept(researcher):
    campaign = make_campaign(is_running=False)
    base = f"/campaigns/{campaign.pk}/do"

    assert "From now on answers cost money" in text(researcher.get(f"{base}/start/"))
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
    from annotation.services import assigning

    assigning.take_turn(person.secret)
    researcher.post(f"/campaigns/{campaign.pk}/do/take-back/")

    assert Assignment.objects.get().status == "expired"
    assert Task.objects.get().free == 1
    assert AuditEntry.objects.filter(action="take back tasks in hand").exists()


def test_only_what_nobody_wrote_in_is_deleted_and_only_by_name(researcher):
    campaign = make_campaign()
    url = f"/campaigns/{campaign.pk}/delete/"

    assert "nothing was deleted" in text(researcher.post(url, {"name": "phrases?"}))
    make_answer(make_participation(campaign))
    assert "cannot be deleted, only closed" in text(researcher.get(url))
    assert researcher.post(url, {"name": "Phrases"}).status_code == 409
    other = make_campaign("Other")
    assert researcher.post(f"/campaigns/{other.pk}/delete/", {"name": "Other"}).url == "/campaigns/"
    assert Campaign.objects.get() == campaign


def test_plots_come_as_part_page_and_files(researcher):
    campaign = make_campaign(size=2, redundancy=1)
    make_answer(make_participation(campaign))

    assert text(researcher.get(f"/campaigns/{campaign.pk}/plots/")).count("<svg") == 3
    svg = researcher.get(f"/campaigns/{campaign.pk}/plots/tasks.svg")
    rows = text(researcher.get(f"/campaigns/{campaign.pk}/plots/tasks.csv")).split()
    assert svg["Content-Type"] == "image/svg+xml"
    assert rows == ["answers,tasks", "0,1", "1,1"]
    assert researcher.get(f"/campaigns/{campaign.pk}/plots/other.csv").status_code == 404


def test_a_link_is_made_and_withdrawn(researcher):
    campaign = make_campaign()

    researcher.post(f"/campaigns/{campaign.pk}/invites/", {"label": " The  seminar", "capacity": "12"})
    invite = Invite.objects.get()
    page = text(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert f"/task/join/{invite.code}/" in page
    assert (invite.label, invite.capacity) == ("The seminar", 12)
    for _ in range(2):
        researcher.post(f"/campaigns/invites/{invite.pk}/revoke/")

    assert f"/task/join/{invite.code}/" not in text(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert AuditEntry.objects.filter(action="revoke invite").count() == 1
    assert researcher.post(f"/campaigns/{campaign.pk}/invites/", {"label": "x", "capacity": "0"}).status_code == 422


# ---- People ---------------------------------------------------------------------------------------


def test_people_are_shown_by_pseudonym_with_evidence(researcher, client):
    campaign = make_campaign(size=6, redundancy=1, provider="local")
    person = make_participation(campaign, "ann@panel.example")
    person.worker.provider = "panel"
    person.worker.save()
    for _ in range(6):
        make_answer(person, "nice people")
    researcher.post(f"/campaigns/{campaign.pk}/people/look/")

    page = text(researcher.get(f"/campaigns/{campaign.pk}/people/?show=seen"))
    assert "nice people" in page
    assert "ann@panel" not in page
    assert "ann@panel" not in text(researcher.get(f"/campaigns/people/{person.pk}/"))

    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    assert "ann@panel" in text(client.get(f"/campaigns/{campaign.pk}/people/"))


def test_many_answers_are_looked_at_by_a_job(researcher, monkeypatch):
    from annotation.views import people as views

    monkeypatch.setattr(views, "AT_ONCE", 0)
    campaign = make_campaign()
    make_answer(make_participation(campaign))

    answer = researcher.post(f"/campaigns/{campaign.pk}/people/look/")

    assert answer.url == f"/jobs/{Job.objects.get(kind='look_at_people').pk}/"


def test_a_person_is_excluded_and_counted_again_with_a_reason(researcher):
    campaign = make_campaign()
    person = make_participation(campaign)
    url = f"/campaigns/people/{person.pk}/decide/"

    assert researcher.post(url, {"action": "exclude"}).status_code == 422
    researcher.post(url, {"action": "exclude", "reason": "copies"})
    assert Participation.objects.get().excluded_why == "copies"
    researcher.post(url, {"action": "include", "reason": "no, quotes"})
    assert Participation.objects.get().excluded_at is None
    assert researcher.post(url, {"action": "reject", "reason": "x"}).status_code == 422


def test_a_late_answer_waits_for_a_decision_and_is_accepted_on_the_page(researcher):
    from tests.annotation.test_people_decisions import late_answer

    campaign = make_campaign(size=1, redundancy=1)
    turn = late_answer(campaign)
    assert "1 late answers" in text(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert "Late answers" in text(researcher.get(f"/campaigns/{campaign.pk}/people/"))

    researcher.post(f"/campaigns/late/{turn.pk}/accept/")

    assert Assignment.objects.get(pk=turn.pk).status == "submitted"


# ---- Gold, instructions, trying, files ------------------------------------------------------------


def test_gold_is_chosen_on_its_page(researcher):
    campaign = make_campaign(is_running=False, gold_every=3)
    task = campaign.tasks.get(position=1)

    researcher.post(f"/campaigns/tasks/{task.pk}/gold/", {"phrases": "botanists\r\nscientists\r\n", "page": "1"})
    assert "botanists / scientists" in text(researcher.get(f"/campaigns/{campaign.pk}/gold/?show=gold"))

    researcher.post(f"/campaigns/tasks/{task.pk}/gold/", {"action": "unset"})
    assert not Task.objects.filter(is_gold=True).exists()


def test_an_edit_of_instructions_is_their_next_version(researcher):
    old = default_instructions("aggregation")
    given = {"name": old.name, "summary": "# Short\n<b>x</b>", "details": "d", "examples": "+ good"}
    url = f"/campaigns/instructions/{old.pk}/new/"

    preview = text(researcher.post(url, given | {"action": "look"}))
    assert "<h3>Short</h3>" in preview
    assert "&lt;b&gt;" in preview
    assert Instructions.objects.count() == 1
    researcher.post(url, given | {"action": "keep"})

    new = Instructions.objects.get(version=2)
    old.refresh_from_db()
    assert (new.summary, old.version) == ("# Short\n<b>x</b>", 1)
    assert "there is a later one" in text(researcher.get(f"/campaigns/instructions/{old.pk}/"))
    assert researcher.post(url, given | {"details": " ", "action": "keep"}).status_code == 422


def test_trying_a_task_checks_the_answer_and_stores_nothing(researcher):
    campaign = make_campaign(is_running=False)
    url = f"/campaigns/{campaign.pk}/try/0/"

    assert "Ida Lind" in text(researcher.get(url))
    refused = researcher.post(url, {"phrase_1": "they"})
    assert refused.status_code == 422
    assert "points at them" in text(refused)
    assert researcher.post(url + "check/", {"phrase_1": "they"}).json()["findings"][0]["level"] == "block"
    assert "<strong>the botanists</strong>" in text(researcher.post(url, {"phrase_1": "the botanists"}))
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


def test_the_pages_of_a_campaign_that_was_closed_and_excluded_in_still_open(researcher):
    campaign = make_campaign(size=2)
    person = make_participation(campaign)
    make_answer(person)
    people.exclude(person.pk, reason="a test", by=None)
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
    assert "ann@panel" not in text(page)
    assert person.secret not in text(page)
