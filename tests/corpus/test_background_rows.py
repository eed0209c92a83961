"""Backgrounds in the database: looked up, corrected by a person, never overruled by a machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.urls import reverse

from corpus.backgrounds import dump_index
from corpus.backgrounds.base import BackgroundStatus, Page, PageChoice
from corpus.jobs import corpora as corpus_jobs
from corpus.jobs.corpora import find_backgrounds
from corpus.models import Background, Corpus, Entity
from corpus.selectors.waiting import backgrounds_to_check
from corpus.services import backgrounds, corpora
from kernel.errors import InvalidInput, Unavailable, WrongState
from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from tests.make import make_article, make_corpus, make_entity, make_user
from tests.pages import shown
from tests.product import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
DEMO = ROOT / "corpus" / "demo"


@pytest.fixture(autouse=True)
def _here(settings, tmp_path):
    settings.VAR = settings.CORPUS_FOLDER = tmp_path


@pytest.fixture
def demo() -> Corpus:
    corpus = corpora.open_corpus("Demo", source="nitf", path=str(DEMO / "nitf"), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    corpus_jobs.find_instances({"corpus": corpus.pk}, Silent())
    return corpus


def look_up(corpus: Corpus, **more) -> str:
    parameters = {"corpus": corpus.pk, "source": "dump", "path": str(DEMO / "backgrounds.jsonl"), **more}
    return find_backgrounds(parameters, Silent()).text


class Scripted:
    """A source that knows a few pages, and fails for some names."""

    name = "manual"

    def __init__(self, *pages: Page, failing: tuple[str, ...] = ()) -> None:
        self.pages, self.failing = {page.title: page for page in pages}, failing

    def look_up(self, title: str) -> Page | None:
        if title in self.failing:
            raise Unavailable("the encyclopedia is asleep")
        return self.pages.get(title)

    def look_up_all(self, titles):
        return [self.look_up(title) for title in titles]

    def search(self, name: str, limit: int = 10):
        return []

    def close(self) -> None:
        pass


def an_entity(corpus: Corpus, name: str, **fields) -> Entity:
    entity = make_entity(corpus, name, instances=3, **fields)
    article = make_article(corpus, paragraphs=[f"{name} spoke."])
    entity.appearances.create(
        article=article, mentions=[{"part": "body", "paragraph": 0, "start": 0, "end": len(name), "form": "name"}]
    )
    return entity


def test_every_entity_of_an_instance_gets_a_verdict_with_its_reasons(demo):
    sentence = look_up(demo)

    assert "exact" in sentence
    wanted = Entity.objects.filter(corpus=demo, instances__gt=0).count()
    assert Background.objects.count() == wanted
    assert all(background.reasons for background in Background.objects.all())
    assert all(background.text for background in Background.objects.filter(status="exact"))
    assert look_up(demo) == "There was nothing to look up."


def test_looking_up_again_changes_nothing_a_person_decided(demo):
    look_up(demo)
    ben = make_user("ben")
    entity = Entity.objects.filter(background__status="exact").first()
    backgrounds.write_background(entity, title="", text="My own words.", url="", by=ben)

    look_up(demo, again=True)

    background = Background.objects.get(entity=entity)
    assert (background.status, background.text, background.decided_by) == ("by hand", "My own words.", ben)


@pytest.mark.parametrize("again", [False, True])
def test_a_decision_made_while_the_job_runs_is_kept(again):
    corpus, ben = make_corpus(), make_user("ben")
    entity = an_entity(corpus, "Ida Lind")
    if again:
        backgrounds.store_page_choice(entity, PageChoice(BackgroundStatus.MISSING), by=None)

    class Slow(Scripted):
        def look_up(self, title: str) -> Page | None:
            backgrounds.write_background(entity, title="", text="My own words.", url="", by=ben)
            return super().look_up(title)

    source = Slow(Page("Ida Lind", "Ida Lind was a botanist."))
    statuses = backgrounds.look_up_backgrounds(corpus, source, again=again, report=lambda *_: None)

    assert statuses == {}
    background = Background.objects.get()
    assert (background.status, background.text, background.decided_by) == ("by hand", "My own words.", ben)


def test_a_search_keeps_entities_that_a_person_decided_on(demo):
    look_up(demo)
    entity = Entity.objects.filter(instances__gt=0).first()
    backgrounds.discard_background(entity, by=make_user("ben"))
    demo.articles.update(tags=[])

    corpus_jobs.find_instances({"corpus": demo.pk}, Silent())

    assert [kept.pk for kept in Entity.objects.all()] == [entity.pk]


def test_one_entity_without_an_answer_costs_no_other():
    corpus = make_corpus()
    for name in ("Ida Lind", "Olof Berg"):
        an_entity(corpus, name)
    source = Scripted(Page("Olof Berg", "Olof Berg was a painter."), failing=("Ida Lind",))

    statuses = backgrounds.look_up_backgrounds(corpus, source, again=False, report=lambda *_: None)

    assert backgrounds.look_up_sentence(statuses) == "1 exact, 1 without an answer (look up again)."
    assert Background.objects.get().entity.name == "Olof Berg"


def test_a_source_that_never_answers_stops_the_job_with_a_sentence():
    corpus = make_corpus()
    names = tuple(f"Person Number{letter}" for letter in "abcdefgh")
    for name in names:
        an_entity(corpus, name)

    with pytest.raises(Unavailable, match=r"asleep\. Looked up 0 of 8; try again later\."):
        backgrounds.look_up_backgrounds(corpus, Scripted(failing=names), again=False, report=lambda *_: None)


def test_progress_and_the_sentence_count_the_same_entities():
    corpus, progress = make_corpus(), list[tuple[int, int]]()
    names = ("Olof Berg", *(f"Person Number{letter}" for letter in "abcdef"))
    for name in names:
        an_entity(corpus, name)
    source = Scripted(Page("Olof Berg", "Olof Berg was a painter."), failing=names[1:])

    with pytest.raises(Unavailable, match=r"Looked up 1 of 7"):
        backgrounds.look_up_backgrounds(
            corpus, source, again=False, report=lambda done, total, _: progress.append((done, total))
        )

    assert progress[-1] == (1, 7)


def test_a_queue_of_which_nothing_was_looked_up_says_so(client):
    client.force_login(make_user("ben"))
    corpus = make_corpus()
    an_entity(corpus, "Ida Lind")

    page = shown(client.get(reverse("admin:backgrounds", args=[corpus.pk])))

    assert "No backgrounds yet" in page
    assert "All backgrounds are checked" not in page


class Watched(Silent):
    """Progress that keeps what it is told."""

    def __init__(self) -> None:
        self.steps, self.lines = list[str](), list[str]()

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        self.steps.append(step or "")

    def log(self, text: str) -> None:
        self.lines.append(text)


def look_up_in(rows: str, folder: Path) -> Watched:
    (folder / "pages.jsonl").write_text(rows)
    watched, corpus = Watched(), make_corpus()
    find_backgrounds({"corpus": corpus.pk, "source": "dump", "path": str(folder / "pages.jsonl")}, watched)
    return watched


def test_indexing_a_dump_shows_its_progress_and_lines_that_could_not_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(dump_index, "REPORT_EVERY", 1)
    monkeypatch.setattr(backgrounds, "MOST_LOGGED", 1)

    watched = look_up_in('{"title": "X", "text": "X is a town."}\n{\n[]\n', tmp_path)

    assert "reading pages" in watched.steps
    assert watched.lines[0].startswith(f"{tmp_path}/pages.jsonl:2: this is not JSON")
    assert watched.lines[1:] == ["1 more line of the dump could not be read"]


def test_a_file_that_is_no_dump_is_refused_and_makes_nothing_missing(tmp_path):
    with pytest.raises(InvalidInput, match=r"no page could be read from it; first problem: .*pages.jsonl:1"):
        look_up_in('{"id": "1", "headline": "An article"}\n', tmp_path)

    assert not Background.objects.exists()


def test_an_index_that_is_opened_counts_as_used(tmp_path):
    rows = '{"title": "X", "text": "X is a town."}\n'
    look_up_in(rows, tmp_path)
    (index,) = (tmp_path / "cache" / "dumps").iterdir()
    os.utime(index, (0, 0))

    backgrounds.open_source("dump", str(tmp_path / "pages.jsonl"), Silent()).close()

    assert index.stat().st_mtime > 0


def test_decisions_are_kept_with_who_before_and_after():
    ben, entity = make_user("ben"), an_entity(make_corpus(), "Ida Lind")
    candidate = Page("Ida Lind (botanist)", "Ida Lind was a botanist.", page_id=4, licence="CC0", source="dump")
    backgrounds.store_page_choice(entity, PageChoice(BackgroundStatus.AMBIGUOUS, candidates=(candidate,)), by=None)

    backgrounds.choose_background(entity, 1, by=ben)

    background, entry = Background.objects.get(), AuditEntry.objects.first()
    assert (background.status, background.title, background.page_id) == ("by hand", "Ida Lind (botanist)", 4)
    assert (background.licence, background.source) == ("CC0", "dump")
    assert len(background.candidates) == 1
    assert (entry.actor_name, entry.before, entry.after) == (
        "ben",
        {"status": "ambiguous", "title": ""},
        {"status": "by hand", "title": "Ida Lind (botanist)"},
    )


def test_what_cannot_be_decided_is_refused_with_a_sentence():
    ben, entity = make_user("ben"), an_entity(make_corpus(), "Ida Lind")
    Background.objects.create(entity=entity, status="missing")

    with pytest.raises(WrongState, match="no page to accept"):
        backgrounds.accept_background(entity, by=ben)
    with pytest.raises(WrongState, match="no candidate 3"):
        backgrounds.choose_background(entity, 3, by=ben)
    with pytest.raises(InvalidInput, match="at least one sentence"):
        backgrounds.write_background(entity, title="", text="  ", url="", by=ben)
    with pytest.raises(InvalidInput, match="at most 5,000 characters"):
        backgrounds.write_background(entity, title="", text="word " * 5_000, url="", by=ben)
    with pytest.raises(InvalidInput, match="must begin with http"):
        backgrounds.write_background(entity, title="", text="A text.", url="javascript:alert(1)", by=ben)


def test_what_was_never_looked_up_can_be_written_but_not_accepted_or_chosen():
    ben, entity = make_user("ben"), an_entity(make_corpus(), "Ida Lind")

    with pytest.raises(WrongState, match="no page to accept"):
        backgrounds.accept_background(entity, by=ben)
    with pytest.raises(WrongState, match="no candidate 1"):
        backgrounds.choose_background(entity, 1, by=ben)
    assert backgrounds.write_background(entity, title="", text="Ida Lind sang.", url="", by=ben).status == "by hand"


def test_the_queue_goes_from_one_entity_to_the_next_until_all_are_checked(demo, client):
    client.force_login(make_user("ben"))
    look_up(demo)
    address = reverse("admin:backgrounds", args=[demo.pk])
    for _ in range(backgrounds_to_check(demo).count()):
        entity = client.get(address).context["entity"]
        answer = client.post(reverse("background-decide", args=[entity.pk]), {"action": "discard"})
        assert answer.url == address

    assert "All backgrounds are checked" in client.get(address).content.decode()


def test_skipping_shows_the_next_one_and_a_named_entity_can_be_corrected(demo, client):
    client.force_login(make_user("ben"))
    look_up(demo)
    address = reverse("admin:backgrounds", args=[demo.pk])
    first = client.get(address).context["entity"]
    second = client.get(f"{address}?after={first.pk}").context["entity"]
    exact = Entity.objects.filter(background__status="exact").first()

    assert second != first
    page = client.get(f"{address}?entity={exact.pk}").content.decode()
    assert exact.name in page
    assert 'data-key="a"' in page
    assert client.get(f"{address}?entity=99999999").status_code == 404
    assert client.get(f"{address}?after={'9' * 30}").context["entity"] == first


def test_the_queue_shows_an_abstract_that_alone_mentions_the_entity(client):
    client.force_login(make_user("ben"))
    entity = make_entity(make_corpus(), "Ida Lind", instances=1)
    article = make_article(entity.corpus, abstract="Of Ida Lind.", paragraphs=["She spoke."])
    entity.appearances.create(
        article=article, mentions=[{"part": "abstract", "paragraph": 0, "start": 3, "end": 11, "form": "name"}]
    )
    backgrounds.store_page_choice(entity, PageChoice(BackgroundStatus.MISSING), by=None)

    page = shown(client.get(reverse("admin:backgrounds", args=[entity.corpus_id])))

    assert "</span>Ida Lind</mark>." in page


def test_the_queue_leads_to_the_pages_themselves(client):
    client.force_login(make_user("ben"))
    entity = an_entity(make_corpus(), "Ida Lind")
    candidate = Page("Ida Lind (botanist)", "Ida Lind was a botanist.", url="https://example.org/lind")
    backgrounds.store_page_choice(entity, PageChoice(BackgroundStatus.AMBIGUOUS, candidates=(candidate,)), by=None)

    page = client.get(reverse("admin:backgrounds", args=[entity.corpus_id])).content.decode()

    assert 'href="https://example.org/lind"' in page


def test_a_decision_does_not_bring_back_what_was_skipped(demo, client):
    client.force_login(make_user("ben"))
    look_up(demo)
    address = reverse("admin:backgrounds", args=[demo.pk])
    first, second, third = backgrounds_to_check(demo)[:3]
    page = client.get(f"{address}?after={first.pk}").content.decode()
    decide = f"{reverse('background-decide', args=[second.pk])}?after={first.pk}"

    answer = client.post(decide, {"action": "discard"}, follow=True)

    assert decide in page
    assert answer.context["entity"] == third
    last = backgrounds_to_check(demo).last()
    assert client.get(f"{address}?after={last.pk}").context["entity"] == first


def test_a_look_up_is_started_from_the_page(demo, client, tmp_path):
    client.force_login(make_user("ben"))
    (tmp_path / "pages.jsonl").write_text('{"title": "X", "text": "X is a town."}\n')

    client.post(reverse("corpus-backgrounds", args=[demo.pk]), {"dump": "pages.jsonl"})

    job = Job.objects.get()
    assert (job.kind, job.parameters["source"], job.parameters["path"]) == (
        "find_backgrounds",
        "dump",
        str(tmp_path / "pages.jsonl"),
    )
    answer = client.post(reverse("corpus-backgrounds", args=[demo.pk]), {"dump": "../secret"})
    assert answer.status_code == 422
