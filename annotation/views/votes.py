"""Votes on the answers of an earlier stage: which pieces people confirmed, in figures and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.models import Campaign, Task
from annotation.quality.confirming import PieceOutcome
from annotation.selectors import piece_votes
from annotation.selectors.piece_votes import VotedCampaign
from annotation.selectors.progress import simulated_in
from annotation.task_types import type_of
from corpus.items import ITEM_KINDS
from kernel.views.access import requires
from kernel.views.downloads import csv_download

PER_PAGE = 50
COUNTS = ("items", "total", "unique")
GONE = "The campaign whose answers were asked about is gone."


@requires("annotation.view_annotation")
def votes_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """What people of this campaign said of each piece, and a table as in the TESA paper before and after it."""
    voted = _voted(campaign_id, most=piece_votes.MOST_READ)
    asked = request.GET.get("outcome", "")
    outcome = asked if voted.confirmation and asked in {*PieceOutcome} else ""
    shown = [piece for piece in voted.pieces if not outcome or piece.outcome == outcome]
    page = Paginator(shown, PER_PAGE).get_page(request.GET.get("page"))
    labels = labels_of(voted)
    counts = Counter(piece.outcome for piece in voted.pieces)
    tasks = _tasks(voted, [piece.item for piece in page])
    context = {
        "campaign": voted.voting,
        "voted": voted,
        "words": voted.confirmation.pieces if voted.confirmation else "pieces",
        "labels": labels,
        "item_kind": ITEM_KINDS[type_of(voted.parent).item_kind],
        "simulated": simulated_in(voted.voting),
        "segments": [("", "All", len(voted.pieces)), *((name, label, counts[name]) for name, label in labels.items())],
        "outcome": outcome,
        "query": f"outcome={outcome}" if outcome else "",
        "page": page,
        "listed": [
            (
                piece,
                voted.titles[piece.item],
                tasks.get(piece.item),
                [(own.heading, own.in_words(piece.tally)) for own in voted.questions],
                labels.get(piece.outcome, ""),
            )
            for piece in page
        ],
    }
    return render(request, "annotation/campaigns/votes.html", context)


def labels_of(voted: VotedCampaign) -> dict[PieceOutcome, str]:
    """Return what outcomes are called; nothing where people compare or rate pieces."""
    if not voted.confirmation:
        return {}
    called = voted.confirmation.called
    return {
        PieceOutcome.CONFIRMED: f"Called {called}",
        PieceOutcome.REFUSED: f"Not called {called}",
        PieceOutcome.OPEN: "Too few votes",
    }


def _voted(campaign_id: int, *, most: int | None) -> VotedCampaign:
    campaign = get_object_or_404(Campaign.objects.select_related("sample"), pk=campaign_id)
    row = piece_votes.follow_up_of(campaign)
    voted = piece_votes.votes_in_figures(campaign, row, most=most) if row else None
    if voted is None:
        raise Http404(GONE)
    return voted


def _tasks(voted: VotedCampaign, keys: list[str]) -> dict[str, int]:
    """Return the tasks in which these items were answered, for links to their review."""
    items = [key.partition(":")[0] for key in keys]
    rows = Task.objects.filter(campaign=voted.parent, member__key__in=items, variant="", is_gold=False)
    return dict(rows.values_list("member__key", "pk"))


@requires("annotation.view_annotation")
def votes_file(request: HttpRequest, campaign_id: int, name: str) -> HttpResponse:
    """The table by type, or every piece with its votes, as a file; all answers are read."""
    if name not in ("types", "pieces"):
        raise Http404
    voted = _voted(campaign_id, most=None)
    file = f"{voted.voting.slug}-{name}.csv"
    if name == "types":
        return csv_download(request, file, TYPE_COLUMNS, _type_rows(voted))
    questions = [own.name for own in voted.questions]
    columns = ["item", "type", "about", "piece", "given_by", "result", *questions]
    rows = [
        [
            piece.item,
            piece.category,
            voted.titles[piece.item],
            piece.words,
            piece.support,
            piece.outcome if voted.confirmation else "",
            *(own.in_words(piece.tally) for own in voted.questions),
        ]
        for piece in voted.pieces
    ]
    return csv_download(request, file, columns, rows)


TYPE_COLUMNS = (
    "type",
    *(f"{part}_{count}" for part in ("all", *PieceOutcome) for count in COUNTS),
    "share_of_total",
    "share_of_unique",
)


def _type_rows(voted: VotedCampaign) -> Iterator[list[object]]:
    for row in voted.rows:
        parts = [row.before, *(row.by_outcome[outcome] for outcome in PieceOutcome)]
        counts = [getattr(part, count) for part in parts for count in COUNTS]
        yield [row.category, *counts, round(row.share, 4), round(row.unique_share, 4)]
