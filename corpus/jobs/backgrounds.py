"""Looking up the backgrounds of a corpus's entities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from corpus.services import backgrounds, corpora
from tesa_site.kernel.job_kind import JobKind, Outcome
from tesa_site.kernel.progress import Progress


def find_backgrounds(parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    """Look up what has no background yet. Safe to stop and start again: it goes on with the next entity."""
    corpus = corpora.corpus_of(parameters)
    progress.report(0, None, "Opening the source")
    source = backgrounds.open_source(parameters["source"], parameters.get("path", ""), progress)
    try:
        again = bool(parameters.get("again"))
        statuses = backgrounds.look_up(corpus, source, again=again, report=progress.report)
    finally:
        source.close()
    sample = parameters.get("sample")  # to be drawn once there is something to tell
    then = ("draw_sample", {"corpus": corpus.pk, **sample}) if sample else None
    return Outcome(backgrounds.tell(statuses), reverse("corpus", args=[corpus.pk]), then)


FIND_BACKGROUNDS = JobKind(
    label="Look up backgrounds", queue="corpus", run=find_backgrounds, permission="corpus.add_background"
)
