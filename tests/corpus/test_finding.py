"""From stored articles to entities and instances: repeatable, the same every time, nothing left behind."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.highlights import Span, pieces
from corpus.instances import find_instances
from corpus.jobs import corpora as corpus_jobs
from corpus.models import Appearance, Article, Corpus, Entity, Finding, Instance
from corpus.selectors.corpora import is_half_searched
from corpus.selectors.instances import instance_pieces, instances_in
from corpus.sentences import split_paragraphs
from corpus.services import corpora
from kernel.errors import Cancelled
from kernel.progress import Silent
from tests.corpus.article_entities import entities_of
from tests.pages import shown
from tests.product import ROOT

DEMO = ROOT / "corpus" / "demo" / "nitf"
database = pytest.mark.django_db(transaction=True)


@pytest.fixture
def demo(db) -> Corpus:
    corpus = corpora.open_corpus("Demo", source="nitf", path=str(DEMO), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    return corpus


def keys() -> list[str]:
    return sorted(Instance.objects.values_list("key", flat=True))


# ---- Pure -----------------------------------------------------------------------------------------


def article(**fields) -> SourceArticle:
    people = [Tag(f"{family}, {first}", EntityType.PERSON) for first, family in (("Ida", "Lind"), ("Olof", "Berg"))]
    text = ("Ida Lind met Olof Berg at noon. They talked.", "Mr. Berg left. Ms. Lind stayed.")
    return SourceArticle(**{"source_id": "7", "title": "A meeting", "paragraphs": text, "tags": tuple(people)} | fields)


def test_an_article_gives_its_instances_in_reading_order():
    source_article = article()

    findings = find_instances(source_article, entities_of(source_article), seed=0)

    first = findings.instances[0]
    assert [entity.name for entity in first.entities] == ["Ida Lind", "Olof Berg"]
    assert first.context.text == "Ida Lind met Olof Berg at noon."
    assert [i.context.text for i in findings.instances] == [
        "Ida Lind met Olof Berg at noon.",
        "Mr. Berg left. Ms. Lind stayed.",
    ]
    assert findings.is_tagged


def test_the_key_depends_on_what_is_said_and_on_nothing_else():
    original, renamed = article(), article(title="Another title")
    first, again, other = (
        find_instances(a, entities_of(a), seed=s).instances for a, s in ((original, 0), (original, 9), (renamed, 0))
    )

    assert [i.key for i in first] == [i.key for i in again]
    assert not {i.key for i in first} & {i.key for i in other}


def test_a_passage_printed_twice_is_one_instance():
    line = "Ida Lind met Olof Berg at noon."
    source_article = article(paragraphs=(line, "Nothing happened. Nothing at all. Nobody came.", line))

    assert len(find_instances(source_article, entities_of(source_article), seed=0).instances) == 1


@given(st.text(), st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30), st.integers(0, 40)), max_size=8))
def test_pieces_put_together_are_the_text(text, spans):
    given_spans = [Span(max(0, a), max(0, a) + abs(b), n, "x") for a, b, n in spans]

    assert "".join(piece.text for piece in pieces(text, given_spans)) == text


# ---- Stored ---------------------------------------------------------------------------------------


@database
def test_the_demo_newspaper_gives_instances_of_every_type(demo):
    outcome = corpus_jobs.find_instances({"corpus": demo.pk}, Silent())

    funnel = Finding.objects.get()
    assert outcome.text.startswith(f"{funnel.instances:,} instances")
    assert funnel.articles == 68
    assert funnel.instances == Instance.objects.count()
    assert set(Instance.objects.values_list("type", flat=True)) == {"person", "location", "organization"}
    assert set(Instance.objects.values_list("size", flat=True)) == {2, 3, 4, 5, 6}


@database
def test_every_instance_mentions_all_its_entities_where_it_says(demo):
    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())

    for instance in Instance.objects.all():
        assert {m["entity"] for m in instance.mentions} == set(range(instance.size))
        text = "".join(piece.text for paragraph in instance_pieces(instance) for piece in paragraph)
        assert text == instance.context.replace("\n\n", "")
        letters = {piece.letter for paragraph in instance_pieces(instance) for piece in paragraph} - {""}
        assert len(letters) == instance.size


@database
def test_a_second_search_stores_the_same_rows(demo):
    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    first, entities, appearances = keys(), Entity.objects.count(), Appearance.objects.count()

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())

    assert keys() == first
    assert (Entity.objects.count(), Appearance.objects.count()) == (entities, appearances)


@database
def test_a_search_interrupted_half_way_is_completed_by_the_next(demo):
    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    whole = keys()
    Instance.objects.filter(article__in=Article.objects.all()[:20]).delete()
    Appearance.objects.filter(article__in=Article.objects.all()[30:40]).delete()

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())

    assert keys() == whole


class StoppedAt(Silent):
    """Progress of a job that somebody cancels once a step begins so."""

    def __init__(self, step: str) -> None:
        self.stop = step

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        if (step or "").startswith(self.stop):
            raise Cancelled("stop")


@database
@pytest.mark.parametrize(
    ("step", "is_half"), [("Deciding", False), ("Storing entities", True), ("Finding instances", True)]
)
def test_a_search_stopped_once_it_has_begun_to_replace_leaves_the_corpus_half_searched(demo, step, is_half):
    with pytest.raises(Cancelled):
        corpus_jobs.find_instances({"corpus": demo.pk}, StoppedAt(step))
    assert is_half_searched(Corpus.objects.get()) == is_half

    with pytest.raises(Cancelled):
        corpus_jobs.find_instances({"corpus": demo.pk}, StoppedAt("Deciding"))  # a next one that did not come as far
    assert is_half_searched(Corpus.objects.get()) == is_half

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    assert not is_half_searched(Corpus.objects.get())


@database
def test_an_entity_that_is_no_longer_tagged_goes(demo):
    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    Article.objects.update(tags=[])

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())

    assert not Entity.objects.exists()
    assert not Instance.objects.exists()
    assert Finding.objects.get().instances == 0


@database
def test_reading_leads_to_the_search_where_asked(demo):
    outcome = corpus_jobs.ingest({"corpus": demo.pk, "find": True, "dump": "pages.jsonl"}, Silent())

    assert outcome.then == ("find_instances", {"corpus": demo.pk, "dump": "pages.jsonl"})
    kind, parameters = corpus_jobs.find_instances(outcome.then[1], Silent()).then
    assert (kind, parameters["path"]) == ("find_backgrounds", "pages.jsonl")
    assert corpus_jobs.ingest({"corpus": demo.pk}, Silent()).then is None


@database
def test_instances_are_found_by_names_with_accents_on_every_database(tmp_path):
    people = [{"name": "Núria Çelik", "type": "person"}, {"name": "Olof Berg", "type": "person"}]
    row = {"id": "1", "title": "T", "text": "Núria Çelik met Olof Berg.", "entities": people}
    (tmp_path / "news.jsonl").write_text(json.dumps(row))
    corpus = corpora.open_corpus("News", source="jsonl", path=str(tmp_path / "news.jsonl"), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    corpus_jobs.find_instances({"corpus": corpus.pk}, Silent())

    assert instances_in(corpus, words="Núria Çelik").count() == 1
    assert not instances_in(corpus, words='", "').exists()


@database
def test_deleting_a_searched_corpus_leaves_nothing(demo):
    from corpus.jobs.corpora import delete_corpus

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    delete_corpus({"corpus": demo.pk}, Silent())

    assert not any(model.objects.exists() for model in (Corpus, Article, Entity, Appearance, Instance, Finding))


@database
def test_the_command_searches_and_refuses_an_unknown_corpus(demo, capsys):
    call_command("find_instances", "Demo")
    assert "instances in" in capsys.readouterr().out

    with pytest.raises(CommandError, match="there is no corpus 'Nothing'; known: Demo"):
        call_command("find_instances", "Nothing")


@database
def test_contexts_have_two_sentences_where_asked_and_in_later_searches_until_asked_otherwise(demo):
    def sentences_of_shortest() -> int:
        contexts = Instance.objects.filter(kind="content").values_list("context", flat=True)
        return min(len(split_paragraphs(text.split("\n\n"))) for text in contexts)

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    assert (sentences_of_shortest(), Finding.objects.get().min_sentences) == (1, 1)

    call_command("find_instances", "Demo", "--min-sentences", "2")
    assert (sentences_of_shortest(), Finding.objects.get().min_sentences) == (2, 2)
    widened_keys = keys()

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    assert (keys(), Finding.objects.get().min_sentences) == (widened_keys, 2)

    corpus_jobs.find_instances({"corpus": demo.pk, "min_sentences": 1}, Silent())
    assert (sentences_of_shortest(), Finding.objects.get().min_sentences) == (1, 1)


@database
def test_the_pages_show_what_was_found(demo, client):
    from tests.make import make_user

    client.force_login(make_user("ben"))
    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())
    instance = Instance.objects.filter(size=3).first()
    entity = Entity.objects.order_by("-articles").first()

    def page(path: str) -> str:
        answer = client.get(path)
        assert answer.status_code == 200
        return shown(answer)

    listed = client.get(f"/api/v1/corpora/{demo.pk}/instances/?type=person").json()["results"][0]
    first = listed["mentions"][0]
    assert listed["entity_type"] == "person"
    assert listed["context"][first["start"] : first["end"]].split()[-1] in listed["entities"][first["entity"]]
    assert client.get(f"/api/v1/corpora/{demo.pk}/entities/").json()["results"][0]["name"] == entity.name
    assert "after removing overlaps" in page(f"/corpus/{demo.pk}/")
    assert entity.name in page(f"/corpus/{demo.pk}/entities/?type={entity.type}")
    assert "Articles that mention it" in page(f"/corpus/entities/{entity.pk}/")
    listed = page(f"/corpus/{demo.pk}/instances/?type={instance.type}&size=3")
    assert 'class="entity__letter">C</span>' in listed
    assert "No instance matches" in page(f"/corpus/{demo.pk}/instances/?words=zzzzzz")
    article_page = page(f"/corpus/articles/{instance.article_id}/")
    assert "Entities found" in article_page
    assert 'class="entity__letter">A</span>' in article_page
