"""A marketplace rehearsal of the two small task types of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Annotation, Campaign
from annotation.services.market import rehearsing
from annotation.simulation.invented_people import crowd
from tests.annotation.kinds.registering import KINDS, make_sample_of_texts, registered
from tests.annotation.mturk import HITS, use
from tests.annotation.test_rehearsing import rehearse, start
from tests.make import make_campaign
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.mark.parametrize("kind", KINDS)
def test_invented_people_answer_through_the_worker_site_and_both_sides_agree(
    market: Market, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path, kind: str
):
    # Two requests at once share the one connection that a test server has; other tests look at them.
    people = [replace(person, double_submit=0.0) for person in crowd(10, seed=3)]
    monkeypatch.setattr(rehearsing, "crowd", lambda size, seed: people[:size])
    use(market, monkeypatch)
    origin = market.url.removesuffix("/mturk/")
    settings.PUBLIC_URL = settings.PUBLIC_ORIGIN = origin
    settings.TESA_PROVIDERS["mturk"]["sites"] = (origin,)
    sample = make_sample_of_texts(tmp_path)
    draft = make_campaign(
        kind, sample=sample, task_type=kind, redundancy=2, provider="mturk", provider_settings=HITS,
        reward=Decimal("0.20"),
    )  # fmt: skip
    Campaign.objects.filter(pk=draft.pk).update(status="draft")
    draft.refresh_from_db()

    summary = rehearse(start(draft))

    assert summary == "6 answers given and paid; no differences."
    assert Annotation.objects.filter(assignment__campaign__made_from=draft).count() == 6
