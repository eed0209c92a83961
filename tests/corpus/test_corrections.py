"""What people say about entities: kept, audited, applied by every search, taken back."""

from __future__ import annotations

import json

import pytest

from corpus.jobs import corpora as corpus_jobs
from corpus.models import Appearance, Background, Corpus, Entity, EntityCorrection, EntityName, Instance
from corpus.selectors.corrections import corrections_in_force, corrections_waiting
from corpus.services import backgrounds, corpora, corrections
from kernel.errors import InvalidInput, WrongState
from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from tests.make import make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = ("Lind, Ida", "Berg, Olof", "Linde, Ida")
TEXTS = ("Ida Lind met Olof Berg.", "Ida Linde met Olof Berg.", "Ida Lind and Ida Linde spoke.")


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    entities = [{"name": name, "type": "person"} for name in PEOPLE]
    rows = [{"id": str(n), "title": "T", "text": text, "entities": entities} for n, text in enumerate(TEXTS)]
    (tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = corpora.open_corpus("News", source="jsonl", path=str(tmp_path / "news.jsonl"), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    search(corpus)
    return corpus


@pytest.fixture
def ben():
    return make_user("ben")


def search(corpus: Corpus) -> None:
    corpus_jobs.find_instances({"corpus": corpus.pk}, Silent())


def named(name: str) -> Entity:
    return Entity.objects.get(name=name)


def names() -> list[str]:
    return sorted(Entity.objects.values_list("name", flat=True))


def pairs() -> set[str]:
    return {
        " + ".join(sorted(entity_names)) for entity_names in Instance.objects.values_list("entity_names", flat=True)
    }


def test_a_merge_takes_effect_with_the_next_search_and_is_told_until_then(corpus, ben):
    corrections.merge_entities([named("Ida Linde")], named("Ida Lind"), reason="one person", by=ben)

    assert names() == ["Ida Lind", "Ida Linde", "Olof Berg"]
    assert corrections_waiting(corpus) == 1
    search(corpus)
    assert names() == ["Ida Lind", "Olof Berg"]
    assert pairs() == {"Ida Lind + Olof Berg"}
    assert Appearance.objects.filter(entity=named("Ida Lind")).count() == 3
    assert corrections_waiting(corpus) == 0


def test_it_holds_after_any_number_of_searches(corpus, ben):
    corrections.rename_entity(named("Ida Lind"), "Ida  Lindqvist ", reason="married", by=ben)
    search(corpus)
    search(corpus)

    assert "Ida Lindqvist" in names()
    assert {m["form"] for m in Appearance.objects.filter(entity__name="Ida Lindqvist").first().mentions} == {"alias"}


def test_undoing_brings_everything_back_key_for_key(corpus, ben):
    before = sorted(Instance.objects.values_list("key", flat=True))
    (row,) = corrections.merge_entities([named("Ida Linde")], named("Ida Lind"), reason="one person", by=ben)
    search(corpus)

    undone = corrections.undo_correction(row, reason="two after all", by=ben)
    assert corrections_waiting(corpus) == 1
    search(corpus)

    assert sorted(Instance.objects.values_list("key", flat=True)) == before
    with pytest.raises(WrongState, match="already been undone"):
        corrections.undo_correction(row, reason="again", by=ben)
    with pytest.raises(WrongState, match="make the correction again"):
        corrections.undo_correction(undone, reason="again", by=ben)


def test_a_name_is_split_off_what_it_was_merged_with(corpus, ben):
    corrections.merge_entities([named("Ida Linde")], named("Ida Lind"), reason="one person", by=ben)
    search(corpus)

    corrections.split_entity(named("Ida Lind"), ["ida linde"], reason="two", by=ben)
    search(corpus)

    assert names() == ["Ida Lind", "Ida Linde", "Olof Berg"]


def test_another_type_moves_the_instances(corpus, ben):
    corrections.retype_entity(named("Olof Berg"), "organization", reason="a shipyard", by=ben)
    search(corpus)

    assert named("Olof Berg").type == "organization"
    assert pairs() == {"Ida Lind + Ida Linde"}


def test_a_discarded_entity_stays_away(corpus, ben):
    backgrounds.discard_background(named("Olof Berg"), by=ben)
    corrections.discard_entity(named("Olof Berg"), reason="a mountain", by=ben)
    search(corpus)

    assert pairs() == {"Ida Lind + Ida Linde"}
    assert not EntityName.objects.filter(folded="olof berg").exists()


def test_every_correction_is_audited_with_who_why_before_and_after(corpus, ben):
    corrections.retype_entity(named("Olof Berg"), "organization", reason="a shipyard", by=ben)

    entry = AuditEntry.objects.get(action="retype entity")
    assert (entry.actor, entry.reason, entry.subject_name) == (ben, "a shipyard", "Olof Berg")
    assert entry.before == {"name": "Olof Berg", "type": "person", "names": ["olof berg"]}
    assert entry.after["value"] == "organization"


@pytest.mark.parametrize(
    "say",
    [
        lambda entity, other, by: corrections.merge_entities([entity], entity, reason="x", by=by),
        lambda entity, other, by: corrections.merge_entities([entity], other, reason="  ", by=by),
        lambda entity, other, by: corrections.split_entity(entity, ["ida lind"], reason="x", by=by),
        lambda entity, other, by: corrections.split_entity(entity, ["olof berg"], reason="x", by=by),
        lambda entity, other, by: corrections.split_entity(entity, [], reason="x", by=by),
        lambda entity, other, by: corrections.retype_entity(entity, "person", reason="x", by=by),
        lambda entity, other, by: corrections.retype_entity(entity, "ship", reason="x", by=by),
        lambda entity, other, by: corrections.rename_entity(entity, " - ", reason="x", by=by),
        lambda entity, other, by: corrections.rename_entity(entity, "Ida Lind", reason="x", by=by),
    ],
)
def test_what_says_nothing_is_refused_and_leaves_nothing(corpus, ben, say):
    with pytest.raises(InvalidInput):
        say(named("Ida Lind"), named("Olof Berg"), ben)

    assert not EntityCorrection.objects.exists()
    assert not AuditEntry.objects.filter(action__contains="entity").exists()


def test_a_background_by_hand_goes_with_the_name(corpus, ben):
    backgrounds.write_background(named("Ida Linde"), title="", text="A sailor.", url="", by=ben)
    corrections.merge_entities([named("Ida Linde")], named("Ida Lind"), reason="one person", by=ben)
    search(corpus)

    assert named("Ida Lind").background.text == "A sailor."


@pytest.mark.parametrize(("status", "kept"), [("exact", 0), ("by hand", 1)])
def test_what_was_looked_up_for_another_type_is_not_believed(corpus, ben, status, kept):
    Background.objects.create(entity=named("Olof Berg"), status=status, text="A sailor.")
    corrections.retype_entity(named("Olof Berg"), "organization", reason="a shipyard", by=ben)
    search(corpus)

    assert Background.objects.filter(entity=named("Olof Berg"), text="A sailor.").count() == kept


def test_a_looked_up_background_survives_a_new_name(corpus, ben):
    Background.objects.create(entity=named("Olof Berg"), status="exact", text="A sailor.")
    corrections.rename_entity(named("Olof Berg"), "Olof Berge", reason="spelling", by=ben)
    search(corpus)

    assert named("Olof Berge").background.text == "A sailor."


# ---- Pages and API --------------------------------------------------------------------------------


@pytest.fixture
def page(client, ben):
    client.force_login(ben)

    def get(path: str) -> str:
        answer = client.get(path)
        assert answer.status_code == 200
        return shown(answer)

    return get


def test_the_entity_page_corrects_and_every_page_tells_that_it_waits(corpus, client, page):
    entity, other = named("Ida Lind"), named("Ida Linde")
    assert "Ida Linde" in page(f"/corpus/entities/{entity.pk}/?find=linde")

    fields = {"action": "merge-there", "others": other.pk, "reason": "one person"}
    client.post(f"/corpus/entities/{entity.pk}/correct/", fields)

    article = corpus.articles.first().pk
    for path in (f"{corpus.pk}/", f"{corpus.pk}/entities/", f"{corpus.pk}/instances/", f"{corpus.pk}/corrections/",
                 f"entities/{entity.pk}/", f"articles/{article}/"):  # fmt: skip
        assert "1 correction of entities is waiting" in page(f"/corpus/{path}")
        assert '<div id="corrections-waiting" data-renew>' in page(f"/corpus/{path}")
    row = EntityCorrection.objects.get()
    assert (row.kind, row.value, row.made_by.username) == ("merge", "Ida Linde", "ben")
    assert "Ida Lind merged into Ida Linde" in page(f"/corpus/{corpus.pk}/corrections/")
    client.post(f"/corpus/{corpus.pk}/find/")
    assert Job.objects.get().kind == "find_instances"
    client.post(f"/corpus/corrections/{row.pk}/undo/", {"reason": "no"})
    assert not corrections_in_force(corpus).exists()
    assert "undone by no." in page(f"/corpus/{corpus.pk}/corrections/")


def test_the_notice_of_waiting_corrections_is_renewed_when_the_search_has_ended(corpus, ben, page):
    corrections.merge_entities([named("Ida Linde")], named("Ida Lind"), reason="one person", by=ben)
    search(corpus)

    for path in (f"{corpus.pk}/", f"{corpus.pk}/entities/", f"{corpus.pk}/instances/", f"{corpus.pk}/corrections/"):
        text = page(f"/corpus/{path}")
        assert '<div id="corrections-waiting" data-renew hidden></div>' in text
        assert "of entities is waiting" not in text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"action": "merge-there", "reason": "x"}, "choose exactly one entity"),
        ({"action": "merge-here", "others": "9" * 30, "reason": "x"}, "choose another entity"),
        ({"action": "rename", "name": "Ida", "reason": ""}, "give a reason"),
        ({"action": "dance", "reason": "x"}, "choose an action"),
    ],
)
def test_a_refused_correction_says_why(corpus, client, page, fields, sentence):
    path = f"/corpus/entities/{named('Ida Lind').pk}/"

    client.post(f"{path}correct/", fields)

    assert sentence in page(path)
    assert not EntityCorrection.objects.exists()


def test_the_api_corrects_lists_and_undoes(corpus, client, ben):
    client.force_login(ben)
    entity, other = named("Ida Lind"), named("Ida Linde")

    def post(path: str, **data) -> tuple[int, dict]:
        answer = client.post(f"/api/v1/{path}", data, content_type="application/json")
        return answer.status_code, answer.json()

    merge = {"kind": "merge", "into": other.pk, "reason": "one person"}
    status, made = post(f"entities/{entity.pk}/corrections/", **merge)
    assert (status, made["value"], made["made_by"]) == (201, "Ida Linde", "ben")
    for kind, fields in (("split", {"names": ["ida lind"]}), ("retype", {"value": "person"}), ("merge", {})):
        assert post(f"entities/{entity.pk}/corrections/", kind=kind, reason="x", **fields)[0] == 422
    assert post(f"entities/{entity.pk}/corrections/", kind="rename", value="Ida", reason="x", vale="?")[0] == 422
    assert post(f"entities/{entity.pk}/corrections/", kind="rename", value="Ida", reason="short")[0] == 201
    assert post(f"corrections/{made['id']}/undo/", reason="two")[0] == 201
    assert post(f"corrections/{made['id']}/undo/", reason="two")[0] == 409
    listed = client.get(f"/api/v1/corpora/{corpus.pk}/corrections/").json()["results"]
    assert [row["kind"] for row in listed] == ["undo", "rename", "merge"]
