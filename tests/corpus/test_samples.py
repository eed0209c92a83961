"""Samples in the database: drawn, frozen, imported, exported, deleted."""

from __future__ import annotations

import hashlib
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from corpus.frozen import FrozenInstance
from corpus.jobs import corpora as corpus_jobs
from corpus.jobs.samples import draw_sample as draw_job
from corpus.jobs.samples import import_items as import_job
from corpus.models import Background, Instance, Sample, SampledInstance
from corpus.sampling import SampleFilters
from corpus.selectors import samples as selectors
from corpus.services import corpora, importing, samples
from corpus.services.importing import ImportOrder
from corpus.services.samples import SampleOrder
from kernel.errors import Cancelled, InvalidInput, WrongState
from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_background, make_campaign, make_corpus, make_instance, make_job, make_sample_of, make_user

pytestmark = pytest.mark.django_db(transaction=True)
report = Silent().report


@pytest.fixture
def corpus():
    """Thirty instances in twenty overlap groups: 20 of two persons, 10 of three locations."""
    corpus = make_corpus()
    for number in range(20):
        two = make_instance(corpus)
        if number % 2:
            names = ("Arden", "Bree", "Cove")
            make_instance(corpus, *names, article=two.article, group=two.group, type="location", kind="abstract")
    return corpus


def draw(corpus, name="First", n=5, seed=1, **filters) -> Sample:
    order = SampleOrder(name, n, seed, SampleFilters(**filters))
    return samples.draw_sample(corpus, order, by=None, report=report)


def keys(sample: Sample) -> list[str]:
    return list(sample.members.order_by("position").values_list("key", flat=True))


def test_a_sample_holds_what_was_asked_for_one_of_a_group(corpus):
    sample = draw(corpus, n=20)

    groups = list(sample.members.values_list("group", flat=True))
    assert (sample.size, len(groups), len(set(groups))) == (20, 20, 20)
    assert list(sample.members.values_list("position", flat=True).order_by("position")) == list(range(20))


def test_the_same_seed_draws_the_same_sample_again(corpus):
    first = draw(corpus)
    drawn, digest = keys(first), first.content_hash
    samples.delete_sample(first, by=None)

    again = draw(corpus, name="Again")

    assert (keys(again), again.content_hash) == (drawn, digest)
    samples.delete_sample(again, by=None)
    assert keys(draw(corpus, seed=2)) != drawn


def test_a_drawing_repeated_after_its_end_is_the_same_sample(corpus):
    order = {"corpus": corpus.pk, "name": "First", "n": 5, "seed": 1, "then": ["make_tasks", {}]}
    first = draw_job(order, Silent())

    again = draw_job(order, Silent())  # its worker was lost before the result was stored

    assert again == first
    assert Sample.objects.count() == 1
    with pytest.raises(WrongState, match="already exists"):
        draw_job({**order, "seed": 2}, Silent())


def test_nothing_is_drawn_twice_nor_anything_of_its_group(corpus):
    first, second = draw(corpus, n=12), draw(corpus, name="Second", n=8)

    assert not {*first.members.values_list("group", flat=True)} & {*second.members.values_list("group", flat=True)}
    with pytest.raises(InvalidInput, match="1 were asked for, but none is left to draw"):
        draw(corpus, name="Third", n=1)
    assert not Sample.objects.filter(name="Third").exists()


def test_asking_for_too_many_says_how_many_are_left_and_draws_nothing(corpus):
    draw(corpus, n=15)

    with pytest.raises(InvalidInput, match="6 were asked for, but only 5 can be drawn"):
        draw(corpus, name="Second", n=6)
    assert Sample.objects.count() == 1


def test_filters_restrict_what_is_drawn(corpus):
    sample = draw(corpus, n=10, types=("location",), sizes=(3,), kinds=("abstract",))

    assert {(m.type, m.size, m.value["kind"]) for m in sample.members.all()} == {("location", 3, "abstract")}
    expected = {
        "types": ["location"],
        "sizes": [3],
        "kinds": ["abstract"],
        "names_from": [],
        "without_background": True,
    }
    assert sample.filters == expected


def test_only_instances_whose_entities_all_have_an_accepted_background_when_asked(corpus):
    for name, status in (("Ida Lind", "exact"), ("Karl Moe", "by hand"), ("Arden", "likely"), ("Bree", "ambiguous")):
        make_background(corpus.entities.get(name=name), status=status)

    sample = draw(corpus, n=20, without_background=False)

    assert {member.type for member in sample.members.all()} == {"person"}
    with pytest.raises(InvalidInput, match="none is left"):
        draw(corpus, name="More", n=1, without_background=False)


def test_backgrounds_are_frozen_whole_as_they_were_and_only_accepted_ones(corpus):
    text = "A first paragraph. " * 60
    lind = make_background(corpus.entities.get(name="Ida Lind"), text=text, url="https://example.org/a", page_id=7)
    make_background(corpus.entities.get(name="Karl Moe"), status="missing", text="", title="")
    sample = draw(corpus, n=1, types=("person",))
    Background.objects.filter(pk=lind.pk).update(text="Changed since.")
    Instance.objects.all().delete()

    value = FrozenInstance.from_json(sample.members.get().value)

    assert value.corpus == "News"
    assert value.backgrounds[0] is not None
    assert (value.backgrounds[0].text, value.backgrounds[0].page_id, value.backgrounds[0].status) == (text, 7, "exact")
    assert value.backgrounds[1] is None


def test_a_sample_survives_its_corpus(corpus):
    sample = draw(corpus)
    while corpora.delete_chunk(corpus):
        pass
    corpora.delete_corpus(corpus, by=None, articles=20)

    sample.refresh_from_db()

    assert (sample.corpus, sample.corpus_name, sample.members.count()) == (None, "News", 5)


def test_searching_the_corpus_anew_touches_no_sample(corpus):
    sample = draw(corpus)
    before = list(selectors.member_lines(sample))

    corpus_jobs.find_instances({"corpus": corpus.pk}, Silent())

    assert not Instance.objects.exists()
    assert list(selectors.member_lines(sample)) == before


def test_a_draw_that_was_stopped_starts_anew_and_draws_the_same(corpus, monkeypatch):
    monkeypatch.setattr(samples, "ROWS", 2)
    expected = [candidate.key for candidate in selectors.preview(corpus, 6, seed=1, filters=SampleFilters()).chosen]

    def stop(done: int, total: int | None = None, step: str | None = None) -> None:
        if done == 4:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        samples.draw_sample(corpus, SampleOrder("First", 6, 1), by=None, report=stop)
    assert (Sample.objects.get().content_hash, SampledInstance.objects.count()) == ("", 4)

    assert keys(draw(corpus, n=6)) == expected


def test_a_name_is_given_once(corpus):
    draw(corpus)

    with pytest.raises(WrongState, match="A sample named “First” already exists"):
        draw(corpus)
    with pytest.raises(InvalidInput, match="give the sample a name"):
        draw(corpus, name="  ")
    with pytest.raises(InvalidInput, match="at least one"):
        draw(corpus, name="None", n=0)


def test_a_name_that_another_is_being_filled_under_is_taken(corpus):
    imported = make_sample_of("Imported", make_frozen(), content_hash="")  # more is being imported, or was until a stop
    other = make_sample_of("Other", make_frozen(title="B"), content_hash="", seed=1, corpus=make_corpus("Olds"))

    for name in ("Imported", "Other"):
        with pytest.raises(WrongState, match=f"A sample named “{name}” already exists"):
            draw(corpus, name=name)

    assert [sample.members.count() for sample in (imported, other)] == [1, 1]


def test_the_job_draws_and_tells(corpus):
    ben = make_user("ben")
    filters = {"types": ["person"], "sizes": [], "kinds": [], "without_background": True}

    outcome = draw_job(
        {"corpus": corpus.pk, "name": "First", "n": 3, "seed": 9, "filters": filters, "by": ben.pk}, Silent()
    )

    sample = Sample.objects.get()
    assert outcome.text == "3 instances drawn into “First”."
    assert (sample.created_by, sample.seed, sample.asked) == (ben, 9, 3)
    assert AuditEntry.objects.get(action="draw sample").after["content_hash"] == sample.content_hash


def test_no_transaction_of_a_large_draw_is_long(corpus, monkeypatch):
    monkeypatch.setattr(samples, "ROWS", 4)
    committed = []

    def look(done: int, total: int | None = None, step: str | None = None) -> None:
        committed.append((done, SampledInstance.objects.count(), connection.in_atomic_block))

    samples.draw_sample(corpus, SampleOrder("First", 10, 1), by=None, report=look)

    assert committed == [(0, 0, False), (4, 4, False), (8, 8, False), (10, 10, False)]


# ---- Deleting -------------------------------------------------------------------------------------


def test_a_sample_that_is_used_is_not_deleted_and_takes_no_more_instances(tmp_path):
    sample = make_sample_of("Used", make_frozen())
    make_campaign("Spring", sample=sample)
    file = tmp_path / "i.jsonl"
    file.write_text(json.dumps(make_frozen(title="Another").to_json()))

    with pytest.raises(WrongState, match="“Used” is used by campaign “Spring”: delete that first"):
        samples.delete_sample(sample, by=None)
    with pytest.raises(WrongState, match="import into a new one"):
        importing.import_items(ImportOrder(file, "Used"), by=None, report=report)

    assert sample.members.count() == 1
    assert Sample.objects.get().content_hash == sample.content_hash


def test_deleting_is_kept_in_the_audit_trail_and_frees_the_instances(corpus):
    sample, ben = draw(corpus, n=20), make_user("ben")
    job = make_job(status="succeeded", result_url=f"/corpus/samples/{sample.pk}/")

    samples.delete_sample(sample, by=ben)

    job.refresh_from_db()
    assert job.result_url == ""
    assert not SampledInstance.objects.exists()
    assert AuditEntry.objects.get(action="delete sample").actor == ben
    assert draw(corpus, name="Again", n=20).size == 20


# ---- Importing and exporting ----------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.jsonl"
    rows = [make_frozen(title=f"Title {number}").to_json() for number in range(4)]
    path.write_text("\n".join([*map(json.dumps, rows), "{", '{"entities": []}']))
    return path


def test_finished_instances_become_a_sample_without_a_corpus(file):
    imported = importing.import_items(ImportOrder(file, "Mine"), by=None, report=report)

    sample = Sample.objects.get()
    assert imported.sentence() == "4 instances added, 2 rows could not be used."
    assert (sample.corpus, sample.seed, sample.size, sample.problem_count) == (None, None, 4, 2)
    assert [problem["where"] for problem in sample.problems] == ["line 5", "line 6"]
    assert sample.problems[1]["reason"] == "entities: must be 2 to 6 names, not 0"


def test_importing_twice_adds_nothing_and_says_so(file):
    importing.import_items(ImportOrder(file, "Mine"), by=None, report=report)
    digest = Sample.objects.get().content_hash

    again = importing.import_items(ImportOrder(file, "Mine"), by=None, report=report)

    assert again.sentence() == "Nothing new, 4 already there, 2 rows could not be used."
    assert (Sample.objects.get().content_hash, SampledInstance.objects.count()) == (digest, 4)


def test_a_mended_file_adds_what_is_new(file):
    importing.import_items(ImportOrder(file, "Mine"), by=None, report=report)
    file.write_text(json.dumps(make_frozen(title="Title 9").to_json()))

    assert importing.import_items(ImportOrder(file, "Mine"), by=None, report=report).sentence() == "1 instance added."
    assert list(Sample.objects.get().members.values_list("position", flat=True)) == [0, 1, 2, 3, 4]
    assert Sample.objects.get().problem_count == 0


def test_importing_what_another_sample_holds_says_so(file):
    importing.import_items(ImportOrder(file, "Mine"), by=None, report=report)

    assert (
        "4 of them also in other samples"
        in importing.import_items(ImportOrder(file, "B"), by=None, report=report).sentence()
    )


def test_a_drawn_sample_is_not_imported_into(corpus, file):
    draw(corpus)

    with pytest.raises(InvalidInput, match="was drawn from a corpus"):
        importing.import_items(ImportOrder(file, "First"), by=None, report=report)


@pytest.mark.parametrize("content", ["", "{\n", '{"entities": 1}'])
def test_a_file_of_which_nothing_can_be_used_leaves_no_sample(tmp_path, content):
    path = tmp_path / "bad.jsonl"
    path.write_text(content)

    with pytest.raises(InvalidInput, match="file: no row could be used; first problem"):
        importing.import_items(ImportOrder(path, "Bad"), by=None, report=report)
    assert not Sample.objects.exists()


def test_an_upload_goes_once_it_is_imported(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path
    upload = tmp_path / "uploads" / "i.jsonl"
    upload.parent.mkdir()
    upload.write_text(json.dumps(make_frozen().to_json()))

    outcome = import_job({"path": str(upload), "name": "Mine"}, Silent())

    assert outcome.text == "1 instance added."
    assert not upload.exists()


def test_what_is_imported_is_never_drawn(corpus, tmp_path):
    path = tmp_path / "c.jsonl"
    call_command("export_instances", "News", out=path, stdout=io.StringIO())
    importing.import_items(ImportOrder(path, "All"), by=None, report=report)

    with pytest.raises(InvalidInput, match="none is left"):
        draw(corpus)


def test_an_export_is_read_back_key_for_key(corpus, tmp_path):
    make_background(corpus.entities.get(name="Arden"), status="likely")
    path, out = tmp_path / "c.jsonl", io.StringIO()

    call_command("export_instances", "News", out=path, stdout=out)

    rows = [FrozenInstance.from_json(json.loads(line)) for line in path.read_text().splitlines()]
    assert out.getvalue() == f"{path}: 30 instances\n"
    assert [row.key for row in rows] == list(Instance.objects.order_by("id").values_list("key", flat=True))
    assert {background.title for row in rows for background in row.backgrounds if background} == {"Arden"}


def test_the_hash_of_a_sample_is_that_of_its_export(corpus):
    sample, out = draw(corpus), io.StringIO()

    call_command("export_instances", sample="First", stdout=out)

    assert hashlib.sha256(out.getvalue().encode()).hexdigest() == sample.content_hash
    assert len(out.getvalue().splitlines()) == 5


# ---- Commands -------------------------------------------------------------------------------------


def test_the_command_previews_then_draws_what_it_showed(corpus):
    out = io.StringIO()
    call_command("draw_sample", "News", "--name", "First", "-n", "5", "--seed", "3", "--preview", stdout=out)

    assert not Sample.objects.exists()
    lines = out.getvalue().splitlines()
    assert lines[-1] == "5 would be drawn; at most 20 can be, one from each overlap group."
    shown = {line.split()[0]: line.split()[-1] for line in lines[1:-1]}
    assert shown["all"] == "5/30"

    call_command("draw_sample", "News", "--name", "First", "-n", "5", "--seed", "3", stdout=out)
    drawn = Sample.objects.get().members
    assert out.getvalue().splitlines()[-1] == "News: 5 instances drawn into “First”."
    assert shown["person"] == f"{drawn.filter(type='person').count()}/20"
    assert Job.objects.get().status == "succeeded"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["Olds", "--name", "x", "-n", "1"], "there is no corpus 'Olds'; known: News"),
        (["News", "--name", "x", "-n", "99"], "only 20 can be drawn"),
        (["News", "--name", "x", "-n", "99", "--preview"], "only 20 can be drawn"),
        (["News", "--name", "x", "-n", "0"], "at least one"),
        (["News", "--name", " ", "-n", "1"], "a name"),
    ],
)
def test_the_command_says_what_is_wrong(corpus, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("draw_sample", *arguments, stdout=io.StringIO())


def test_the_import_command_tells_what_came_of_it(file):
    out, errors = io.StringIO(), io.StringIO()

    call_command("import_instances", file, name="Mine", stdout=out, stderr=errors)

    assert out.getvalue() == "Mine: 4 instances added, 2 rows could not be used.\n"
    assert errors.getvalue().splitlines()[1] == "mine.jsonl, line 6: entities: must be 2 to 6 names, not 0"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [([], "either a corpus or a --sample"), (["--sample", "None"], "there is no sample 'None'; known: none")],
)
def test_the_export_command_says_what_is_wrong(arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("export_instances", *arguments)
