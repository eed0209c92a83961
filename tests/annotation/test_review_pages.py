"""The review's pages and its API, without JavaScript."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Campaign, Review, ReviewItem
from annotation.selectors import review_queue
from annotation.services import doubts, reviewing
from annotation.services.reviewing import Opinion
from annotation.task_types.aggregation.answers import phrases_answer
from kernel.models import User
from tests.annotation.answered import answered_campaign, in_turn
from tests.make import make_campaign, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def queue(client: Client, campaign: Campaign, query: str = "") -> str:
    return shown(client.get(f"/admin/review/{campaign.pk}/{query}"))


def decide(client: Client, number: int, **form: str) -> str:
    """Post a verdict on the answer with this number; return the page that follows."""
    row = Annotation.objects.order_by("pk")[number - 1]
    url = reverse("admin:review-decide", args=[row.assignment.campaign_id, row.pk])
    return shown(client.post(url, form, follow=True))


def test_the_list_says_what_waits(client: Client, ben: User):
    assert "Nothing to review yet" in client.get("/admin/review/").content.decode()
    campaign = in_turn()

    assert f"/admin/review/{campaign.pk}/" in client.get("/admin/review/").content.decode()


def test_the_list_begins_with_the_newest_campaign(ben: User):
    campaigns = [in_turn("First"), in_turn("Second")]

    assert [row.campaign for row in review_queue.campaigns_to_review()] == campaigns[::-1]


def test_a_task_shows_passage_answers_rules_workers_and_reasons(client: Client, ben: User):
    text = queue(client, in_turn())

    assert "Two botanists meet" in text
    assert "typed “The botanists.”" in text
    assert "Cleaning rule: Signs around the phrase go" in text
    assert "People gave different phrases." in text
    assert "<span>1 answer</span>" in text
    assert "worker 0" not in text  # people only by number


def test_a_word_nobody_knows_is_shown_with_what_may_have_been_meant_and_stays_as_written(client: Client, ben: User):
    text = queue(client, in_turn(phrases=("politicicans", "Arden experts")))

    assert "Spelling: for “politicicans” perhaps politicians" in text
    assert text.count("Spelling:") == 1  # names of the passage are known
    assert 'name="phrase_1" value="Politicicans"' in text


def test_looking_at_the_queue_or_at_a_task_stores_nothing(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "the botanists"), size=7)
    task = campaign.tasks.order_by("pk")[0].pk

    text = queue(client, campaign)
    assert 'To review <span class="pill" id="number-waiting">7</span>' in text
    assert "2 answered tasks are not in the queue yet" in text or "quality checks have not run yet" in text
    assert "All answers agree." in queue(client, campaign, f"?task={task}")
    assert not ReviewItem.objects.exists()


def test_tasks_that_were_never_scored_are_reached_from_task_to_task(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "the botanists"), size=8)
    address, steps = "", set[str]()

    for number in range(1, 9):
        text = queue(client, campaign, address)
        assert f"Task {number} of 8" in text
        arrow = re.search(r'aria-label="Next task" href="[^"?]*([^"]+)"', text)
        address = html.unescape(arrow[1]) if arrow else ""
        steps.add(address)

    assert len(steps - {""}) == 7
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
    assert f'id="next" href="/admin/review/{campaign.pk}/?state=&amp;task={agreed.pk}"' in queue(client, campaign)
    after = queue(client, campaign, f"?task={agreed.pk}")
    assert "All answers agree." in after
    assert "Task 2 of 2" in after
    assert f'aria-label="Previous task" href="/admin/review/{campaign.pk}/?state=&amp;task={doubtful.pk}"' in after


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
    assert "Task 1 of 1" in queue(client, campaign)
    assert Annotation.objects.get(pk=mine[1]).verdict == "exclude"


def test_a_correction_and_a_remark_and_undo(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    queue(client, campaign)

    assert "corrected" in decide(client, 1, verdict="correct", phrase_1="Nordic botanists", phrase_2="")
    assert "You’re up to date" in queue(client, campaign)
    text = shown(client.post(f"/admin/review/{campaign.pk}/undo/", follow=True))
    assert "Undone: corrected." in text
    assert "enter a note" in decide(client, 1, verdict="comment")
    text = decide(client, 1, verdict="comment", why="nice")
    assert "note saved" in text
    assert "ben: <strong>Note</strong> – nice" in text
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


def test_bulk_accept_asks_with_the_number_and_takes_what_all_agree_on(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "the botanists"), size=3)
    assert "Accept 3 unanimous tasks?" in queue(client, campaign)
    assert '<dialog class="dialog" id="accept-unanimous" aria-labelledby="accept-title" open>' in queue(
        client, campaign, "?ask=accept"
    )

    text = shown(client.post(f"/admin/review/{campaign.pk}/accept/", follow=True))

    assert "6 answers of 3 unanimous tasks accepted." in text
    assert "Every answered task is decided." in text


def test_all_answers_of_a_task_are_accepted_and_undone_at_once(client: Client, ben: User):
    campaign = in_turn()
    task = campaign.tasks.get()

    text = shown(client.post(f"/admin/review/{campaign.pk}/accept/", {"task": task.pk}, follow=True))
    assert "2 answers accepted." in text
    assert "You’re up to date" in text
    assert {row.verdict for row in Annotation.objects.all()} == {"accept"}
    text = shown(client.post(f"/admin/review/{campaign.pk}/undo/", follow=True))
    assert "Undone: 2 answers accepted at once." in text
    assert {row.verdict for row in Annotation.objects.all()} == {""}


def test_what_the_cleaning_discards_is_left_to_be_looked_at(client: Client, ben: User):
    campaign = answered_campaign({"ann": ["botanists"], "bob": ["Ida Lind and Karl Moe"]})

    text = shown(client.post(f"/admin/review/{campaign.pk}/accept/", {"task": campaign.tasks.get().pk}, follow=True))

    assert "1 answer accepted. Look at what is left." in text
    assert [row.verdict for row in Annotation.objects.order_by("pk")] == ["accept", ""]


def test_a_segment_holds_the_tasks_in_its_state(client: Client, ben: User):
    campaign = in_turn(size=2)
    doubts.catch_up(campaign, most=10)
    first, second = campaign.tasks.order_by("pk")
    for row in Annotation.objects.filter(assignment__task=first):
        reviewing.decide(row.pk, Opinion("accept"), by=ben)

    text = queue(client, campaign, "?state=settled")

    assert 'Decided <span class="pill" id="number-settled">1</span>' in text
    assert "Task 1 of 1" in text
    assert f'<input type="hidden" name="task" value="{second.pk}">' not in text
    assert text.count('value="accept" data-key="a" aria-pressed="true"') == 2
    assert "No task here" in queue(client, campaign, "?state=flagged")


def test_a_script_gets_the_answer_as_it_is_now_with_an_undo(client: Client, ben: User):
    campaign = in_turn()
    row = Annotation.objects.order_by("pk")[0]
    url = reverse("admin:review-decide", args=[campaign.pk, row.pk])

    text = shown(client.post(url, {"verdict": "exclude"}, headers={"HX-Request": "true"}))

    assert text.startswith('<li class="answer"')
    assert 'value="exclude" data-key="x" aria-pressed="true"' in text
    assert "1 answer to decide" in text
    assert "Answer 1: excluded" in text
    assert ">Save reason</button>" in text
    client.post(url, {"verdict": "exclude", "why": "no singers"}, headers={"HX-Request": "true"})
    assert 'name="why" value="no singers"' in queue(client, campaign, f"?task={campaign.tasks.get().pk}")
    assert "Undone: the reason." in shown(client.post(f"/admin/review/{campaign.pk}/undo/", follow=True))
    assert Annotation.objects.get(pk=row.pk).verdict == "exclude"
    assert "Undone: excluded." in shown(client.post(f"/admin/review/{campaign.pk}/undo/", follow=True))


def test_a_script_learns_why_a_verdict_was_refused(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    url = reverse("admin:review-decide", args=[campaign.pk, Annotation.objects.get().pk])

    stale = client.post(url, {"verdict": "accept", "seen": "other"}, headers={"HX-Request": "true"})
    unsure = {"verdict": "correct", "phrase_1": "Ida Lind and Karl Moe"}
    asked = client.post(url, unsure, headers={"HX-Request": "true"})

    assert (stale.status_code, asked.status_code) == (422, 422)
    assert "Its author has changed this answer since you saw it" in shown(stale)
    assert "This lists the names" in shown(asked)
    assert 'name="confirmed" value="phrase_1:list"' in shown(asked)
    assert not Review.objects.exists()


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
    for opinion in (Opinion("comment", why="a hard one"), Opinion("exclude", why="too vague")):
        reviewing.decide(row.pk, opinion, by=ada)

    before = queue(client, campaign)
    assert "a hard one" not in before
    assert before.count("Another reviewer has decided. You will see their decision after yours.") == 1
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
    for opinion in (Opinion("comment", why="a hard one"), Opinion("flag", why="too general")):
        reviewing.decide(Annotation.objects.get().pk, opinion, by=ada)

    text = queue(client, campaign)

    assert "a hard one" in text
    assert "too general" in text


def test_what_one_has_decided_waits_for_a_second_reviewer_and_the_task_is_undecided(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    reviewing.set_reviewers(campaign.pk, 2, by=ben)
    there = f"?task={campaign.tasks.get().pk}"

    assert "1 answer to decide" in queue(client, campaign)
    decide(client, 1, verdict="accept")
    mine = queue(client, campaign, there)
    assert 'To review <span class="pill" id="number-waiting">0</span>' in mine
    assert "To review" in shown(client.get(f"/admin/review/{campaign.pk}/tasks/?state=waiting"))
    assert ">Waits for a second reviewer</span>" in mine
    client.force_login(make_user("ada"))
    other = queue(client, campaign, there)
    assert "1 answer to decide" in other
    assert 'aria-pressed="true"' not in other


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
    for name, opinion in (("ada", Opinion("accept", why="good")), ("cleo", Opinion("exclude", why="too vague"))):
        reviewing.decide(Annotation.objects.get().pk, opinion, by=make_user(name))

    text = queue(client, campaign)

    assert "good" in text
    assert "too vague" in text


def test_the_list_and_the_campaign_s_page_count_the_same_tasks_whoever_has_scored_them(client: Client, ben: User):
    campaign = in_turn(size=8)

    pages = [queue(client, campaign), queue(client, campaign)]

    assert ['id="number-waiting">8</span>' in page and "of 8" in page for page in pages] == [True, True]
    assert 'data-label="To review" class="number">8<' in shown(client.get("/admin/review/"))


def test_an_undo_says_in_the_history_what_it_undid(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    queue(client, campaign)
    decide(client, 1, verdict="exclude")

    text = shown(client.post(f"/admin/review/{campaign.pk}/undo/", follow=True))

    assert "Undo</strong> of “exclude”" in text


def test_lists_by_state_and_the_dry_run(client: Client, ben: User):
    campaign = in_turn(phrases=("a couple of botanists",))
    doubts.catch_up(campaign, most=10)

    assert "Ida Lind, Karl Moe" in shown(client.get(f"/admin/review/{campaign.pk}/tasks/?state=waiting"))
    assert "No task here" in shown(client.get(f"/admin/review/{campaign.pk}/tasks/?state=settled"))
    text = shown(client.get(f"/admin/review/{campaign.pk}/cleaning/"))
    assert "a couple of botanists" in text
    assert "renamed" in text
    assert "Nothing would change" in shown(client.get(f"/admin/review/{campaign.pk}/cleaning/?from=tesa"))


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


def test_the_numbers_of_the_segments_follow_each_decision_without_a_reload(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "experts"), size=2)
    doubts.score_tasks(campaign, [*campaign.tasks.values_list("pk", flat=True)])
    row = Annotation.objects.order_by("pk")[0]
    url = reverse("admin:review-decide", args=[campaign.pk, row.pk])

    def numbers(verdict: str) -> dict[str, str]:
        text = shown(client.post(url, {"verdict": verdict}, headers={"HX-Request": "true"}))
        return dict(re.findall(r'id="(?:number-)?([a-z-]+)" hx-swap-oob="true">(\d+)<', text))

    assert numbers("flag") == {"waiting": "2", "contested": "0", "flagged": "1", "settled": "0", "to-review": "2"}
    assert numbers("accept")["flagged"] == "0"
    for other in Annotation.objects.filter(assignment__task=row.assignment.task).exclude(pk=row.pk):
        reviewing.decide(other.pk, Opinion("accept"), by=ben)
    assert numbers("exclude") == {"waiting": "1", "contested": "0", "flagged": "0", "settled": "1", "to-review": "1"}
    refused = client.post(url, {"verdict": "nonsense"}, headers={"HX-Request": "true"})
    assert "number-flagged" not in refused.content.decode()


def test_before_the_first_answer_the_review_says_that_there_is_none(client: Client, ben: User):
    assert "No answers yet" in queue(client, make_campaign())
