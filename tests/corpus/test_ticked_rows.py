"""Rows of a corpus that are ticked: backgrounds are decided together, instances downloaded."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from corpus.models import Background, Corpus, Entity
from kernel.models import AuditEntry
from kernel.roles import Role
from tests.make import make_article, make_corpus, make_entity, make_instance, make_user
from tests.pages import shown

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def researcher(client: Client) -> Client:
    client.force_login(make_user("ben"))
    return client


def waiting(corpus: Corpus, name: str, text: str = "A botanist.") -> Entity:
    """Return an entity whose background waits for a person."""
    entity = make_entity(corpus, name, instances=2)
    status = "likely" if text else "missing"
    Background.objects.create(entity=entity, status=status, title=name if text else "", text=text)
    return entity


def decide(client: Client, corpus: Corpus, action: str, *entities: object, query: str = "") -> str:
    url = f"/corpus/{corpus.pk}/backgrounds/list/{query}"
    return shown(client.post(url, {"action": action, "entity": entities}, follow=True))


def statuses() -> list[str]:
    return list(Background.objects.order_by("entity_id").values_list("status", flat=True))


def test_the_list_shows_what_waits_and_what_can_be_done_with_it(researcher: Client):
    corpus = make_corpus()
    with_page, missing = waiting(corpus, "Ida Lind"), waiting(corpus, "Karl Moe", "")

    page = shown(researcher.get(f"/corpus/{corpus.pk}/backgrounds/list/"))

    assert "2 backgrounds to check" in page
    assert f'value="{with_page.pk}" data-can="accept discard"' in page
    assert f'value="{missing.pk}" data-can="discard"' in page


def test_ticked_backgrounds_are_accepted_together_and_each_decision_is_kept(researcher: Client):
    corpus = make_corpus()
    first, second, other = (waiting(corpus, name) for name in ("Ida Lind", "Karl Moe", "Eva Dahl"))

    page = decide(researcher, corpus, "accept", first.pk, second.pk)

    assert "2 backgrounds accepted." in page
    assert statuses() == ["by hand", "by hand", "likely"]
    assert AuditEntry.objects.filter(action="accept background").count() == 2
    assert f'value="{other.pk}"' in page


def test_one_without_a_page_is_named_and_the_others_are_accepted(researcher: Client):
    corpus = make_corpus()
    with_page, without = waiting(corpus, "Ida Lind"), waiting(corpus, "Karl Moe", "")

    page = decide(researcher, corpus, "accept", with_page.pk, without.pk)

    assert "1 background accepted." in page
    assert "Karl Moe: There is no page to accept" in page
    assert statuses() == ["by hand", "missing"]


def test_ticked_backgrounds_are_discarded_but_not_those_of_another_corpus(researcher: Client):
    mine, other = make_corpus(), make_corpus("Other")
    first, second = waiting(mine, "Ida Lind"), waiting(other, "Karl Moe")

    assert "1 background discarded." in decide(researcher, mine, "discard", first.pk, second.pk)
    assert statuses() == ["discarded", "likely"]


@pytest.mark.parametrize("ids", [[], ["x"], ["9" * 30]])
def test_without_a_tick_one_sentence_says_so(researcher: Client, ids: list[str]):
    assert "Tick the backgrounds first." in decide(researcher, make_corpus(), "accept", *ids)


def test_another_action_is_refused(researcher: Client):
    assert researcher.post(f"/corpus/{make_corpus().pk}/backgrounds/list/", {"action": "burn"}).status_code == 422


def test_an_annotator_decides_nothing(client: Client):
    corpus = make_corpus()
    entity = waiting(corpus, "Ida Lind")
    client.force_login(make_user("cleo", Role.ANNOTATOR))

    answer = client.post(f"/corpus/{corpus.pk}/backgrounds/list/", {"action": "discard", "entity": entity.pk})

    assert answer.status_code == 403
    assert statuses() == ["likely"]


def test_only_ticked_instances_are_downloaded(researcher: Client):
    article = make_article()
    corpus = article.corpus
    first, second, _ = (make_instance(corpus, *names) for names in (("Ida", "Karl"), ("Ida", "Eva"), ("Karl", "Eva")))
    ticked = {"key": [first.key, second.key]}

    lines = researcher.get(f"/corpus/{corpus.pk}/instances/download/", ticked).getvalue().splitlines()
    table = researcher.get(f"/corpus/{corpus.pk}/instances/instances.csv", ticked).getvalue().decode()

    assert {json.loads(line)["key"] for line in lines} == {first.key, second.key}
    assert table.count("\n") == 3
    assert 'name="key"' in shown(researcher.get(f"/corpus/{corpus.pk}/instances/"))
