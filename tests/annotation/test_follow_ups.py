"""A campaign's answers become the next campaign's items, and nobody judges their own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from annotation.models import (
    Assignment,
    Campaign,
    CampaignStatus,
    FollowUp,
    FollowUpAuthor,
    FollowUpItem,
    Participation,
    Task,
    TaskDescription,
)
from annotation.selectors.follow_ups import chain_of, tasks_without_judges
from annotation.services import assigning, campaigns, excluding, follow_ups
from annotation.services.follow_ups import FollowUpOrder
from annotation.services.leaving import withdraw
from corpus.models import Sample
from corpus.services import importing
from corpus.services.importing import ImportOrder
from kernel.errors import InvalidInput, WrongState
from tests.annotation.answered import answered_campaign
from tests.annotation.following_up import (
    MARKING,
    follow_up,
    person_in,
    rows_of,
    say,
    three_stages,
    written_campaign,
)
from tests.make import make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db


def started(row: FollowUp) -> Campaign:
    assert row.campaign is not None
    return campaigns.start(row.campaign.pk, by=None)


def offered(campaign: Campaign, name: str) -> set[str]:
    """Return the answers about which a person is asked, one after the other."""
    person, shown = make_participation(campaign, name), set[str]()
    while turn := assigning.take_turn(person.secret).assignment:
        shown.add(turn.task.member.value["columns"]["answer"])
        Assignment.objects.filter(pk=turn.pk).update(status="submitted")
    return shown


def test_each_different_text_becomes_an_item_that_says_nothing_of_its_authors():
    campaign = written_campaign({"ann": "It rained.", "bob": "it rained"}, {"ann": "Rain."})

    row = follow_up(campaign, "rate-text")

    assert sorted(own["answer"] for own in rows_of(row.sample)) == ["It rained.", "Rain."]
    assert {*rows_of(row.sample)[0]} == {"title", "text", "item", "answer"}
    assert row.sample.made_of == "Answers in Written (Rate each text)"
    assert row.sample.size == 2


def test_two_authors_of_one_text_are_not_asked_about_it_and_everybody_else_is():
    campaign = written_campaign({"ann": "It rained.", "bob": "it rained", "cleo": "Rain."})
    judged = started(follow_up(campaign, "rate-text"))

    assert offered(judged, "ann") == {"Rain."}
    assert offered(judged, "bob") == {"Rain."}
    assert offered(judged, "cleo") == {"It rained."}
    assert offered(judged, "dan") == {"It rained.", "Rain."}


def test_authors_are_asked_where_the_follow_up_lets_them():
    campaign = written_campaign({"ann": "It rained."})
    judged = started(follow_up(campaign, "rate-text", keeps_authors_out=False))

    assert offered(judged, "ann") == {"It rained."}


def test_what_a_marketplace_gives_an_author_is_refused_as_known():
    campaign = written_campaign({"ann": "It rained.", "bob": "Rain."})
    judged = started(follow_up(campaign, "rate-text"))
    mine = judged.tasks.get(member__value__columns__answer="It rained.")
    person = make_participation(judged, "ann")

    assert assigning.take_task(person.secret, mine.pk).idle == assigning.Idle.SEEN
    assert assigning.take_task(person.secret, judged.tasks.exclude(pk=mine.pk).get().pk).assignment is not None


def test_a_check_task_about_their_own_answer_is_not_put_to_its_author():
    campaign = written_campaign({"ann": "It rained."})
    judged = started(follow_up(campaign, "rate-text"))
    Campaign.objects.filter(pk=judged.pk).update(gold_every=2)
    Task.objects.filter(campaign=judged).update(is_gold=True, free=0, gold={"accepted": [], "reason": ""})

    asked = []
    for name in ("ann", "dan"):
        person = make_participation(judged, name)
        for number in range(2):  # one of two turns is for a check task
            Participation.objects.filter(pk=person.pk).update(given=number)
            asked += [name] if assigning.take_turn(person.secret).assignment else []

    assert {*asked} == {"dan"}


def test_one_person_may_judge_several_pieces_of_one_text():
    campaign = written_campaign({"ann": "It rained.", "bob": "Rain."})
    row = follow_up(campaign, "rate-text")

    assert len({*row.sample.members.values_list("group", flat=True)}) == 1
    assert offered(started(row), "dan") == {"It rained.", "Rain."}


@pytest.mark.parametrize("knows_the_follow_up", [True, False], ids=["joined before", "comes back later"])
def test_an_author_who_withdraws_still_never_meets_their_piece(knows_the_follow_up: bool):
    campaign = written_campaign({"ann": "It rained.", "bob": "Rain."})
    judged = started(follow_up(campaign, "rate-text"))
    if knows_the_follow_up:
        make_participation(judged, "ann")

    withdraw(consented(campaign, "ann").secret)

    assert offered(judged, "ann") == {"Rain."}
    assert offered(judged, "dan") == {"It rained.", "Rain."}
    mine = judged.tasks.get(member__value__columns__answer="It rained.")
    assert assigning.take_task(make_participation(judged, "ann").secret, mine.pk).idle == assigning.Idle.SEEN


def test_an_author_who_withdraws_never_meets_what_was_made_of_their_piece_in_a_later_stage():
    first, _, row = three_stages()
    withdraw(consented(first, "ann").secret)

    assert shown_better(started(row), "ann") == {"Better: Rain."}


def test_a_text_that_nobody_else_may_judge_is_counted():
    for name in ("ann", "bob"):
        make_user(name)
    campaign = written_campaign({"ann": "It rained.", "bob": "it rained"}, {"ann": "Rain."})
    judged = started(follow_up(campaign, "rate-text"))
    assert tasks_without_judges(judged) == 0  # nobody is there yet

    make_participation(judged, "ann")
    make_participation(judged, "bob")
    assert tasks_without_judges(judged) == 1

    make_participation(judged, "dan")
    assert tasks_without_judges(judged) == 0


def test_of_marks_each_becomes_an_item_with_the_mark_in_its_text():
    name = {"start": 0, "end": 2, "label": "person"}
    campaign = written_campaign({"ann": [name], "bob": [name, {"start": 3, "end": 9, "label": "place"}]}, text=MARKING)

    row = follow_up(campaign, "confirm-names")

    assert [(own["marked"], own["label"], own["in_context"]) for own in rows_of(row.sample)] == [
        ("It", "person", "⟦It⟧ rained for 2 days."),
        ("rained", "place", "It ⟦rained⟧ for 2 days."),
    ]


def test_the_best_is_chosen_where_there_are_at_least_two_and_other_items_are_counted():
    campaign = written_campaign({"ann": "It rained.", "bob": "Rain."}, {"ann": "Rain."})

    row = follow_up(campaign, "choose-text")

    (only,) = rows_of(row.sample)
    assert (only["answer_1"], only["answer_2"]) == ("It rained.", "Rain.")
    assert row.skipped == 1
    assert FollowUpAuthor.objects.count() == 2


def test_an_item_with_many_texts_far_down_the_sample_is_asked_about_in_full():
    few = [{"ann": "It rained.", "bob": f"Rain {number}."} for number in range(130)]
    campaign = written_campaign(*few)
    last = campaign.tasks.order_by("-member__key").first()
    assert last is not None
    say(last, "cleo", {"text": "Wet."})

    row = follow_up(campaign, "choose-text")

    assert row.description is not None
    targets = row.description.value["parts"][0]["targets"]
    assert [target["text"] for target in targets] == ["answer_1", "answer_2", "answer_3"]


def test_phrases_of_the_aggregation_task_are_judged_three_ways():
    campaign = answered_campaign({"ann": ["The botanists"], "bob": ["botanists", "two friends"], "cleo": None})
    Task.objects.update(answers=3)

    row = follow_up(campaign, "judge")

    assert row.campaign is not None
    assert sorted(own["answer"] for own in rows_of(row.sample)) == ["Botanists", "Friends"]
    parts = row.campaign.task_settings["description"]["parts"]
    assert [part["name"] for part in parts] == ["is_true", "is_enough", "is_natural"]


def test_the_draft_asks_a_description_of_its_own_and_takes_the_people_of_its_parent():
    campaign = written_campaign({"ann": "It rained."})

    row = follow_up(campaign, "rate-text", redundancy=5, contact="cleo@tesa.invalid")

    assert row.campaign is not None
    assert row.campaign.status == CampaignStatus.DRAFT
    assert (row.campaign.redundancy, row.campaign.contact) == (5, "cleo@tesa.invalid")
    assert (row.campaign.provider, row.campaign.tasks_made) == (campaign.provider, 1)
    assert row.description == TaskDescription.objects.get(name="Rate: Write it in other words.")


def test_answers_that_do_not_count_become_no_item():
    campaign = written_campaign({"ann": "It rained.", "bob": "Rain.", "cleo": "Wet."})
    excluding.exclude(person_in(campaign, "bob").pk, reason="copied", by=None)
    withdraw(consented(campaign, "cleo").secret)

    assert [own["answer"] for own in rows_of(follow_up(campaign, "rate-text").sample)] == ["It rained."]


def consented(campaign: Campaign, name: str) -> Participation:
    return make_participation(campaign, name)


# ---- A chain ----------------------------------------------------------------------------------------


def test_three_stages_follow_each_other_and_authors_of_all_earlier_ones_stay_out():
    _, _, row = three_stages()
    rated = started(row)

    assert row.stage == 3
    assert offered(rated, "cleo") == set()
    assert {text.removeprefix("Better: ") for text in shown_better(rated, "ann")} == {"Rain."}
    assert {text.removeprefix("Better: ") for text in shown_better(rated, "dan")} == {"It rained.", "Rain."}


def shown_better(campaign: Campaign, name: str) -> set[str]:
    person, shown = make_participation(campaign, name), set[str]()
    while turn := assigning.take_turn(person.secret).assignment:
        shown.add(turn.task.member.value["columns"]["answer_3"])
        Assignment.objects.filter(pk=turn.pk).update(status="submitted")
    return shown


def test_every_stage_shows_the_whole_chain_with_counts():
    first, second, row = three_stages()
    assert row.campaign is not None

    for campaign in (first, second, row.campaign):
        chain = chain_of(campaign)
        assert [stage.number for stage in chain.stages] == [1, 2, 3]
        assert [stage.campaign for stage in chain.stages] == [first, second, row.campaign]
        assert [stage.answers for stage in chain.stages] == [2, 2, 0]
        assert [stage.is_here for stage in chain.stages].index(True) == [first, second, row.campaign].index(campaign)


def test_a_campaign_without_other_stages_shows_no_chain():
    assert chain_of(written_campaign({"ann": "It rained."})).stages == ()


# ---- Refused ----------------------------------------------------------------------------------------


def test_a_campaign_without_answers_has_no_follow_up():
    with pytest.raises(WrongState, match="Nobody has answered in this campaign yet"):
        follow_up(written_campaign({}), "rate-text")


@pytest.mark.parametrize("name", ["Written", "Texts of Written"])
def test_a_campaign_is_no_follow_up_of_itself(name: str):
    with pytest.raises(InvalidInput, match="cannot be a follow-up of itself"):
        follow_up(written_campaign({"ann": "It rained."}), "rate-text", name)


def test_a_rehearsal_has_no_follow_up():
    campaign = written_campaign({"ann": "It rained."})
    campaign.provider_settings = {"rehearsal": True}
    campaign.save()

    with pytest.raises(WrongState, match="This is a rehearsal"):
        follow_up(campaign, "rate-text")


def test_an_unknown_follow_up_names_those_that_there_are():
    with pytest.raises(InvalidInput, match="there are rate-text, choose-text"):
        follow_up(written_campaign({"ann": "It rained."}), "confirm-names")


def test_a_name_that_is_taken_is_refused_before_anything_is_made():
    campaign = written_campaign({"ann": "It rained."})
    make_campaign("Judged")

    with pytest.raises(InvalidInput, match="already a campaign with this name"):
        follow_up(campaign, "rate-text")
    assert not FollowUp.objects.exists()


def test_answers_that_hold_nothing_to_ask_about_leave_no_sample():
    campaign = written_campaign({"ann": "It rained."})

    with pytest.raises(InvalidInput, match="no two different texts"):
        follow_up(campaign, "choose-text")
    assert not FollowUp.objects.exists()
    assert not Sample.objects.filter(name="Judged").exists()


def test_nothing_is_imported_into_a_sample_that_was_made_of_answers(tmp_path: Path):
    row = follow_up(written_campaign({"ann": "It rained."}), "rate-text")
    path = tmp_path / "more.jsonl"
    path.write_text('{"a": "b"}')

    with pytest.raises(InvalidInput, match="was made of answers"):
        importing.import_items(ImportOrder(path, row.sample.name, "rows"), by=None, report=lambda *_: None)


# ---- Killed, and twice ------------------------------------------------------------------------------


class Killed(BaseException):
    pass


def state(name: str) -> tuple[object, ...]:
    sample = Sample.objects.get(name=name)
    units = (
        FollowUpItem.objects.filter(member__sample=sample).order_by("member__position").values_list("units", flat=True)
    )
    authors = FollowUpAuthor.objects.filter(member__sample=sample).order_by("member__position", "participation")
    people = authors.values_list("member__position", "participation")
    return sample.content_hash, sample.size, [*units], [*people], Campaign.objects.get(name=name).tasks_made


@pytest.mark.parametrize("steps", range(1, 9))
def test_a_job_that_was_killed_goes_on_where_it_stopped(steps: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(follow_ups, "CHUNK", 2)
    monkeypatch.setattr(campaigns, "CHUNK", 3)
    campaign = written_campaign(*({"ann": f"It rained {n}.", "bob": "Rain."} for n in range(5)))
    follow_up(campaign, "rate-text", "Whole")
    left = steps

    def report(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise Killed

    row = follow_ups.open_follow_up(campaign, FollowUpOrder("Judged", "rate-text"), by=None)
    with suppress(Killed):
        follow_ups.make_follow_up(row, by=None, report=report)
    again = follow_ups.open_follow_up(campaign, FollowUpOrder("Judged", "rate-text"), by=None)
    follow_ups.make_follow_up(again, by=None, report=lambda *_: None)

    assert state("Judged") == state("Whole")
    assert Campaign.objects.filter(sample__name="Judged").count() == 1
    assert TaskDescription.objects.filter(name__startswith="Rate").count() == 2


def test_the_same_order_twice_is_one_follow_up_and_another_of_the_same_name_is_refused():
    campaign = written_campaign({"ann": "It rained."})
    first = follow_up(campaign, "rate-text")

    assert follow_up(campaign, "rate-text") == first
    assert follow_ups.start_follow_up(campaign, FollowUpOrder("Judged", "rate-text"), by=None) == (first, None)
    with pytest.raises(InvalidInput, match="another follow-up of this name"):
        follow_up(campaign, "rate-text", redundancy=7)
