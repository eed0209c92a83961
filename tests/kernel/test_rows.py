"""SQL that is put together once reads and writes what Django's own would."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from annotation.models import Annotation, Assignment, Campaign, Participation, Task
from annotation.selectors import turns
from annotation.services import assigning
from kernel.services import rows
from tests.make import make_campaign, make_participation

pytestmark = pytest.mark.django_db
MOMENT = datetime(2026, 3, 1, 12, 30, 15, 123456, UTC)


def a_turn(**fields: Any) -> Assignment:
    """Return a turn in hand of a new campaign."""
    turn = assigning.take_turn(make_participation(make_campaign(**fields)).secret).assignment
    assert turn is not None
    return turn


def test_a_joined_row_holds_the_values_that_django_reads():
    turn = a_turn(reward=Decimal("0.35"), seed=2**50)
    Campaign.objects.update(provider_settings={"ä": [1, None]})
    Participation.objects.update(earned=Decimal("12.50"), arrival={"from": "there"}, excluded_at=MOMENT)
    secret = turn.participation.secret

    read = turns.locked(secret, turn.pk)

    for ours, model in (
        (read, Assignment),
        (read.task, Task),
        (read.participation, Participation),
        (read.participation.campaign, Campaign),
    ):
        theirs = model.objects.get(pk=ours.pk)
        loaded = set(vars(ours)) - {"_state"}
        assert {n: getattr(ours, n) for n in loaded if n in vars(theirs)} == {
            n: getattr(theirs, n) for n in loaded if n in vars(theirs)
        }
    assert read.participation.campaign.provider_settings == {"ä": [1, None]}
    assert read.participation.excluded_at == MOMENT


def test_a_column_that_was_not_read_comes_by_its_own_query_when_it_is_asked_for():
    turn = a_turn(estimated_s=77)

    assert turns.locked(turn.participation.secret, turn.pk).participation.campaign.estimated_s == 77


def test_no_row_raises_what_django_would():
    turn = a_turn()

    for key in (0, turn.pk + 1, 10**30):
        with pytest.raises(Assignment.DoesNotExist):
            turns.asked(turn.participation.secret, key)
    with pytest.raises(Assignment.DoesNotExist):
        turns.asked("somebody else", turn.pk)


def test_an_inserted_row_is_the_one_that_django_would_have_stored():
    turn = a_turn()
    annotation = Annotation(assignment=turn, answer={"phrases": ["ä"]}, seconds=3, signals=None, warnings=["a"])
    annotation.created_at = MOMENT

    rows.insert(annotation)

    stored = Annotation.objects.get()
    assert stored == annotation
    columns = [field.attname for field in Annotation._meta.concrete_fields]
    assert [getattr(stored, name) for name in columns] == [getattr(annotation, name) for name in columns]
    annotation.seconds = 4
    annotation.save()  # an update: the instance knows that it is stored
    assert Annotation.objects.get().seconds == 4


@pytest.mark.parametrize("draft", [{"phrase_1": "ä \"b\" 'c' %s"}, None])
def test_an_updated_row_keeps_its_other_columns(draft: dict[str, str] | None):
    turn = a_turn()
    before = Assignment.objects.values().get()
    turn.draft, turn.draft_at, turn.reward = draft, MOMENT, Decimal("1.25")
    turn.group = "not named, so not stored"

    assert rows.update(turn, ("draft", "draft_at", "reward"))

    changes = {"draft": draft, "draft_at": MOMENT, "reward": Decimal("1.25")}
    assert Assignment.objects.values().get() == before | changes
    if draft is None:  # as Django stores it: no value, and not the value null of JSON
        assert Assignment.objects.filter(draft__isnull=True).exists()


def test_an_update_changes_nothing_when_the_row_is_not_what_it_should_still_be():
    turn = a_turn()
    Assignment.objects.update(status="submitted")
    turn.draft = {"phrase_1": "too late"}

    assert not rows.update(turn, ("draft",), still={"status": "taken"})

    assert Assignment.objects.get().draft is None
