"""A release is frozen once, never changed, and deleted whole."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from annotation.models import Release, ReleaseItem
from annotation.releasing.recipe import make_recipe
from annotation.selectors import releases as selectors
from annotation.services import releases
from annotation.task_types.aggregation.type import AGGREGATION
from kernel.errors import InvalidInput, WrongState
from kernel.models import AuditEntry
from tests.annotation.answered import answer, answered_campaign
from tests.annotation.releasing import THREE, freeze, recipe_for

pytestmark = pytest.mark.django_db


def test_a_frozen_release_is_never_changed_by_anybody():
    release = freeze(recipe_for(answered_campaign(THREE)))

    for change in (
        lambda: Release.objects.filter(pk=release.pk).update(recipe={}),
        lambda: Release.objects.filter(pk=release.pk).update(content_hash="0" * 64),
        lambda: ReleaseItem.objects.filter(release=release).update(value={}),
    ):
        with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
            change()
    kept = Release.objects.get()
    assert (kept.recipe, kept.content_hash) == (release.recipe, release.content_hash)
    assert kept.items.get().value["aggregations"]


def test_freezing_again_after_a_crash_starts_anew_and_gives_the_same():
    recipe = recipe_for(answered_campaign(*[THREE] * 5))
    whole = freeze(recipe)
    release = releases.create_release(releases.ReleasePlan("Other", recipe), by=None)

    def crash(done: int, total: int | None, step: str) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        releases.freeze_release(release, by=None, report=crash)
    assert release.items.exists()
    assert not release.content_hash
    releases.freeze_release(release, by=None, report=lambda *_: None)

    assert release.content_hash == whole.content_hash
    assert release.items.count() == 5
    assert releases.freeze_release(release, by=None, report=crash) == release  # frozen: nothing is done


def test_answers_that_come_in_meanwhile_stop_the_freezing():
    campaign = answered_campaign(THREE, THREE)
    release = releases.create_release(releases.ReleasePlan("Words", recipe_for(campaign)), by=None)

    def somebody_answers(done: int, total: int | None, step: str) -> None:
        if done:
            answer(campaign.tasks.last(), "fay", ["late thoughts"])

    with pytest.raises(WrongState, match="changed in the meantime"):
        releases.freeze_release(release, by=None, report=somebody_answers)
    assert not Release.objects.get().content_hash


def test_a_recipe_that_keeps_nothing_is_refused():
    campaign = answered_campaign({"cleo": None, "dan": None})

    with pytest.raises(InvalidInput, match="keeps no instance"):
        freeze(recipe_for(campaign))


def test_a_campaign_that_does_not_exist_is_named():
    answered_campaign(THREE)

    with pytest.raises(InvalidInput, match=r"no campaign 'Prases'; known: Phrases"):
        freeze(make_recipe(AGGREGATION, ["Prases"]))


def test_a_release_is_deleted_whole_and_audited():
    release = freeze(recipe_for(answered_campaign(THREE)))

    releases.delete_release(release, by=None)

    assert not Release.objects.exists()
    assert not ReleaseItem.objects.exists()
    assert [e.action for e in AuditEntry.objects.filter(action__contains="release").order_by("id")] == [
        "freeze release",
        "delete release",
    ]


def test_the_number_of_a_deleted_release_is_never_given_again():
    recipe = recipe_for(answered_campaign(THREE))
    freeze(recipe)
    second = freeze(recipe)
    releases.delete_release(second, by=None)

    third = freeze(recipe)

    assert (second.version, third.version) == (2, 3)
    assert [str(version) for version in selectors.retired()] == ["Words, version 2"]


def test_a_release_that_was_never_complete_leaves_its_number_free():
    recipe = recipe_for(answered_campaign(THREE))
    releases.delete_release(releases.create_release(releases.ReleasePlan("Words", recipe), by=None), by=None)

    assert freeze(recipe).version == 1
