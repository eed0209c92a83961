"""The review's pages and its API, without JavaScript."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Campaign, Review, ReviewItem
from annotation.services import assessing, assigning, doubts, reviewing
from annotation.services.reviewing import Opinion
from annotation.task_types.aggregation.answers import phrases_answer
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.roles import Role
from tests.annotation.answered import in_turn
from tests.make import make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db


def queue(client: Client, campaign: Campaign, query: str = "") -> str:
    return client.get(f"/admin/review/{campaign.pk}/{query}").content.decode()


def decide(client: Client, number: int, **form: str) -> str:
    """Post a verdict on the answer with this number; return the page that follows."""
    row = Annotation.objects.order_by("pk")[number - 1]
    url = reverse("admin:review-decide", args=[row.assignment.campaign_id, row.pk])
    return client.post(url, form, follow=True).content.decode()


def test_the_list_says_what_waits(client: Client, ben: User):
    assert "Nothing to review yet" in client.get("/admin/review/").content.decode()
    campaign = in_turn()

    assert f"/admin/review/{campaign.pk}/" in client.get("/admin/review/").content.decode()


def test_a_task_shows_passage_answers_rules_workers_and_reasons(client: Client, ben: User):
    text = queue(client, in_turn())

    assert "Two botanists meet" in text
    assert "typed: “The botanists.”" in text
    assert "stray_signs" in text
    assert "People gave different phrases." in text
    assert "1 answer in this campaign" in text
    assert "worker 0" not in text  # people only under pseudonyms


def test_a_word_nobody_knows_is_shown_with_what_may_have_been_meant_and_stays_as_written(client: Client, ben: User):
    text = queue(client, in_turn(phrases=("politicicans", "Arden experts")))

    assert "Spelling: for “politicicans” perhaps politicians" in text
    assert text.count("Spelling:") == 1  # names of the passage are known
    assert 'name="phrase_1" value="Politicicans"' in text


def test_looking_at_the_queue_or_at_a_task_stores_nothing(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "the botanists"), size=7)
    task = campaign.tasks.order_by("pk")[0].pk

    text = queue(client, campaign)
    assert "7 tasks wait for you" in text
    assert "2 answered tasks are not in the queue yet" in text or "has not been assessed yet" in text
    assert "All agree." in queue(client, campaign, f"?task={task}")
    assert not ReviewItem.objects.exists()


def test_a_new_task_takes_its_place_by_state_and_doubt(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "the botanists"), size=2)
    agreed, doubtful = campaign.tasks.order_by("pk")
    Annotation.objects.filter(assignment__task=doubtful).update(answer={"phrases": ["opera singers"], "reason": ""})
    row = Annotation.objects.filter(assignment__task=doubtful).order_by("pk")[0]
    row.answer = {"phrases": ["botanists"], "reason": ""}
    row.save()
    doubts.score_tasks(campaign, [agreed.pk])

    assert "People gave different phrases." in queue(client, campaign)
    assert "All agree." in queue(client, campaign, f"?skip={doubtful.pk}")
    assert "People gave different phrases." in queue(client, campaign, f"?skip={doubtful.pk}&skip={agreed.pk}")


def test_verdicts_lead_from_answer_to_answer_and_to_the_next_task(client: Client, ben: User):
    campaign = in_turn(size=2)
    doubts.catch_up(campaign, most=10)
    first = ReviewItem.objects.order_by("-score", "id")[0].task_id
    mine = [row.pk for row in Annotation.objects.filter(assignment__task_id=first).order_by("pk")]

    url = reverse("admin:review-decide", args=[campaign.pk, mine[0]])
    then = client.post(url, {"verdict": "accept"})
    assert then.headers["Location"].endswith(f"?task={first}")
    url = reverse("admin:review-decide", args=[campaign.pk, mine[1]])
    then = client.post(url, {"verdict": "exclude", "why": "no singers"})

    assert then.headers["Location"] == f"/admin/review/{campaign.pk}/"
    assert "1 task waits for you" in queue(client, campaign)
    assert Annotation.objects.get(pk=mine[1]).verdict == "exclude"


def test_a_correction_and_a_remark_and_undo(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    queue(client, campaign)

    assert "corrected" in decide(client, 1, verdict="correct", phrase_1="Nordic botanists", phrase_2="")
    assert "Nothing waits for you" in queue(client, campaign)
    text = client.post(f"/admin/review/{campaign.pk}/undo/", follow=True).content.decode()
    assert "Undone: corrected." in text
    assert "write the remark" in decide(client, 1, verdict="comment")
    text = decide(client, 1, verdict="comment", why="nice")
    assert "remark kept" in text
    assert "ben: <strong>Remark</strong> – nice" in text
    assert "Esc, then A, X, N or F: decide with this reason. Enter: only a remark." in text
    assert [row.verdict for row in Review.objects.all()] == ["correct", "undo", "comment"]


def test_the_page_asks_about_a_doubtful_correction_and_keeps_it_the_second_time(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    queue(client, campaign)

    text = decide(client, 1, verdict="correct", phrase_1="Ida Lind and Karl Moe", phrase_2="")
    assert "This lists the names" in text
    assert 'name="confirmed" value="phrase_1:list"' in text
    assert 'value="Ida Lind and Karl Moe"' in text
    again = {"verdict": "correct", "phrase_1": "Ida Lind and Karl Moe", "confirmed": "phrase_1:list"}
    assert "corrected" in decide(client, 1, **again)
    assert Annotation.objects.get().corrected == phrases_answer(["Ida Lind and Karl Moe"])


def test_bulk_accept_takes_what_all_agree_on(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "the botanists"), size=3)
    assert "Accept all where everybody agrees (3 tasks)" in queue(client, campaign)

    text = client.post(f"/admin/review/{campaign.pk}/accept/", follow=True).content.decode()

    assert "6 answers of 3 tasks are accepted" in text
    assert "Every answered task is settled" in text


def test_the_number_of_reviewers_is_set_on_the_page(client: Client, ben: User):
    campaign = in_turn()

    client.post(f"/admin/review/{campaign.pk}/reviewers/", {"reviewers": "2"})

    assert Campaign.objects.get().reviewers == 2
    assert client.post(f"/admin/review/{campaign.pk}/reviewers/", {"reviewers": "3"}).status_code == 422
    assert client.post(f"/admin/review/{campaign.pk}/reviewers/", {"reviewers": "x"}).status_code == 422


def test_a_second_reviewer_learns_what_the_first_decided_once_they_have_decided(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    reviewing.set_reviewers(campaign.pk, 2, by=ben)
    ada, row = make_user("ada"), Annotation.objects.get()
    for said in (Opinion("comment", why="a hard one"), Opinion("exclude", why="too vague")):
        reviewing.decide(row.pk, said, by=ada)

    before = queue(client, campaign)
    assert "a hard one" not in before
    assert before.count("Another reviewer has decided. You see how when you have.") == 1
    assert "too vague" not in before
    after = decide(client, 1, verdict="accept") + queue(client, campaign, f"?task={row.assignment.task_id}")
    assert "too vague" in after
    assert "a hard one" in after
    assert "Another reviewer has decided" not in after


def test_a_flag_is_shown_to_the_second_reviewer_without_its_reason(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    reviewing.set_reviewers(campaign.pk, 2, by=ben)
    reviewing.decide(Annotation.objects.get().pk, Opinion("flag", why="too general"), by=make_user("ada"))

    text = queue(client, campaign)

    assert "ada: <strong>Flag</strong>" in text
    assert "too general" not in text
    decide(client, 1, verdict="accept")
    assert "too general" in queue(client, campaign, f"?task={campaign.tasks.get().pk}")


def test_where_one_reviewer_is_enough_remarks_and_reasons_of_flags_are_for_the_next(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    ada = make_user("ada")
    for said in (Opinion("comment", why="a hard one"), Opinion("flag", why="too general")):
        reviewing.decide(Annotation.objects.get().pk, said, by=ada)

    text = queue(client, campaign)

    assert "a hard one" in text
    assert "too general" in text


def test_what_one_has_decided_waits_for_a_second_reviewer_and_the_task_is_undecided(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    reviewing.set_reviewers(campaign.pk, 2, by=ben)
    there = f"?task={campaign.tasks.get().pk}"

    assert ">Waiting</span>" in queue(client, campaign)
    decide(client, 1, verdict="accept")
    mine = queue(client, campaign, there)
    assert "0 tasks wait for you" in mine
    assert "Undecided 1" in mine
    assert ">Waits for a second reviewer</span>" in mine
    client.force_login(make_user("ada"))
    assert ">Waiting</span>" in queue(client, campaign, there)


def test_what_the_first_decided_and_undid_is_kept_from_the_second_too(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    reviewing.set_reviewers(campaign.pk, 2, by=ben)
    ada = make_user("ada")
    reviewing.decide(Annotation.objects.get().pk, Opinion("correct", {"phrase_1": "Nordic botanists"}), by=ada)
    reviewing.undo_last(campaign, by=ada)

    text = queue(client, campaign)

    assert "Nordic botanists" not in text
    assert "Another reviewer has decided" not in text


def test_a_third_reviewer_sees_what_two_contest(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    reviewing.set_reviewers(campaign.pk, 2, by=ben)
    for name, said in (("ada", Opinion("accept", why="good")), ("cleo", Opinion("exclude", why="too vague"))):
        reviewing.decide(Annotation.objects.get().pk, said, by=make_user(name))

    text = queue(client, campaign)

    assert "good" in text
    assert "too vague" in text


def test_the_list_and_the_campaign_s_page_count_the_same_tasks_whoever_has_scored_them(client: Client, ben: User):
    campaign = in_turn(size=8)

    pages = [queue(client, campaign), queue(client, campaign)]

    assert ["8 tasks wait for you" in page and "Undecided 8" in page for page in pages] == [True, True]
    assert 'data-label="Undecided" class="number">8<' in client.get("/admin/review/").content.decode()


def test_an_undo_says_in_the_history_what_it_undid(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    queue(client, campaign)
    decide(client, 1, verdict="exclude")

    text = client.post(f"/admin/review/{campaign.pk}/undo/", follow=True).content.decode()

    assert "Undo</strong> of “exclude”" in text


def test_lists_by_state_and_the_dry_run(client: Client, ben: User):
    campaign = in_turn(phrases=("a couple of botanists",))
    doubts.catch_up(campaign, most=10)

    assert "Ida Lind, Karl Moe" in client.get(f"/admin/review/{campaign.pk}/tasks/?state=waiting").content.decode()
    assert "No task is settled" in client.get(f"/admin/review/{campaign.pk}/tasks/?state=settled").content.decode()
    text = client.get(f"/admin/review/{campaign.pk}/cleaning/").content.decode()
    assert "a couple of botanists" in text
    assert "renamed" in text
    assert "Nothing would change" in client.get(f"/admin/review/{campaign.pk}/cleaning/?from=tesa").content.decode()


def test_another_campaign_s_answers_are_not_found(client: Client, ben: User):
    other, campaign = in_turn("Other"), in_turn()
    row = Annotation.objects.filter(assignment__campaign=other)[0]

    url = reverse("admin:review-decide", args=[campaign.pk, row.pk])
    assert client.post(url, {"verdict": "accept"}).status_code == 404


def test_texts_are_escaped(client: Client, ben: User):
    campaign = in_turn(phrases=("<b>botanists</b>",))
    queue(client, campaign)

    text = decide(client, 1, verdict="comment", why="<i>hm</i>")

    assert "<b>botanists" not in text
    assert "<i>hm" not in text


def test_the_history_can_only_be_looked_at_in_the_admin(client: Client, ben: User):
    in_turn(phrases=("botanists",))
    doubts.catch_up(Campaign.objects.get(), most=10)
    decide(client, 1, verdict="accept")
    row = Review.objects.get()

    assert client.get("/admin/annotation/review/").status_code == 200
    assert client.post(f"/admin/annotation/review/{row.pk}/change/", {"why": "x"}).status_code == 403
    assert client.post(f"/admin/annotation/review/{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_assessing_is_a_job(client: Client, ben: User):
    campaign = in_turn()

    client.post(f"/admin/review/{campaign.pk}/assess/")

    job = Job.objects.get(kind="assess_campaign")
    assert job.parameters == {"campaign": campaign.pk}
    again = client.post(f"/admin/review/{campaign.pk}/assess/", follow=True)
    assert again.redirect_chain[-1][0] == f"/jobs/{job.pk}/"
    assert "being assessed already" in again.content.decode()
    assert Job.objects.filter(kind="assess_campaign").count() == 1


def test_closing_a_campaign_starts_its_assessment_once(client: Client, ben: User):
    campaign = in_turn()

    text = client.post(f"/campaigns/{campaign.pk}/do/close/", follow=True).content.decode()

    assert "Its answers are being assessed" in text
    assert Job.objects.get(kind="assess_campaign").parameters == {"campaign": campaign.pk}
    assert "It is closed." in client.post(f"/campaigns/{campaign.pk}/do/close/", follow=True).content.decode()
    assert Job.objects.filter(kind="assess_campaign").count() == 1


def test_a_campaign_without_new_answers_is_not_assessed_again(client: Client, ben: User):
    campaign = in_turn()
    list(assessing.assess(campaign))

    assert "It is closed.</" in client.post(f"/campaigns/{campaign.pk}/do/close/", follow=True).content.decode()
    assert not Job.objects.filter(kind="assess_campaign").exists()


def test_whoever_may_not_review_starts_no_assessment_and_meets_no_error():
    campaign = in_turn()

    assert assessing.start_due(campaign.pk, by=make_user("dan", role=Role.ANNOTATOR)) is None
    assert not Job.objects.exists()


def test_the_last_answer_starts_the_assessment_and_no_earlier_one(client: Client):
    campaign = make_campaign(size=1, redundancy=2)
    for name, jobs in (("ann", 0), ("bob", 1)):
        person = make_participation(campaign, name)
        turn = assigning.take_turn(person.secret).assignment
        assert turn is not None

        client.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": "botanists"})

        assert Job.objects.filter(kind="assess_campaign").count() == jobs


def test_pages_of_a_campaign_that_was_not_assessed_say_so_with_one_button(client: Client, ben: User):
    campaign = in_turn()
    pages = (f"/admin/review/{campaign.pk}/", f"/agreement/{campaign.pk}/")
    action = f'action="/admin/review/{campaign.pk}/assess/"'

    for page in pages:
        text = client.get(page).content.decode()
        assert "has not been assessed yet" in text
        assert text.count(action) == 1
    client.post(f"/admin/review/{campaign.pk}/assess/")
    for page in pages:
        text = client.get(page).content.decode()
        assert "are being assessed" in text
        assert action not in text
    Job.objects.all().delete()
    list(assessing.assess(campaign))
    for page in pages:
        assert "assessed yet" not in client.get(page).content.decode()
