"""Looking up the backgrounds of entities, and people's decisions on them, which no later look-up overrides."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.forms.models import model_to_dict

from corpus.articles import EntityType
from corpus.backgrounds import BACKGROUND_SOURCES
from corpus.backgrounds.base import (
    BackgroundSource,
    BackgroundStatus,
    Page,
    PageChoice,
    Query,
    chosen_by_hand,
    discarded,
    written_by_hand,
)
from corpus.backgrounds.dump_index import Summary, make_current
from corpus.backgrounds.linking import link
from corpus.backgrounds.rows import page_of, row_from
from corpus.models import Background, Corpus, Entity
from corpus.services import corpora
from kernel.clock import now
from kernel.errors import InvalidInput, Unavailable, WrongState
from kernel.json_fields import url_field
from kernel.models import Job, User
from kernel.progress import Progress
from kernel.services import audit
from kernel.values import Json, counted, storable

PAGE_FIELDS = ("title", "text", "url", "page_id", "revision_id", "retrieved", "licence", "source")  # that a row has
HUMAN = (BackgroundStatus.BY_HAND.value, BackgroundStatus.DISCARDED.value)
MOST_CONTEXTS = 3
MOST_CANDIDATES = 9  # the page has the keys 1 to 9
LONGEST_TEXT = 5_000  # characters of a background that a person writes
MOST_LOGGED = 20  # problems of a dump
UNANSWERED = "without an answer (look up again)"
PATIENCE = 5  # failures in a row before a look-up gives up


def open_source(name: str, path: str, progress: Progress) -> BackgroundSource:
    """Return the source, configured from the settings. A new dump is indexed first, which may take minutes."""
    cache = Path(settings.VAR) / "cache"
    config: dict[str, str] = {}
    if name == "dump":
        if not Path(path).is_file():
            raise InvalidInput("file not found", field="path", where=path)
        digest = hashlib.sha256(str(Path(path).resolve()).encode()).hexdigest()[:16]
        index = cache / "dumps" / f"{digest}.sqlite3"
        _check_dump(make_current(Path(path), index, progress), path, progress)
        config = {"path": path, "index": str(index)}
    elif name == "wikipedia":
        config = {"contact": settings.DEFAULT_FROM_EMAIL, "cache": str(cache / "wikipedia.sqlite3")}
    return BACKGROUND_SOURCES[name](config)


def start_look_up(corpus: Corpus, *, dump: str, by: User, again: bool = False) -> Job:
    """Queue a look-up in a dump, or on live Wikipedia if `dump` is empty."""
    source = "dump" if dump else "wikipedia"
    return corpora.start_job("find_backgrounds", corpus, by=by, source=source, path=dump, again=again)


def _check_dump(summary: Summary, path: str, progress: Progress) -> None:
    """Log the first problems of a dump; raise InvalidInput if it holds no readable page."""
    if not summary.pages:
        first = f"; first problem: {summary.problems[0]}" if summary.problems else ""
        raise InvalidInput(f"no page could be read from it{first}", field="path", where=path)
    for problem in summary.problems[:MOST_LOGGED]:
        progress.log(str(problem))
    if summary.problem_count > MOST_LOGGED:
        progress.log(
            f"{counted(summary.problem_count - MOST_LOGGED, 'more line', 'more lines')} of the dump could not be read"
        )


def entities_to_look_up(corpus: Corpus, *, again: bool) -> QuerySet[Entity]:
    """Return the entities of instances that have no background yet; with `again`, all that no person decided on."""
    entities = Entity.objects.filter(corpus=corpus, instances__gt=0).order_by("-instances", "id")
    return entities.exclude(background__status__in=HUMAN) if again else entities.filter(background=None)


def look_up_backgrounds(
    corpus: Corpus, source: BackgroundSource, *, again: bool, report: Callable[[int, int, str], None]
) -> dict[str, int]:
    """Look up every entity that needs it; return the number of entities by status.

    Entities for which the source does not answer are skipped, until it fails PATIENCE times in a row.
    """
    ids = list(entities_to_look_up(corpus, again=again).values_list("pk", flat=True))
    statuses, failures, done = Counter[str](), 0, 0
    for pk in ids:
        entity = Entity.objects.get(pk=pk)
        report(done, len(ids), entity.name)
        try:
            choice, failures, done = link(_query(entity), source), 0, done + 1
        except Unavailable as error:
            failures += 1
            if failures == PATIENCE:
                message = error.message.rstrip(".")
                raise Unavailable(f"{message}. Looked up {done:,} of {len(ids):,}; try again later.") from error
            statuses[UNANSWERED] += 1
            continue
        if _store_undecided(entity, choice):
            statuses[choice.status.value] += 1
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
def _store_undecided(entity: Entity, choice: PageChoice) -> bool:
    """Store what was looked up, unless a person has decided in the meantime; return whether it was stored."""
    Entity.objects.select_for_update().get(pk=entity.pk)  # a concurrent first background waits here
    existing = Background.objects.select_for_update().filter(entity=entity).first()
    if existing is not None and existing.status in HUMAN:
        return False
    store_page_choice(entity, choice, by=None)
    return True


def store_page_choice(entity: Entity, choice: PageChoice, *, by: User | None) -> Background:
    """Replace the background of an entity."""
    page = choice.page or Page("", "")
    values: dict[str, Any] = {
        **{name: getattr(page, name) for name in PAGE_FIELDS},
        "status": choice.status.value,
        "reasons": list(choice.reasons),
        "decided_by": by,
        "decided_at": now(),
    }
    if by is None:  # a person's decision keeps the candidates, in case somebody changes their mind
        candidates = choice.candidates[:MOST_CANDIDATES]
        values["candidates"] = [row_from(page) | {"source": page.source} for page in candidates]
    background, _ = Background.objects.update_or_create(entity=entity, defaults=values)
    return background


def move_backgrounds(corpus: Corpus, gone: Sequence[int], heirs: Mapping[int, str]) -> set[int]:
    """Move the backgrounds of entities about to be deleted to their heirs; return the entities that must be kept.

    `heirs` maps an entity's id to the key of the entity that has its names now. A person's decision takes precedence
    over a look-up, and a look-up for another type is dropped. An entity that a person decided on and that has no heir
    is kept.
    """
    kept = set[int]()
    keys = {row.key: row for row in Entity.objects.filter(corpus=corpus, key__in=set(heirs.values()))}
    for own in Background.objects.filter(entity__in=gone).select_related("entity"):
        heir = keys.get(heirs.get(own.entity_id, ""))
        is_human = own.status in HUMAN
        if heir is None:
            kept |= {own.entity_id} if is_human else set()
            continue
        theirs = Background.objects.filter(entity=heir).first()
        if (is_human or own.entity.type == heir.type) and (theirs is None or (is_human and theirs.status not in HUMAN)):
            Background.objects.filter(entity=heir).delete()
            Background.objects.filter(pk=own.pk).update(entity=heir)
    return kept


# ---- People's decisions ---------------------------------------------------------------------------


def accept_background(entity: Entity, *, by: User) -> Background:
    """Confirm the page that was found."""
    background = Background.objects.filter(entity=entity).first()
    if background is None or not background.text:
        raise WrongState("There is no page to accept: choose a page, write a text, or say that no page fits.")
    page = Page(**model_to_dict(background, PAGE_FIELDS))
    return _decide(entity, chosen_by_hand(page, f"{by} accepted it."), by=by, action="accept background")


def choose_background(entity: Entity, number: int, *, by: User) -> Background:
    """Choose one of the candidates, counted from 1."""
    background = Background.objects.filter(entity=entity).first()
    candidates = background.candidates if background else []
    if not 1 <= number <= len(candidates):
        raise WrongState(f"There is no candidate {number}.")
    chosen = candidates[number - 1]
    page = replace(page_of(chosen), source=chosen.get("source", ""))
    return _decide(entity, chosen_by_hand(page, f"{by} chose it."), by=by, action="choose background")


def write_background(entity: Entity, *, title: str, text: str, url: str, by: User) -> Background:
    """Use a text that a person wrote."""
    title, text, url = (storable(value).strip() for value in (title, text, url))
    if not text:
        raise InvalidInput("write at least one sentence", field="text")
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(f"must have at most {LONGEST_TEXT:,} characters: a paragraph is enough", field="text")
    page = written_by_hand(title or entity.name, text, url=url_field({"url": url}, "url"), written=now().date())
    return _decide(entity, chosen_by_hand(page, f"{by} wrote it."), by=by, action="write background")


def discard_background(entity: Entity, *, by: User) -> Background:
    """Record that no page fits this entity."""
    return _decide(entity, discarded(f"{by} found no page that fits."), by=by, action="discard background")


@transaction.atomic
def _decide(entity: Entity, choice: PageChoice, *, by: User, action: str) -> Background:
    before = Background.objects.filter(entity=entity).first()
    after = store_page_choice(entity, choice, by=by)
    audit.record(action, entity, by=by, before=_as_json(before), after=_as_json(after))
    return after


def _as_json(background: Background | None) -> Json:
    return {"status": background.status, "title": background.title} if background else None


def look_up_sentence(statuses: dict[str, int]) -> str:
    """Return the result of a look-up in one sentence."""
    parts = [
        f"{statuses[status]:,} {status}" for status in (*map(str, BackgroundStatus), UNANSWERED) if status in statuses
    ]
    return ", ".join(parts) + "." if parts else "There was nothing to look up."
