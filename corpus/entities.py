"""From tags to Entities: one article's, and those of a corpus, where every spelling and every type has been seen.

Two passes over a corpus of any size:

    index = EntityIndex()
    for article in articles:
        index.add(entity_tags(article))
    table = index.decide()
    for article in articles:
        entities_of(article, table)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from corpus.article_tags import FALLBACK_ORIGINS, entity_tags
from corpus.articles import EntityType, SourceArticle, Tag
from corpus.folding import fold
from corpus.names import Name, parse_name
from corpus.variants import Detail, joined
from tesa_site.kernel.values import content_hash

# Who wins when a name is tagged as often with one type as with another. Bodies named after places are the usual case.
PRECEDENCE = (EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION)

Evidence = tuple[int, int]  # times tagged by an indexer, times tagged otherwise; compared in this order


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, location or organization, with all names the corpus gives it. Aliases as in Name."""

    key: str
    type: EntityType
    name: str
    strict: tuple[str, ...]
    loose: tuple[str, ...]
    information: tuple[str, ...]  # sorted


@dataclass(frozen=True, slots=True)
class TypeConflict:
    """A name that was tagged with several types, and the type that was chosen; `seen` is sorted by type."""

    name: str
    chosen: EntityType
    seen: tuple[tuple[EntityType, Evidence], ...]


@dataclass(frozen=True, slots=True)
class EntityTable:
    """What an index decided: all entities, sorted by type and name, and the conflicts it had to settle."""

    entities: tuple[Entity, ...]
    conflicts: tuple[TypeConflict, ...]
    _by_name: Mapping[str, Entity] = field(repr=False, compare=False)

    def find(self, tag: Tag) -> Entity | None:
        """Return the entity a tag names, whatever type it was tagged with; None for a name the index never saw."""
        return self._by_name.get(fold(parse_name(tag.text, tag.type).canonical))


@dataclass(frozen=True, slots=True)
class Observed:
    name: Name
    evidence: Evidence


@dataclass
class EntityIndex:
    """How often each tag was seen. Its memory grows with different tags, not with articles; the order never counts."""

    counts: Counter[Tag] = field(default_factory=Counter)

    def add(self, tags: Iterable[Tag]) -> None:
        """Count the tags of one article; a tag given twice counts once."""
        self.counts.update(dict.fromkeys(tags, 1))

    def update(self, other: EntityIndex) -> None:
        """Add what another index counted: parts of a corpus may be indexed apart."""
        self.counts.update(other.counts)

    def decide(self) -> EntityTable:
        """Return the entities that all evidence so far supports."""
        spellings: dict[str, list[Observed]] = defaultdict(list)
        for tag, count in self.counts.items():
            name = parse_name(tag.text, tag.type)
            evidence = (0, count) if tag.origin in FALLBACK_ORIGINS else (count, 0)
            if folded := fold(name.canonical):
                spellings[folded].append(Observed(name, evidence))
        types = {folded: _evidence_by_type(seen) for folded, seen in spellings.items()}
        chosen = {folded: max(seen, key=lambda type: (seen[type], _rank(type))) for folded, seen in types.items()}
        by_name = _merge({folded: _of_type(seen, chosen[folded]) for folded, seen in spellings.items()})
        conflicts = [
            TypeConflict(by_name[folded].name, chosen[folded], tuple(sorted(seen.items())))
            for folded, seen in sorted(types.items())
            if len(seen) > 1
        ]
        entities = sorted(set(by_name.values()), key=lambda entity: (entity.type, fold(entity.name)))
        return EntityTable(tuple(entities), tuple(conflicts), by_name)


def entity_key(type: EntityType, name: str) -> str:
    """Return the entity's identity: equal for spellings that fold alike, and for nothing else."""
    return content_hash({"type": type.value, "name": fold(name)})


def entities_of(article: SourceArticle, table: EntityTable | None = None) -> tuple[Entity, ...]:
    """Return the article's entities, sorted by type and name; without a table, by the article's own evidence."""
    tags = entity_tags(article)
    if table is None:
        index = EntityIndex()
        index.add(tags)
        return index.decide().entities
    found = {entity for tag in tags if (entity := table.find(tag))}
    return tuple(sorted(found, key=lambda entity: (entity.type, fold(entity.name))))


def _rank(type: EntityType) -> int:
    return PRECEDENCE.index(type)


def _evidence_by_type(observed: Iterable[Observed]) -> dict[EntityType, Evidence]:
    total: dict[EntityType, Evidence] = {}
    for one in observed:
        total[one.name.type] = _plus(total.get(one.name.type, (0, 0)), one.evidence)
    return total


def _plus(first: Evidence, second: Evidence) -> Evidence:
    return first[0] + second[0], first[1] + second[1]


def _of_type(observed: Iterable[Observed], type: EntityType) -> list[Observed]:
    return [one for one in observed if one.name.type is type]


def _merge(spellings: Mapping[str, list[Observed]]) -> dict[str, Entity]:
    """Return the entity of each folded name, after joining the variants of each family."""
    families: dict[tuple[EntityType, str], dict[Detail, list[str]]] = defaultdict(lambda: defaultdict(list))
    for folded, observed in spellings.items():
        best = max(observed, key=_weight).name
        families[best.type, best.family][best.detail].append(folded)
    entities: dict[str, Entity] = {}
    for (type, _), details in families.items():
        members: dict[Detail, list[str]] = defaultdict(list)
        for detail, into in joined(details, type).items():
            members[into] += details[detail]
        for folds in members.values():
            entity = _entity([one for folded in folds for one in spellings[folded]])
            entities.update(dict.fromkeys(folds, entity))
    return entities


def _weight(one: Observed) -> tuple[Evidence, int, str, str]:
    """Order observations: by evidence, then by care for capitals and accents, which all-capital sources lose."""
    careful = sum(letter.isupper() or not letter.isascii() for letter in one.name.canonical)
    return one.evidence, careful, one.name.canonical, one.name.family


def _entity(observed: list[Observed]) -> Entity:
    """Return one entity for names that are one: called what it is called most, else by the fullest name."""
    names = [one.name for one in observed]
    votes: dict[str, Evidence] = defaultdict(lambda: (0, 0))
    for one in observed:
        votes[one.name.canonical] = _plus(votes[one.name.canonical], one.evidence)
    name = max(votes, key=lambda text: (votes[text], len(text), sum(map(str.isupper, text)), text))
    strict = {alias for one in names for alias in (one.canonical, *one.strict)} - {name}
    loose = {alias for one in names for alias in one.loose} - strict - {name}
    return Entity(
        key=entity_key(names[0].type, name),
        type=names[0].type,
        name=name,
        strict=tuple(sorted(strict)),
        loose=tuple(sorted(loose)),
        information=tuple(sorted({said for one in names for said in one.information})),
    )
