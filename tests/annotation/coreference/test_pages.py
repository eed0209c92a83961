"""The page Coreference scores: uploads good and bad, what is shown and downloaded, and who sees it for how long."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.services.comparisons import MOST_KEPT, remove_old_comparisons
from annotation.task_types.coreference import comparison
from annotation.task_types.coreference.scoring import METRICS
from annotation.views import comparisons as views
from kernel.roles import Role
from tests.annotation.coreference.test_archives import zipped
from tests.annotation.coreference.test_scoring_across_formats import CONLL, SGML
from tests.make import make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
PAGE = "/campaigns/coreference/"
WRONG = CONLL.replace("It (1)", "It (5)")


@pytest.fixture(autouse=True)
def var(tmp_path: Path, settings: Any) -> None:
    settings.VAR = tmp_path


@pytest.fixture
def ada() -> Client:
    return signed_in("ada")


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(make_user(name, Role.RESEARCHER))
    return client


def send(client: Client, key: Any = SGML, *responses: Any, **fields: Any) -> Any:
    answers = {f"response-{number}": uploads(each) for number, each in enumerate(responses or (WRONG,), 1)}
    return client.post(PAGE, {"match": "exact", "metric": [*METRICS], "key": uploads(key), **answers, **fields})


def uploads(content: Any) -> Any:
    """Return what a browser sends: texts get a name by what they begin with."""
    match content:
        case str():
            name = "system.conll" if content.startswith("#") else "story.sgm"
            return SimpleUploadedFile(name, content.encode())
        case (name, bytes(data)):
            return SimpleUploadedFile(name, data)
        case list():
            return [uploads(each) for each in content]
    return content


def refusal(response: Any) -> str:
    assert response.status_code == 422
    return shown(response).partition('role="alert">')[2].partition("</div>")[0]


def kept() -> list[Path]:
    return [*(Path(settings.VAR) / "comparisons").glob("*")]


# ---- Uploads


def test_a_key_and_a_response_are_scored_and_shown(ada: Client):
    response = send(ada)
    assert response.status_code == 302
    page = shown(ada.get(response.url))
    assert "Scores against story.sgm" in page
    assert '<th scope="row">MUC</th><td class="number">0.00<span class="sub">0/1</span></td>' in page
    assert '<a class="title" href="' in page
    assert "boats-1" in page


def test_three_responses_stand_beside_each_other(ada: Client):
    page = shown(ada.get(send(ada, SGML, WRONG, CONLL, SGML).url))
    assert page.count('scope="colgroup" colspan="3"') == 3
    assert page.count('scope="col" class="number">F1</th>') == 3


def test_an_archive_and_several_files_are_folders(ada: Client):
    second = SGML.replace("boats-1", "boats-2")
    key = ("gold.zip", zipped({"gold/a.sgm": SGML.encode(), "gold/b.sgm": second.encode(), "gold/README": b"Hello"}))
    files = [("one.conll", CONLL.encode()), ("two.conll", CONLL.replace("boats-1", "boats-2").encode())]
    page = shown(ada.get(send(ada, key, files).url))
    assert "Scores against gold.zip" in page
    assert "2 documents" in page
    assert "1 problem in the files" in page
    assert "Key: gold/README, line 1: Its format is not known" in page


def test_only_the_metrics_and_the_matching_that_are_chosen_count(ada: Client):
    shorter = CONLL.replace("The (1", "The -").replace("ferry -", "ferry (1)").replace(", 1)", ", -")
    page = shown(ada.get(send(ada, SGML, shorter, match="min", metric=["muc"]).url))
    assert "matched by MIN" in page
    assert "100.00" in page
    assert "LEA" not in page


BAD = {
    "binary": (("a.sgm", b"<DOC>\x00"), "Response: a.sgm, line 1: The file is binary"),
    "utf-16": (("a.sgm", SGML.encode("utf-16")), "Response: a.sgm, line 1: The file looks like UTF-16"),
    "unknown": (("a.bin", b"what is this"), "The format of this file is not known"),
    "other text": (CONLL.replace("ferry", "canoe"), "Response: boats-1: key and response have different texts"),
    "brackets": (("a.sgm", b"<DOC>" + b'<COREF ID="1">a ' * 30 + b"</DOC>"), "COREF tags have no partner"),
    "zip bomb": (("a.zip", zipped({"a.sgm": bytes(20_000_000)})), "a.zip: this archive unpacks to more than"),
    "many files": (("a.zip", zipped({str(n): b"" for n in range(2_001)})), "holds more than 2,000 files"),
    "damaged": (("a.zip", zipped({"a.sgm": b"Mira" * 99})[:-30]), "this archive cannot be unpacked"),
    "empty zip": (("a.zip", zipped({})), "there is no file of coreference here"),
    "inner zip": (
        ("a.zip", zipped({"b.zip": zipped({"a.sgm": b"<DOC>"})})),
        "Response: b.zip, line 1: The file is binary",
    ),
    "twice": ([("a.sgm", SGML.encode()), ("a.sgm", SGML.encode())], "there are two files of this name"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_upload_is_refused_with_a_sentence_and_nothing_is_kept(name: str, ada: Client):
    content, words = BAD[name]
    assert words in refusal(send(ada, SGML, content))
    assert kept() == []


def test_what_is_missing_in_the_form_is_named(ada: Client):
    assert "Choose files for the key." in refusal(ada.post(PAGE, {"match": "exact", "metric": ["muc"]}))
    only_key = {"match": "exact", "metric": ["muc"], "key": uploads(SGML)}
    assert "Choose files for a response." in refusal(ada.post(PAGE, only_key))
    assert "at least one metric" in refusal(send(ada, metric=["kappa"]))
    assert "how mentions are matched" in refusal(send(ada, match="head"))


def test_more_than_a_page_can_score_is_left_to_the_command(ada: Client, monkeypatch: pytest.MonkeyPatch):
    command = "Score it by command: manage.py score_coref KEY RESPONSE"
    for name, value, words in (
        ("MOST_MENTIONS", 2, "boats-1 has 3 mentions in 2 chains"),
        ("MOST_TEXT", 100, "The files have 0 MB together"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(comparison, name, value)
            sentence = refusal(send(ada))
        assert words in sentence
        assert command in sentence
    monkeypatch.setattr(views, "MOST_BYTES", 100)
    assert command in refusal(send(ada))


def test_markup_in_names_and_texts_is_shown_as_text(ada: Client):
    text = SGML.replace("boats-1", "&lt;b&gt;boats").replace("leaks", "&lt;script&gt;")
    first = send(ada, ("<i>a.sgm", text.encode()), ("<i>a.sgm", text.encode())).url
    page, document = shown(ada.get(first)), shown(ada.get(f"{first}1/0/"))
    assert "&lt;i&gt;a.sgm" in page
    assert "<i>a" not in page
    assert "&lt;script&gt;" in document
    assert "<script>" not in document


# ---- One document


def test_a_document_shows_differences_in_words_and_can_be_filtered(ada: Client):
    url = f"{send(ada).url}1/0/"
    page = shown(ada.get(url))
    assert page.count('class="compared__row"') == 2
    assert 'id="d1" href="#d1"' in page
    assert "≠ 1.2 in the response</a>" in page
    assert "The old" in page
    filtered = shown(ada.get(url, {"only": "differences"}))
    assert filtered.count('class="compared__row"') == 1
    assert "The old" not in filtered


def test_a_document_or_a_response_that_is_not_there_is_not_found(ada: Client):
    url = send(ada).url
    for place in ("1/1/", "2/0/", "0/0/", "1/99999999999999999999/"):
        assert ada.get(f"{url}{place}").status_code == 404


def test_a_document_too_long_for_a_page_says_so(ada: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("annotation.task_types.coreference.side_by_side.LONGEST", 10)
    page = shown(ada.get(f"{send(ada).url}1/0/"))
    assert "This document has more than 10 characters, too many for a page." in page


# ---- Files


def test_the_table_is_downloaded_as_csv_and_latex(ada: Client):
    url = send(ada).url
    table = ada.get(f"{url}scores.csv")
    assert table.headers["Content-Disposition"] == 'attachment; filename="coreference-scores.csv"'
    assert table.content.decode().splitlines()[1].startswith('"system.conll","","mentions","Mentions","1.0"')
    assert '"system.conll","boats-1","muc"' in table.content.decode()
    assert r"\toprule" in ada.get(f"{url}scores.tex").content.decode()


# ---- Who, and how long


def test_nobody_else_sees_a_comparison(ada: Client):
    url = send(ada).url
    ben = signed_in("ben")
    for place in ("", "1/0/", "scores.csv"):
        assert ada.get(f"{url}{place}").status_code == 200
        assert ben.get(f"{url}{place}").status_code == 404


def test_a_comparison_is_gone_after_a_day(ada: Client):
    url = send(ada).url
    (folder,) = kept()
    assert remove_old_comparisons() == 0
    os.utime(folder, (0, 0))
    assert ada.get(url).status_code == 404
    assert remove_old_comparisons() == 1
    assert kept() == []


def test_what_a_killed_process_left_goes_too():
    left = Path(settings.VAR) / "comparisons" / ".left"
    left.mkdir(parents=True)
    os.utime(left, (0, 0))
    assert remove_old_comparisons() == 1


def test_the_oldest_of_many_goes(ada: Client):
    first = send(ada).url
    for _ in range(MOST_KEPT):
        send(ada, SGML, WRONG, metric=["muc"])
    assert len(kept()) == MOST_KEPT
    assert ada.get(first).status_code == 404


def test_the_menus_lead_to_the_page(ada: Client):
    assert shown(ada.get("/campaigns/")).count(f'href="{PAGE}"') == 2
