"""From tags to the entities of a corpus, decided once every spelling and every type has been seen:

index = EntityIndex()
for article in articles:
    index.add(entity_tags(article), article)
table = index.decide()
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from corpus.article_tags import FALLBACK_ORIGINS, RECOGNIZED
from corpus.articles import EntityType, SourceArticle, Tag
from corpus.corrections import Correction, NameGroup, corrected
from corpus.folding import fold
from corpus.homonyms import apart, handle_of, placed
from corpus.names import Name, parse_name
from corpus.names.article_casing import (
    Text,
    capitals_inside,
    is_careless,
    printed_forms,
    recased,
    words_with_capitals_inside,
)
from corpus.variants import Detail, joined
from kernel.values import content_hash

# Of the types that a name is tagged with equally often, the last wins: organizations are often named after locations.
PRECEDENCE = (EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION)

PERSON = EntityType.PERSON
T = TypeVar("T")
Evidence = tuple[int, int]  # number of tags by an indexer, number of other tags; compared in this order


@dataclass(frozen=True, slots=True)
class EntityValue:
    """A person, location or organization with all the names the corpus uses for it. Aliases are as in Name."""

    key: str
    type: EntityType
    name: str
    strict: tuple[str, ...]
    loose: tuple[str, ...]
    information: tuple[str, ...]  # sorted


@dataclass(frozen=True, slots=True)
class TypeConflict:
    """A name tagged with several types, and the type that was chosen; `seen` is sorted by type."""

    name: str
    chosen: EntityType
    seen: tuple[tuple[EntityType, Evidence], ...]


@dataclass(frozen=True, slots=True)
class EntityTable:
    """The decisions of an index: all entities, sorted by type and name, and the conflicts it settled."""

    entities: tuple[EntityValue, ...]
    conflicts: tuple[TypeConflict, ...]
    by_handle: Mapping[str, EntityValue] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Observed:
    name: Name
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Spelling:
    """The most frequent spelling of an index name, its number of articles, and whether it was only recognized."""

    text: str
    articles: int
    is_recognized: bool


@dataclass
class EntityIndex:
    """How often each tag was seen. Memory grows with the number of different tags; the order does not matter."""

    counts: Counter[Tag] = field(default_factory=Counter)
    printed: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # handle → forms in articles
    inside: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # handle → words → articles

    def add(self, tags: Iterable[Tag], article: SourceArticle | None = None) -> None:
        """Count the tags of one article, each once. The article's text shows how names are capitalised."""
        once = dict.fromkeys(tags, 1)
        self.counts.update(once)
        if not (article and once):
            return
        text = Text.of((*article.paragraphs, article.abstract))
        inside = capitals_inside(text)
        for tag in once:
            if is_careless(tag.text):
                is_recognized = tag.origin == RECOGNIZED
                forms = printed_forms(parse_name(tag.text, tag.type), text, is_recognized=is_recognized)
                self.printed[handle_of(tag)].update(forms)
            elif inside and (words := words_with_capitals_inside(parse_name(tag.text, tag.type), inside, text)):
                self.inside[handle_of(tag)].update(words)

    def update(self, other: EntityIndex) -> None:
        """Add the counts of another index: parts of a corpus can be indexed separately."""
        self.counts.update(other.counts)
        for handle, forms in other.printed.items():
            self.printed[handle].update(forms)
        for handle, words in other.inside.items():
            self.inside[handle].update(words)

    def spellings(self) -> dict[str, Spelling]:
        """Return the spelling of each handle."""
        tags: dict[str, list[Tag]] = defaultdict(list)
        for tag in self.counts:
            tags[handle_of(tag)].append(tag)
        tags.pop("", None)
        return {handle: self._spelling(own) for handle, own in tags.items()}

    def _spelling(self, tags: list[Tag]) -> Spelling:
        commonest = max(tags, key=lambda tag: (self.counts[tag], tag.text))
        recognized = all(tag.origin == RECOGNIZED for tag in tags)
        return Spelling(commonest.text, sum(self.counts[tag] for tag in tags), recognized)

    def decide(self, corrections: Iterable[Correction] = ()) -> EntityTable:
        """Return the entities that the counted tags support, with the corrections applied."""
        observed, slots = self._observations()
        spellings = {slot: [item for handle in handles for item in observed[handle]] for slot, handles in slots.items()}
        types = {slot: _totals((item.name.type, item.evidence) for item in seen) for slot, seen in spellings.items()}
        chosen = {
            slot: max(seen, key=lambda type: (seen[type], PRECEDENCE.index(type))) for slot, seen in types.items()
        }
        merged = _merge({slot: _of_type(seen, chosen[slot]) for slot, seen in spellings.items()})
        groups = [NameGroup({h for slot in folds for h in slots[slot]}, type) for type, folds in merged]
        groups = _with_recognized_aliases(groups, self._recognized(), observed)
        by_handle = _entities(corrected(groups, corrections), observed)
        conflicts = [
            TypeConflict(entity.name, entity.type, tuple(sorted(types[slot].items())))
            for slot, handles in sorted(slots.items())
            if len(types[slot]) > 1 and (entity := by_handle.get(handles[0]))
        ]
        entities = sorted(set(by_handle.values()), key=lambda entity: (entity.type, fold(entity.name)))
        return EntityTable(tuple(entities), tuple(conflicts), by_handle)

    def _observations(self) -> tuple[dict[str, list[Observed]], dict[str, list[str]]]:
        """Return the observations of each handle, and the handles of each slot (a name, or one of its places)."""
        printed, inside = self._printed(), self._inside()
        homonyms = apart(parse_name(tag.text, tag.type) for tag in self.counts)
        observed: dict[str, list[Observed]] = defaultdict(list)
        slots: dict[str, dict[str, None]] = defaultdict(dict)
        for tag, count in self.counts.items():
            name, handle = parse_name(tag.text, tag.type), handle_of(tag)
            evidence = (0, count) if tag.origin in FALLBACK_ORIGINS else (count, 0)
            if not (folded := fold(name.canonical)):
                continue
            if handle in printed and is_careless(tag.text):
                name = recased(name, printed[handle])
            elif handle in inside:
                name = recased(name, inside[handle])
            is_apart = folded in homonyms
            observed[handle].append(Observed(placed(name) if is_apart else name, evidence))
            slots[handle if is_apart else folded][handle] = None
        return observed, {slot: sorted(handles) for slot, handles in slots.items()}

    def _printed(self) -> dict[str, Counter[str]]:
        """Return the printed forms of each handle; tags with meaningful capitals count like the articles."""
        printed = {handle: Counter(forms) for handle, forms in self.printed.items()}
        careless = {handle_of(tag) for tag in self.counts if is_careless(tag.text)}
        for tag, count in self.counts.items():
            if not is_careless(tag.text) and (handle := handle_of(tag)) in careless:
                printed.setdefault(handle, Counter())[parse_name(tag.text, tag.type).canonical] += count
        return printed

    def _recognized(self) -> set[str]:
        """Return the handles that only a pipeline named."""
        handles = {handle_of(tag) for tag in self.counts if tag.origin == RECOGNIZED}
        return handles - {handle_of(tag) for tag in self.counts if handles and tag.origin != RECOGNIZED}

    def _inside(self) -> dict[str, Counter[str]]:
        """Return the words of each handle that at least half of its articles print with capitals inside."""
        articles: Counter[str] = Counter()
        for tag, count in self.counts.items() if self.inside else ():
            articles[handle_of(tag)] += count
        usual = {
            handle: Counter({word: count for word, count in words.items() if 2 * count >= articles[handle]})
            for handle, words in self.inside.items()
        }
        return {handle: words for handle, words in usual.items() if words}


def entity_key(type: EntityType, name: str) -> str:
    """Return the identity of an entity, which is the same for all spellings that fold to the same text."""
    return content_hash({"type": type.value, "name": fold(name)})


def _totals(observed: Iterable[tuple[T, Evidence]]) -> dict[T, Evidence]:
    """Return the sum of the evidence for each type, or for each name."""
    totals: dict[T, Evidence] = defaultdict(lambda: (0, 0))
    for key, (indexed, others) in observed:
        totals[key] = totals[key][0] + indexed, totals[key][1] + others
    return totals


def _of_type(observed: Iterable[Observed], type: EntityType) -> list[Observed]:
    return [item for item in observed if item.name.type is type]


def _merge(spellings: Mapping[str, list[Observed]]) -> Iterator[tuple[EntityType, list[str]]]:
    """Yield the type and the slots of each entity after joining the variants of each family."""
    families: dict[tuple[EntityType, str], dict[Detail, list[str]]] = defaultdict(lambda: defaultdict(list))
    for slot, observed in spellings.items():
        best = max(observed, key=_weight).name
        families[best.type, best.family][best.detail].append(slot)
    for (type, _), details in families.items():
        members: dict[Detail, list[str]] = defaultdict(list)
        for detail, into in joined(details, type).items():
            members[into] += details[detail]
        yield from ((type, slots) for slots in members.values())


def _with_recognized_aliases(
    groups: list[NameGroup], recognized: set[str], observed: Mapping[str, list[Observed]]
) -> list[NameGroup]:
    """Return the groups after recognized locations and organizations have joined the only tagged one with that alias.

    People do not join: "John Jones" may be a stranger to "John Paul Jones".
    """
    if not recognized:
        return groups
    tagged = [group for group in groups if not group.names <= recognized]
    by_alias: dict[tuple[EntityType, str], dict[int, NameGroup]] = defaultdict(dict)
    for group in tagged:
        for item in (item for handle in group.names for item in observed[handle] if group.type is not PERSON):
            for alias in item.name.strict:
                by_alias[group.type, fold(alias)][id(group)] = group
    others = []
    for group in groups if by_alias else ():
        if group.names <= recognized:
            names = {fold(item.name.canonical) for handle in group.names for item in observed[handle]}
            owners = {key: owner for name in names for key, owner in by_alias.get((group.type, name), {}).items()}
            if len(owners) == 1:
                (owner,) = owners.values()
                owner.name = owner.name or _entity(owner, observed).name  # of its tags
                owner.names |= group.names
            else:
                others.append(group)
    return tagged + others if by_alias else groups


def _entities(groups: Iterable[NameGroup], observed: Mapping[str, list[Observed]]) -> dict[str, EntityValue]:
    """Return the entity of each handle; groups that end up with the same name and type are one entity."""
    by_key: dict[str, NameGroup] = {}
    for group in groups:
        entity = _entity(group, observed)
        same = by_key.setdefault(entity.key, group)
        same.names |= group.names
        same.name = entity.name if same is not group else same.name
    entities: dict[str, EntityValue] = {}
    for group in by_key.values():
        entities.update(dict.fromkeys(group.names, _entity(group, observed)))
    return entities


def _read_as(observed: list[Observed], type: EntityType) -> list[Observed]:
    """Return the observations of this type; if there are none, the names parsed as names of this type."""
    return _of_type(observed, type) or [
        Observed(parse_name(item.name.canonical, type), item.evidence) for item in observed
    ]


def _weight(observed: Observed) -> tuple[Evidence, int, str, str]:
    """Return a sort key: by evidence, then by capitals and accents, which sources set in capitals lose."""
    careful = sum(letter.isupper() or not letter.isascii() for letter in observed.name.canonical)
    return observed.evidence, careful, observed.name.canonical, observed.name.family


def _entity(group: NameGroup, observed: Mapping[str, list[Observed]]) -> EntityValue:
    """Return the entity of a group, named by its most frequent name; of equally frequent ones, by the fullest."""
    seen = [item for handle in group.names for item in _read_as(observed[handle], group.type)]
    names = [item.name for item in seen]
    votes = _totals((item.name.canonical, item.evidence) for item in seen)
    name = group.name or max(votes, key=lambda text: (votes[text], len(text), sum(map(str.isupper, text)), text))
    strict = {alias for own in names for alias in (own.canonical, *own.strict)} - {name}
    loose = {alias for own in names for alias in own.loose} - strict - {name}
    return EntityValue(
        key=entity_key(group.type, name),
        type=group.type,
        name=name,
        strict=tuple(sorted(strict)),
        loose=tuple(sorted(loose)),
        information=tuple(sorted({text for own in names for text in own.information})),
    )
