"""A split release as a Hugging Face folder: three parts, described by card, Croissant and split.json."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from kernel.roles import Role
from modeling.models import Split
from modeling.services import split_folders, splits
from modeling.split_words import parts_of
from modeling.splits import SplitValue as SplitValue
from tests.make import NO_ROW, make_split, make_synthetic_release, make_user
from tests.modeling.page_text import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]
PARTS = {"train": "train", "valid": "validation", "test": "test"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    split_folders.write_folder(make_split(), tmp_path / "out", lambda done: None)
    return tmp_path / "out"


def keys_in(folder: Path, name: str) -> list[str]:
    return [json.loads(line)["key"] for line in (folder / "data" / f"{name}.jsonl").read_text().splitlines()]


def test_each_part_holds_the_instances_of_the_split_and_their_annotations(folder):
    split = Split.objects.get()

    for ours, theirs in PARTS.items():
        assert sorted(keys_in(folder, f"instances-{theirs}")) == sorted(split.value["parts"][ours])
        assert set(keys_in(folder, f"annotations-{theirs}")) <= set(split.value["parts"][ours])
    assert not (folder / "data" / "instances.jsonl").exists()


def test_the_card_names_the_files_of_each_part_and_says_how_it_was_split(folder):
    card = (folder / "README.md").read_text()

    for part in PARTS.values():
        assert f"  - split: {part}\n    path: data/instances-{part}.parquet" in card
        assert f"\n| {part} | {len(keys_in(folder, f'instances-{part}'))} | " in card
    assert "Split by the rule `paper`, about 2:1:1, with seed 1. Instances were dealt out at random" in card
    assert "share no entity with train." in card
    split = json.loads((folder / "split.json").read_text())
    assert (split["rule"], split["seed"], split["content_hash"]) == ("paper", 1, Split.objects.get().content_hash)


def test_parquet_and_croissant_describe_each_part(folder):
    pq = pytest.importorskip("pyarrow.parquet")
    croissant = json.loads((folder / "croissant.json").read_text())

    assert {record_set["@id"] for record_set in croissant["recordSet"]} == {
        f"{table}-{part}" for table in ("instances", "annotations") for part in PARTS.values()
    }
    for file in croissant["distribution"]:
        path = folder / file["contentUrl"]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file["sha256"]
        assert pq.read_table(path.with_suffix(".parquet")).num_rows == len(path.read_text().splitlines())


def test_instances_in_no_part_are_left_out_and_the_card_says_why():
    value = SplitValue("unseen", 3, {"train": ("a", "b"), "valid": ("c",), "test": ("d",)}, set_aside=("e", "f"))

    parts = parts_of(value, size=7, unseen=1, parameters={"ratio": [2, 1, 1]})

    assert parts.part_of == {"a": "train", "b": "train", "c": "validation", "d": "test"}
    assert "No entity of the test part is in train or validation" in parts.about[1]
    assert parts.about[2] == "1 of 1 test instance shares no entity with train."
    left = "3 instances of the release are in no part and left out: 2 would break the rule, 1 has no aggregation."
    assert parts.about[3] == left


def test_a_fold_says_which_it_is():
    fold = splits.make_splits(make_synthetic_release(), 3, rule="grouped", seed=2, by=None)[1]

    parts = split_folders._parts(fold)

    assert parts.about[0].endswith("with seed 2: fold 2 of 3, and all folds share one test part.")
    assert parts.slug == "grouped-seed-2-fold-2"


def test_the_page_the_api_and_the_command_hand_out_the_same_folder(researcher, client, tmp_path):
    split = make_split()
    page = text_of(researcher.get(reverse("split", args=[split.pk])))
    assert "Download Hugging Face folder" in page

    sent = [researcher.get(reverse(name, args=[split.pk])) for name in ("split-folder", "api-split-folder")]
    call_command("export_split", str(split.pk), out=tmp_path / "folder", stdout=(out := StringIO()))

    archives = [zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) for response in sent]
    first, second = ({name: archive.read(name) for name in archive.namelist()} for archive in archives)
    assert first == second
    written = {str(path.relative_to(tmp_path / "folder")): path for path in (tmp_path / "folder").rglob("*.*")}
    assert {name.partition("/")[2]: text for name, text in first.items()} == {
        name: path.read_bytes() for name, path in written.items()
    }
    assert all(name.startswith(f"{split.release.name.lower()}") and "-paper-seed-1/" in name for name in first)
    assert "instances (train/validation/test)" in out.getvalue()


def test_what_cannot_be_written_gets_a_sentence(researcher, tmp_path, monkeypatch):
    split = make_split()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")

    with pytest.raises(CommandError, match="is not an empty folder"):
        call_command("export_split", str(split.pk), out=tmp_path / "full")
    with pytest.raises(CommandError, match=f"there is no split {NO_ROW}"):
        call_command("export_split", str(NO_ROW), out=tmp_path / "new")
    monkeypatch.setattr(split_folders, "MOST", 1)
    page = researcher.get(reverse("split-folder", args=[split.pk]), follow=True)
    assert f"write the folder with manage.py export_split {split.pk}" in text_of(page)
    assert researcher.get(reverse("api-split-folder", args=[split.pk])).status_code == 409


def test_people_who_may_not_see_a_release_do_not_get_its_folder(client):
    client.force_login(make_user("dan", Role.ANNOTATOR))

    assert client.get(reverse("split-folder", args=[make_split().pk])).status_code == 403
