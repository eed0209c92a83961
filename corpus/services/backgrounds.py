"""Looking up entities' backgrounds, and a person's word on them, which no later look-up overrules."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from corpus.articles import EntityType
from corpus.backgrounds import BACKGROUND_SOURCES
from corpus.backgrounds.base import BackgroundSource, Page, Query, Status, Verdict, by_hand, discarded
from corpus.backgrounds.dump_index import Summary, make_current
from corpus.backgrounds.linking import link
from corpus.backgrounds.manual import written_by_hand
from corpus.backgrounds.rows import page_of, row_from
from corpus.json_fields import an_address
from corpus.models import Background, Corpus, Entity
from corpus.services import corpora
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput, Unavailable, WrongState
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.services import audit
from tesa_site.kernel.values import Json, counted, storable

HUMAN = (Status.BY_HAND.value, Status.DISCARDED.value)
MOST_CONTEXTS = 3
MOST_CANDIDATES = 9  # as many as there are keys for
LONGEST_TEXT = 5_000  # characters that a person may write
MOST_TOLD = 20  # lines of a dump that could not be read
UNANSWERED = "without an answer (look up again)"
PATIENCE = 5  # times in a row that a source may fail to answer


def open_source(name: str, path: str, progress: Progress) -> BackgroundSource:
    """Return the source as this installation is set up for it; a dump is indexed first, which may take minutes."""
    cache = Path(settings.VAR) / "cache"
    config: dict[str, Json] = {}
    if name == "dump":
        if not Path(path).is_file():
            raise InvalidInput("there is no such file", field="path", where=path)
        digest = hashlib.sha256(str(Path(path).resolve()).encode()).hexdigest()[:16]
        index = cache / "dumps" / f"{digest}.sqlite3"
        _check_dump(make_current(Path(path), index, progress), path, progress)
        config = {"path": path, "index": str(index)}
    elif name == "wikipedia":
        config = {"contact": settings.DEFAULT_FROM_EMAIL, "cache": str(cache / "wikipedia.sqlite3")}
    return BACKGROUND_SOURCES[name](config)


def start_look_up(corpus: Corpus, *, dump: str, by: User, again: bool = False) -> Job:
    """Queue a look-up in a dump, by its path, or on live Wikipedia where none is given."""
    source = "dump" if dump else "wikipedia"
    return corpora.start_job("find_backgrounds", corpus, by=by, source=source, path=dump, again=again)


def _check_dump(found: Summary, path: str, progress: Progress) -> None:
    """Say which lines of a dump could not be read; refuse one of which none could: nothing would have a page."""
    if not found.pages:
        first = f"; first problem: {found.problems[0]}" if found.problems else ""
        raise InvalidInput(f"no page could be read from it{first}", field="path", where=path)
    for problem in found.problems[:MOST_TOLD]:
        progress.log(str(problem))
    if found.problem_count > MOST_TOLD:
        progress.log(
            f"{counted(found.problem_count - MOST_TOLD, 'more line', 'more lines')} of the dump could not be read"
        )


def entities_to_look_up(corpus: Corpus, *, again: bool) -> QuerySet[Entity]:
    """Return the entities of instances that have no background yet; `again`: all that no person has decided on."""
    found = Entity.objects.filter(corpus=corpus, instances__gt=0).order_by("-instances", "id")
    return found.exclude(background__status__in=HUMAN) if again else found.filter(background=None)


def look_up(
    corpus: Corpus, source: BackgroundSource, *, again: bool, report: Callable[[int, int, str], None]
) -> dict[str, int]:
    """Look up every entity that needs it; return how many came to which status. What does not answer is passed over."""
    ids = list(entities_to_look_up(corpus, again=again).values_list("pk", flat=True))
    statuses, failures, done = dict[str, int](), 0, 0
    for pk in ids:
        entity = Entity.objects.get(pk=pk)
        report(done, len(ids), entity.name)
        try:
            verdict, failures, done = link(_query(entity), source), 0, done + 1
        except Unavailable as error:
            failures += 1
            if failures == PATIENCE:
                message = error.message.rstrip(".")
                raise Unavailable(f"{message}. Looked up {done:,} of {len(ids):,}; try again later.") from error
            statuses[UNANSWERED] = statuses.get(UNANSWERED, 0) + 1
            continue
        if _store_undecided(entity, verdict):
            statuses[verdict.status.value] = statuses.get(verdict.status.value, 0) + 1
    report(len(ids), len(ids), "")
    return statuses


def _query(entity: Entity) -> Query:
    contexts, year = [], None
    appearances = entity.appearances.select_related("article").order_by("-article__published", "id")
    for appearance in appearances[:MOST_CONTEXTS]:
        article = appearance.article
        numbers = sorted({m["paragraph"] for m in appearance.mentions if m["part"] == "body"})
        contexts.append("\n".join([article.title, article.abstract, *(article.paragraphs[n] for n in numbers)]))
        year = year or (article.published.year if article.published else None)
    return Query(entity.name, EntityType(entity.type), tuple(entity.strict), tuple(entity.loose), tuple(contexts), year)


@transaction.atomic
def _store_undecided(entity: Entity, verdict: Verdict) -> bool:
    """Store what was looked up, unless a person decided meanwhile; return whether it was stored."""
    Entity.objects.select_for_update().get(pk=entity.pk)  # whoever writes its first background waits
    own = Background.objects.select_for_update().filter(entity=entity).first()
    if own is not None and own.status in HUMAN:
        return False
    store_verdict(entity, verdict, by=None)
    return True


def store_verdict(entity: Entity, verdict: Verdict, *, by: User | None) -> Background:
    page = verdict.page
    values: dict[str, Any] = {
        "status": verdict.status.value,
        "title": page.title if page else "",
        "text": page.text if page else "",
        "url": page.url if page else "",
        "page_id": page.page_id if page else None,
        "revision_id": page.revision_id if page else None,
        "retrieved": page.retrieved if page else None,
        "licence": page.licence if page else "",
        "source": page.source if page else "",
        "reasons": list(verdict.reasons),
        "candidates": [_row(candidate) for candidate in verdict.candidates[:MOST_CANDIDATES]],
        "decided_by": by,
        "decided_at": now(),
    }
    background, _ = Background.objects.update_or_create(entity=entity, defaults=values)
    return background


def bequeath(corpus: Corpus, gone: Sequence[int], heirs: Mapping[int, str]) -> set[int]:
    """Give the backgrounds of entities that go to those that have their names now (by key); return who must stay.

    A person's word goes before what was looked up; what was looked up for another type is not believed. A decision
    whose entity no article names any more stays with it.
    """
    stay = set[int]()
    keys = {row.key: row for row in Entity.objects.filter(corpus=corpus, key__in=set(heirs.values()))}
    for own in Background.objects.filter(entity__in=gone).select_related("entity"):
        heir = keys.get(heirs.get(own.entity_id, ""))
        is_human = own.status in HUMAN
        if heir is None:
            stay |= {own.entity_id} if is_human else set()
            continue
        theirs = Background.objects.filter(entity=heir).first()
        if (is_human or own.entity.type == heir.type) and (theirs is None or (is_human and theirs.status not in HUMAN)):
            Background.objects.filter(entity=heir).delete()
            Background.objects.filter(pk=own.pk).update(entity=heir)
    return stay


def _row(page: Page) -> dict[str, Json]:
    return row_from(page) | {"source": page.source}


# ---- A person's word ------------------------------------------------------------------------------


def accept(entity: Entity, *, by: User) -> Background:
    """Say that the page that was found is the right one."""
    background = Background.objects.filter(entity=entity).first()
    if background is None or not background.text:
        raise WrongState("There is no page to accept: choose one, write one or discard.")
    return _decide(entity, by_hand(_page_of(background), f"{by} accepted it."), by=by, action="accept background")


def choose(entity: Entity, number: int, *, by: User) -> Background:
    """Take one of the candidates, counted from 1."""
    background = Background.objects.filter(entity=entity).first()
    candidates = background.candidates if background else []
    if not 1 <= number <= len(candidates):
        raise WrongState(f"There is no candidate {number}.")
    chosen = candidates[number - 1]
    page = replace(page_of(chosen), source=chosen.get("source", ""))
    return _decide(entity, by_hand(page, f"{by} chose it."), by=by, action="choose background")


def write(entity: Entity, *, title: str, text: str, url: str, by: User) -> Background:
    """Take a text that a person wrote."""
    title, text, url = (storable(given).strip() for given in (title, text, url))
    if not text:
        raise InvalidInput("write at least one sentence", field="text")
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(f"must have at most {LONGEST_TEXT:,} characters: a paragraph is enough", field="text")
    page = written_by_hand(title or entity.name, text, url=an_address({"url": url}, "url"), written=now().date())
    return _decide(entity, by_hand(page, f"{by} wrote it."), by=by, action="write background")


def discard(entity: Entity, *, by: User) -> Background:
    """Say that no page is this entity's."""
    return _decide(entity, discarded(f"{by} found no page that fits."), by=by, action="discard background")


@transaction.atomic
def _decide(entity: Entity, verdict: Verdict, *, by: User, action: str) -> Background:
    before = Background.objects.filter(entity=entity).first()
    candidates = before.candidates if before else []
    after = store_verdict(entity, verdict, by=by)
    Background.objects.filter(pk=after.pk).update(candidates=candidates)  # a second thought may want another
    audit.record(action, entity, by=by, before=_told(before), after=_told(after))
    return after


def _told(background: Background | None) -> Json:
    return {"status": background.status, "title": background.title} if background else None


def _page_of(background: Background) -> Page:
    return Page(
        title=background.title,
        text=background.text,
        url=background.url,
        page_id=background.page_id,
        revision_id=background.revision_id,
        retrieved=background.retrieved,
        licence=background.licence,
        source=background.source,
    )


def tell(statuses: dict[str, int]) -> str:
    """Return what a look-up came to, in one sentence."""
    told = [f"{statuses[status]:,} {status}" for status in (*map(str, Status), UNANSWERED) if status in statuses]
    return ", ".join(told) + "." if told else "There was nothing to look up."
