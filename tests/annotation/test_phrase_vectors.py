"""Vectors of phrases: from whatever word vectors the machine has, and into the agreement of a campaign."""

from __future__ import annotations

import pytest

from annotation.selectors.agreement import word_vectors
from annotation.services import assessing
from annotation.task_types.aggregation.comparing import phrase_vectors
from tests.make import make_answer, make_campaign, make_participation, make_user


@pytest.fixture
def folder(settings, tmp_path):
    settings.VECTORS_FOLDER, settings.SPACY_PIPELINE = tmp_path, ""
    return tmp_path


def test_a_phrase_is_the_mean_of_its_known_words_and_nothing_without_any(folder):
    (folder / "words.txt").write_text("plant 1 0\nlovers 0 1\n")

    vectors = word_vectors()

    assert vectors is not None
    assert phrase_vectors(["plant lovers", "lovers of plant", "xyzzy"], vectors).tolist() == [
        [0.5, 0.5],
        [0.5, 0.5],
        [0, 0],
    ]
    assert phrase_vectors(["xyzzy"], vectors).shape == (1, 1)
    assert vectors.identity.startswith("text:words.txt:")


def test_vectors_that_cannot_be_read_give_way_to_the_next_and_to_none(folder):
    assert word_vectors() is None
    (folder / "a.bin").write_bytes(b"not word2vec\n")
    assert word_vectors() is None
    (folder / "b.txt").write_text("plant 1 0\n")

    vectors = word_vectors()

    assert vectors is not None
    assert "b.txt" in vectors.identity


@pytest.mark.django_db
def test_agreement_in_meaning_is_measured_where_there_are_vectors_and_else_said_to_be_missing(folder, client):
    campaign = make_campaign(size=1, redundancy=2)
    for name, phrase in (("cleo", "botanists"), ("dan", "gardeners")):
        make_answer(make_participation(campaign, name), phrase)
    client.force_login(make_user("ben"))

    list(assessing.assess(campaign))
    text = client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()
    assert "no word vectors were installed" in text
    assert "Meaning (cosine)" not in text

    (folder / "words.txt").write_text("botanists 3 4\ngardeners 4 3\n")
    list(assessing.assess(campaign))
    text = client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()
    assert "Meaning (cosine)" in text
    assert "0.960" in text  # (3 x 4 + 4 x 3) / 25
    assert "text:words.txt" in text
