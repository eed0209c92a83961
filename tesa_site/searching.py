"""Search over everything that a person may see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Model, Q, When
from django.urls import reverse

from annotation.models import Campaign, Participation, Release
from annotation.selectors.participants import pseudonym_of
from corpus.models import Article, Corpus, Entity, Sample
from kernel.models import User
from modeling.models import Experiment

MOST = 8  # hits of each kind
PSEUDONYM = re.compile(r"[0-9a-f]{4,12}")
COMPUTED = 20_000  # pseudonyms are not stored: this many of the newest are computed, in a fifth of a second


@dataclass(frozen=True)
class Hit:
    title: str
    detail: str
    url: str


@dataclass(frozen=True)
class SearchKind:
    """One kind of thing that is found by a field, or by its number."""

    label: str
    icon: str
    permission: str
    model: type[Model]
    field: str
    url_name: str
    detail: Callable[[Any], object]

    def hits(self, words: str) -> list[Hit]:
        """Return the first hits, those that begin with the words before the others."""
        wanted = Q(**{f"{self.field}__icontains": words})
        if words.isdecimal() and len(words) < 18:
            wanted |= Q(pk=int(words))
        rank = Case(When(**{f"{self.field}__istartswith": words}, then=0), default=1)
        rows: Any = self.model._default_manager.filter(wanted).order_by(rank, self.field, "pk")[:MOST]
        return [Hit(str(getattr(row, self.field)), str(self.detail(row)), self._url(row.pk)) for row in rows]

    def _url(self, pk: int) -> str:
        return reverse(self.url_name, args=[pk])


KINDS = (
    SearchKind(
        "Campaigns", "people", "annotation.view_campaign", Campaign, "name", "campaign", Campaign.get_status_display
    ),
    SearchKind("Corpora", "book", "corpus.view_corpus", Corpus, "name", "corpus", lambda row: row.source),
    SearchKind("Samples", "document", "corpus.view_sample", Sample, "name", "sample", lambda row: row.size),
    SearchKind("Releases", "box", "annotation.view_release", Release, "name", "release", lambda row: f"v{row.version}"),
    SearchKind("Experiments", "chart", "modeling.view_experiment", Experiment, "name", "experiment", lambda row: ""),
    SearchKind("Entities", "book", "corpus.view_entity", Entity, "name", "entity", lambda row: row.type),
    SearchKind(
        "Articles", "document", "corpus.view_article", Article, "title", "article", lambda row: row.published or ""
    ),
)


def search(words: str, user: User) -> list[tuple[str, str, list[Hit]]]:
    """Return what was found as (kind, icon, hits), without kinds that have none or that this person may not see."""
    groups = [(kind.label, kind.icon, kind.hits(words)) for kind in KINDS if user.has_perm(kind.permission)]
    if PSEUDONYM.fullmatch(words) and user.has_perm("annotation.view_campaign"):
        groups.append(("Participants", "people", [*_participants(words)][:MOST]))
    return [group for group in groups if group[2]]


def _participants(start: str) -> Iterator[Hit]:
    for person in Participation.objects.select_related("campaign", "worker").order_by("-pk")[:COMPUTED]:
        name = pseudonym_of(person.campaign, person.worker)
        if name.startswith(start):
            yield Hit(name, person.campaign.name, reverse("campaign-person", args=[person.pk]))
