"""Ticked answers on a participant's page are accepted or excluded together."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import Annotation, Participation, Review
from annotation.services import reviewing
from annotation.services.reviewing import Opinion
from kernel.models import User
from kernel.roles import Role
from tests.annotation.answered import answered_campaign, in_turn
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def decide(client: Client, person: Participation, verdict: str, *answers: object, **form: str) -> str:
    url = f"/admin/review/{person.campaign_id}/people/{person.pk}/"
    return shown(client.post(url, {"verdict": verdict, "answer": answers, **form}, follow=True))


def answers_of(person: Participation) -> list[int]:
    return list(Annotation.objects.filter(assignment__participation=person).order_by("pk").values_list("pk", flat=True))


def verdicts() -> list[str]:
    return list(Annotation.objects.order_by("pk").values_list("verdict", flat=True))


def test_ticked_answers_are_excluded_together_with_a_reason_and_undone_together(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",), size=3)
    person = campaign.participations.get()
    first, second, _ = answers_of(person)

    page = decide(client, person, "exclude", first, second, why="written by a machine")

    assert "2 answers excluded. Undo takes this back on the Review tab." in page
    assert verdicts() == ["exclude", "exclude", ""]
    assert set(Review.objects.values_list("why", flat=True)) == {"written by a machine"}
    assert page.count('<td data-label="Decision">Exclude</td>') == 2
    undone = shown(client.post(f"/admin/review/{campaign.pk}/undo/", follow=True))
    assert "Undone: 2 answers excluded at once." in undone
    assert verdicts() == ["", "", ""]


def test_an_answer_that_a_rule_discards_is_not_accepted_with_others(client: Client, ben: User):
    campaign = answered_campaign({"ann": ["botanists"]}, {"ann": ["Ida Lind and Karl Moe"]})
    person = campaign.participations.get()

    page = decide(client, person, "accept", *answers_of(person))

    assert "1 answer accepted." in page
    assert "1 answer left as before" in page
    assert sorted(verdicts()) == ["", "accept"]


def test_answers_of_another_campaign_or_of_a_check_task_are_left_alone(client: Client, ben: User):
    mine, other = in_turn("Mine", phrases=("botanists",)), in_turn("Other", phrases=("botanists",))
    mine.tasks.update(is_gold=True)
    person = mine.participations.get()

    decide(client, person, "exclude", *Annotation.objects.values_list("pk", flat=True))

    assert verdicts() == ["", ""]
    assert 'name="answer"' not in shown(client.get(f"/campaigns/people/{person.pk}/"))
    assert 'name="answer"' in shown(client.get(f"/campaigns/people/{other.participations.get().pk}/"))


def test_what_is_decided_so_already_is_not_said_again(client: Client, ben: User):
    person = in_turn(phrases=("botanists",)).participations.get()
    (only,) = answers_of(person)
    reviewing.decide(only, Opinion("accept"), by=ben)

    decide(client, person, "accept", only)

    assert Review.objects.count() == 1


def test_one_of_two_reviewers_is_not_told_what_the_other_decided(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists",))
    reviewing.set_reviewers(campaign.pk, 2, by=ben)
    person = campaign.participations.get()
    reviewing.decide(answers_of(person)[0], Opinion("exclude"), by=make_user("ada"))

    assert '<td data-label="Decision">–</td>' in shown(client.get(f"/campaigns/people/{person.pk}/"))


@pytest.mark.parametrize("ids", [[], ["x"], ["9" * 30]])
def test_without_a_tick_one_sentence_says_so(client: Client, ben: User, ids: list[str]):
    person = make_participation(make_campaign())

    assert "Tick the answers first." in decide(client, person, "accept", *ids)


def test_another_verdict_is_refused(client: Client, ben: User):
    person = make_participation(make_campaign())

    assert (
        client.post(f"/admin/review/{person.campaign_id}/people/{person.pk}/", {"verdict": "undo"}).status_code == 422
    )


def test_an_annotator_decides_nothing(client: Client):
    person = in_turn(phrases=("botanists",)).participations.get()
    client.force_login(make_user("cleo", Role.ANNOTATOR))

    client.post(
        f"/admin/review/{person.campaign_id}/people/{person.pk}/", {"verdict": "exclude", "answer": answers_of(person)}
    )

    assert verdicts() == [""]
