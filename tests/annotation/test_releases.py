"""Releases: what a recipe keeps, why it leaves out the rest, and that nothing changes it afterwards."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation, AssignmentStatus, Campaign, Participation, Release, Review, Task
from annotation.releasing import documents
from annotation.releasing.recipe import Recipe, make_recipe
from annotation.selectors import release_answers
from annotation.selectors import releases as selectors
from annotation.services import releases, reviewing
from annotation.services.reviewing import Opinion
from annotation.task_types.aggregation.answers import known_phrases, no_phrase, phrases_answer
from annotation.task_types.aggregation.type import AGGREGATION
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.values import canonical_json
from tests.annotation.answered import answer, answered_campaign, join
from tests.annotation.releasing import THREE, freeze, reasons, recipe_for
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_campaign, make_sample_of, make_user

pytestmark = pytest.mark.django_db


def test_what_reviews_come_to_counts_as_a_change_too():
    campaign, ada = answered_campaign(THREE), make_user("ada")
    reviewing.decide(Annotation.objects.earliest("pk").pk, Opinion("exclude"), by=ada)
    before = release_answers.state_of([campaign])

    reviewing.set_reviewers(campaign.pk, 2, by=ada)  # nothing was said, and the verdict stands no more

    assert release_answers.state_of([campaign]) != before


def test_agreement_is_measured_before_instances_without_phrases_are_left_out():
    nobody = {"cleo": None, "dan": None, "eve": None}
    release = freeze(recipe_for(answered_campaign(THREE, THREE, nobody, nobody, {**THREE, "eve": None})))

    agreement = {measure["measure"]: measure["value"] for measure in release.statistics["agreement"]}

    assert release.size == 3
    assert agreement["pairwise agreement"] == pytest.approx(13 / 15, abs=1e-4)
    # 8 answered, 7 did not
    assert agreement["Krippendorff's alpha"] == pytest.approx(1 - 14 * 2 / (8 * 7 * 2), abs=1e-4)


def test_a_row_holds_the_instance_its_aggregations_and_who_said_what():
    release = freeze(recipe_for(answered_campaign(THREE)))

    row = release.items.get().value
    assert row["entities"] == ["Ida Lind", "Karl Moe"]
    assert row["aggregations"] == [
        {"phrase": "botanists", "display": "Botanists", "support": 3, "simulated": 0},
        {"phrase": "swedish botanists", "display": "Swedish botanists", "support": 1, "simulated": 0},
    ]
    assert sorted(annotation["answers"] for annotation in row["annotations"]) == [
        ["Botanists"],
        ["The botanists"],
        ["botanists", "two Swedish botanists"],
    ]
    assert [annotation["annotator"] for annotation in row["annotations"]] == sorted(
        annotation["annotator"] for annotation in row["annotations"]
    )
    assert release.statistics["released"]["annotations"] == 3


def test_the_same_recipe_twice_gives_the_same_hash_and_other_pseudonyms():
    recipe = recipe_for(answered_campaign(THREE, THREE))

    first, second = freeze(recipe), freeze(recipe)

    assert (first.version, second.version) == (1, 2)
    assert first.content_hash == second.content_hash != ""
    people = [{a["annotator"] for item in r.items.all() for a in item.value["annotations"]} for r in (first, second)]
    assert not people[0] & people[1]
    assert [len(some) for some in people] == [3, 3]


def test_the_hash_depends_on_neither_database_ids_nor_the_order_of_answers():
    first = freeze(recipe_for(answered_campaign(THREE, {"cleo": ["men"], "dan": ["men"]})))
    hash_, recipe = first.content_hash, Recipe.from_json(first.recipe)
    Participation.objects.all().delete()
    campaign = Campaign.objects.get()
    first_task, second_task = campaign.tasks.order_by("member__position")
    for task, name, phrases in (
        (second_task, "dan", ["men"]),
        (second_task, "cleo", ["men"]),
        *((first_task, n, THREE[n]) for n in reversed(THREE)),
    ):
        answer(task, name, phrases)

    assert freeze(recipe).content_hash == hash_


def test_the_papers_filters_work_in_their_order_and_say_why():
    good, poor = (
        {"cleo": ["botanists"], "dan": ["scientists"]},
        {"cleo": ["they"], "dan": ["scientists"], "eve": ["experts"]},
    )
    release = freeze(recipe_for(answered_campaign(good, poor), least_assignments=2))

    assert release.size == 1
    why_by_step = dict(reasons(release))
    assert [*why_by_step] == ["workers", "answers", "instances"]
    assert why_by_step["workers"] == "The participant did 1 task, fewer than 2."
    assert why_by_step["answers"].startswith("pronoun: ")
    assert why_by_step["instances"] == "1 of 2 annotations answered, fewer than 2."
    funnel = {row["step"]: row for row in release.statistics["funnel"]}
    assert funnel["collected"]["annotators"] == 3
    assert funnel["workers"]["annotators"] == 2
    assert [funnel["answers"][name] for name in ("answered", "rejected", "not_aggregatable")] == [3, 1, 0]
    assert funnel["instances"]["instances"] == 1


def test_a_rejected_answer_and_one_that_says_nothing_fits_are_two_facts():
    answers = {"cleo": ["botanists"], "dan": ["botanists"], "eve": ["they"], "fay": None, "gus": ["NA"]}
    release = freeze(recipe_for(answered_campaign(answers)))

    row = release.items.get().value
    rejected = [annotation["answers"] for annotation in row["annotations"] if annotation["rejected"]]
    nothing_fits = [annotation["answers"] for annotation in row["annotations"] if annotation["not_aggregatable"]]
    assert (rejected, sorted(nothing_fits)) == ([["they"]], [[], ["NA"]])
    counts = release.statistics["released"]
    assert (counts["annotations"], counts["not_aggregatable"], counts["rejected"]) == (2, 2, 1)
    datasheet = documents.datasheet(selectors.facts_of(release))
    assert "2 are not aggregatable (`not_aggregatable`)" in datasheet
    assert "rejected every answer of 1 more" in datasheet


def test_a_recipe_of_schema_1_that_waits_to_be_frozen_gives_a_release_of_today():
    release = releases.create_release(releases.ReleasePlan("Words", recipe_for(answered_campaign(THREE))), by=None)
    old = {name: value for name, value in release.recipe.items() if name != "task_type"} | {"schema": 1}
    Release.objects.update(recipe=old)

    frozen = releases.freeze_release(Release.objects.get(), by=None, report=lambda *_: None)

    frozen.refresh_from_db()
    assert (frozen.recipe["schema"], frozen.recipe["task_type"]) == (2, "aggregation")
    assert frozen.items.get().value["schema"] == 2


def test_gold_tasks_are_never_part_of_a_release():
    campaign = answered_campaign(THREE, THREE)
    Task.objects.filter(pk=campaign.tasks.first().pk).update(is_gold=True, gold=known_phrases(["botanists"]).to_json())

    release = freeze(recipe_for(campaign))

    assert release.size == 1
    assert [step for step, _ in reasons(release)] == ["gold"]
    assert release.statistics["collected"]["instances"] == 1


def test_people_whom_a_researcher_excluded_are_left_out_with_the_reason():
    campaign = answered_campaign(THREE)
    Participation.objects.filter(worker__external_id="dan").update(excluded_at=now(), excluded_why="pasted everything")

    release = freeze(recipe_for(campaign))

    assert reasons(release) == [("people", "The person was excluded by a researcher: pasted everything.")]
    assert len(release.items.get().value["annotations"]) == 2


def test_a_late_answer_counts_only_when_a_reviewer_accepted_it():
    campaign = answered_campaign(THREE, THREE)
    for task, verdict in zip(campaign.tasks.all(), ("", "accept"), strict=True):
        answer(task, "fay", ["gardeners"], status=AssignmentStatus.LATE, verdict=verdict)

    release = freeze(recipe_for(campaign))

    assert [step for step, _ in reasons(release)] == ["late"]
    assert sorted(len(item.value["annotations"]) for item in release.items.all()) == [3, 4]


def test_reviewers_verdicts_count_unless_the_recipe_says_otherwise():
    campaign = answered_campaign({})
    task = campaign.tasks.get()
    answer(task, "cleo", ["botanists"], verdict="accept")
    answer(
        task, "dan", ["botonists"], verdict="correct", corrected=phrases_answer(["The botanists", "they and others"])
    )
    answer(task, "eve", ["plants"], verdict="exclude")
    answer(task, "fay", ["stuff"], verdict="correct", corrected=no_phrase())

    with_reviews, without = freeze(recipe_for(campaign)), freeze(recipe_for(campaign, use_reviews=False))

    row = with_reviews.items.get().value
    assert {aggregation["phrase"]: aggregation["support"] for aggregation in row["aggregations"]} == {
        "botanists": 2,
        "they and others": 1,
    }
    assert sorted(annotation["not_aggregatable"] for annotation in row["annotations"]) == [False, False, True]
    assert reasons(with_reviews) == [("reviews", "Excluded by a reviewer, without a reason.")]
    verdicts = [
        sorted(annotation["verdict"] for annotation in r.items.get().value["annotations"])
        for r in (with_reviews, without)
    ]
    assert verdicts == [["accept", "correct", "not_aggregatable"], ["", "", "", ""]]
    assert with_reviews.statistics["reviewed"] == {"accept": 1, "correct": 1, "not_aggregatable": 1}
    assert len(without.items.get().value["annotations"]) == 4
    assert with_reviews.content_hash != without.content_hash


def test_what_a_reviewer_accepted_stays_although_a_rule_discards_it():
    campaign = answered_campaign({"cleo": ["These are botanists"], "dan": ["botanists"], "eve": ["botanists"]})
    odd = Annotation.objects.get(assignment__participation__worker__external_id="cleo")
    before = freeze(recipe_for(campaign))

    review = reviewing.decide(odd.pk, Opinion("accept"), by=make_user("ada"))
    after = freeze(recipe_for(campaign))

    assert [discard.step for discard in selectors.discards(before)] == ["answers"]
    assert not selectors.discards(after).exists()
    phrases = {aggregation["phrase"] for aggregation in after.items.get().value["aggregations"]}
    assert phrases == {"botanists", "are botanists"}
    assert review.after == odd.answer


def test_a_bulk_accept_brings_nothing_back_that_a_rule_discards():
    campaign = answered_campaign({"cleo": ["These are botanists"], "dan": ["botanists"], "eve": ["botanists"]})
    odd = Annotation.objects.get(assignment__participation__worker__external_id="cleo")
    Review.objects.create(annotation=odd, reviewer_name="ada", verdict="accept", bulk="b")
    Annotation.objects.update(verdict="accept")

    assert [discard.step for discard in selectors.discards(freeze(recipe_for(campaign)))] == ["answers"]


def test_an_exclusion_is_told_with_the_answer_and_the_reason_but_without_the_reviewer():
    campaign = answered_campaign(THREE)
    odd = Annotation.objects.get(assignment__participation__worker__external_id="dan")
    reviewing.decide(odd.pk, Opinion("exclude", why="copied from the title"), by=make_user("ada"))

    discard = selectors.discards(freeze(recipe_for(campaign))).get()

    assert (discard.step, discard.why) == ("reviews", "Excluded by a reviewer: copied from the title")
    assert discard.answer == "botanists / two Swedish botanists"


def test_the_funnel_begins_with_everything_as_it_was_collected():
    campaign = answered_campaign(THREE)
    odd = Annotation.objects.get(assignment__participation__worker__external_id="dan")
    reviewing.decide(odd.pk, Opinion("nothing_fits"), by=make_user("ada"))

    funnel = {row["step"]: row for row in freeze(recipe_for(campaign)).statistics["funnel"]}

    counts = {step: (funnel[step]["answered"], funnel[step]["not_aggregatable"]) for step in funnel}
    assert (counts["collected"], counts["late"], counts["reviews"]) == ((3, 0), (3, 0), (2, 1))


def test_an_instance_of_two_campaigns_is_released_once_and_each_person_counts_once():
    first = answered_campaign({"cleo": ["botanists"], "dan": ["botanists"]}, name="A")
    second = make_campaign("B", sample=first.sample)
    answer(second.tasks.get(), "cleo", ["gardeners"])
    answer(second.tasks.get(), "eve", ["gardeners"])

    release = freeze(recipe_for(first, second))

    row = release.items.get().value
    assert {aggregation["phrase"]: aggregation["support"] for aggregation in row["aggregations"]} == {
        "botanists": 2,
        "gardeners": 1,
    }
    assert reasons(release) == [("people", "The same person answered about this instance in another campaign.")]


def test_a_recipe_survives_json_and_refuses_another_cleaning():
    recipe = make_recipe(AGGREGATION, ["B", "A", "A"], cleaning="paper", least_assignments=7, use_reviews=False)

    assert Recipe.from_json(recipe.to_json()) == recipe
    assert recipe.campaigns == ("A", "B")
    changed = Recipe.from_json({**recipe.to_json(), "cleaning": {"name": "paper", "version": 0, "fingerprint": "x"}})
    with pytest.raises(InvalidInput, match="make a new release"):
        changed.cleaning_of(AGGREGATION)


@pytest.mark.parametrize("fields", [{"least_assignments": 0}, {"least_answered": 0}, {"least_answered": 5000}])
def test_thresholds_have_limits(fields):
    with pytest.raises(InvalidInput, match="must be between"):
        make_recipe(AGGREGATION, ["A"], **fields)


def test_the_command_freezes_previews_and_refuses():
    answered_campaign(THREE)
    out = StringIO()

    call_command("freeze_release", "Words", campaign=["Phrases"], least_assignments=1, stdout=out)
    assert "1 instance frozen" in out.getvalue()
    assert Release.objects.get().content_hash in out.getvalue()
    call_command("freeze_release", "Words", campaign=["Phrases"], preview=True, stdout=out)
    assert "0 instances would be kept" in out.getvalue()
    with pytest.raises(CommandError, match="keeps no instance"):
        call_command("freeze_release", "Words", campaign=["Phrases"], stdout=out)
    with pytest.raises(CommandError, match="no campaign 'X'"):
        call_command("freeze_release", "Words", campaign=["X"], stdout=out)
    assert Release.objects.count() == 1


def test_nobody_is_named_in_what_is_frozen():
    release = freeze(
        recipe_for(answered_campaign(THREE, {"cleo": None, "dan": None, "longworkerid123": ["x", "they"]}))
    )

    for rows in (release.items.values(), release.discards.values()):
        text = canonical_json([{k: str(v) for k, v in row.items()} for row in rows])
        assert not any(name in text for name in ("cleo", "longworkerid123"))
    assert join(Campaign.objects.get(), "cleo").worker.external_id == "cleo"


def test_the_datasheet_counts_what_names_came_from():
    origins = ("tags", "recognition", "tags", "")  # the last was frozen before that was stored
    items = [make_frozen(article_id=str(n), group=str(n), names_from=origin) for n, origin in enumerate(origins)]
    campaign = answered_campaign(*[THREE] * len(items), sample=make_sample_of("Mixed", *items))

    facts = selectors.facts_of(freeze(recipe_for(campaign)))

    sentence = (
        "Names come from the publisher's tags in 2 instances and from recognition by a program in 1; "
        "of 1 it is not known."
    )
    assert sentence in documents.datasheet(facts)
    assert not any("names_from" in item.value for item in Release.objects.get().items.all())


def test_the_datasheet_says_which_instances_each_measure_of_agreement_is_over():
    two, nobody = {"cleo": ["botanists"], "dan": None}, {"cleo": None, "dan": None, "eve": None}
    release = freeze(recipe_for(answered_campaign(THREE, THREE, nobody, nobody, two, {"cleo": ["botanists"]})))

    datasheet = documents.datasheet(selectors.facts_of(release))

    lines = {line[2:].partition(":")[0]: line for line in datasheet.splitlines() if " over the instances with " in line}
    assert lines["Krippendorff's alpha"].endswith(
        "over the instances with two or more judgements: 5 instances and 14 judgements"
    )
    assert lines["Fleiss' kappa"].endswith(
        "over the instances with exactly 3 judgements, the most common number: 4 instances and 12 judgements"
    )
    assert lines["pairwise agreement"].endswith(": 5 instances and 14 judgements")
