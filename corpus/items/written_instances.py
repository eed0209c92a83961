"""The form in which somebody writes an instance: a passage, two to six names that it mentions, and backgrounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from corpus.articles import EntityType
from corpus.frozen import SIZES, FrozenInstance
from corpus.instance_rows import MAX_CONTEXT, cleaned_context, instance_of, occurrences
from corpus.items.base import WrittenField
from corpus.sources.texts import clean
from kernel.errors import InvalidInput
from kernel.values import Json

WRITTEN = "written"  # the article of an instance that no article contains
LONGEST_BACKGROUND = 5_000
NUMBERS = range(1, SIZES[-1] + 1)
AS_IN_PASSAGE = "As it stands in the passage."


def _entity_fields(number: int) -> Iterator[WrittenField]:
    optional = "" if number <= SIZES[0] else " (optional)"
    yield WrittenField(f"name_{number}", f"Name {number}{optional}", AS_IN_PASSAGE if number == 1 else "", longest=200)
    label = f"Background of name {number} (optional)"
    yield WrittenField(f"background_{number}", label, lines=2, longest=LONGEST_BACKGROUND)


FIELDS = (
    WrittenField("entity_type", "What the names are", choices=tuple(type_.value for type_ in EntityType)),
    WrittenField("title", "Title of the article (optional)"),
    WrittenField("context", "Passage", "A blank line begins a new paragraph.", lines=8, longest=MAX_CONTEXT),
    *(field for number in NUMBERS for field in _entity_fields(number)),
)


def form_of_instance(item: FrozenInstance) -> dict[str, str]:
    form = {"entity_type": item.entity_type, "title": item.title, "context": item.context}
    for number, (name, background) in enumerate(zip(item.entities, item.backgrounds, strict=True), 1):
        form |= {f"name_{number}": name, f"background_{number}": background.text if background else ""}
    return form


def instance_of_form(form: Mapping[str, str], like: FrozenInstance | None) -> FrozenInstance:
    """Return the instance, or raise InvalidInput for the first bad field.

    Every occurrence of a name is a mention. Where passage and names are still those of `like`, its mentions stay.
    """
    if form.get("entity_type") not in FIELDS[0].choices:
        raise InvalidInput("choose what the names are", field="entity_type")
    if not clean(form.get("context", "")):
        raise InvalidInput("write the passage", field="context")
    names = [number for number in NUMBERS if clean(form.get(f"name_{number}", ""))]
    is_same = like is not None and [form[f"name_{number}"] for number in names] == [*like.entities]
    is_same = is_same and like is not None and form["context"] == like.context.strip()
    if not is_same:
        _check_names(form, names)
    _check_backgrounds(form, names)
    row: dict[str, Json] = {"article_id": WRITTEN, "context": form["context"]}
    if like is not None and is_same:
        row = {name: own for name, own in like.to_json().items() if name not in ("key", "group")}
    row |= {
        "entity_type": form["entity_type"],
        "title": form.get("title", ""),
        "entities": [form[f"name_{number}"] for number in names],
        "backgrounds": [_background(form.get(f"background_{number}", ""), like) for number in names],
    }
    return instance_of(row)


def _check_names(form: Mapping[str, str], names: list[int]) -> None:
    context = cleaned_context(form["context"])
    cleaned = [clean(form[f"name_{number}"]) for number in names]
    if len(names) < SIZES[0]:
        missing = next(number for number in NUMBERS if number not in names)
        raise InvalidInput(f"write at least {SIZES[0]} names", field=f"name_{missing}")
    for place, (number, name) in enumerate(zip(names, cleaned, strict=True)):
        if name in cleaned[:place]:
            raise InvalidInput(f"“{name}” is there already: write another name", field=f"name_{number}")
        if not any(occurrences(name, context)):
            why = f"“{name}” does not occur in the passage: write the name as it stands there"
            raise InvalidInput(why, field=f"name_{number}")


def _check_backgrounds(form: Mapping[str, str], names: list[int]) -> None:
    for number in NUMBERS:
        if number not in names and form.get(f"background_{number}", ""):
            raise InvalidInput("write the name that this background is about", field=f"name_{number}")


def _background(text: str, like: FrozenInstance | None) -> Json:
    """Return a background, with its sources where it is one of `like`."""
    known = [own for own in (like.backgrounds if like else ()) if own is not None]
    same = next((own for own in known if own.text.strip() == text), None)
    return same.to_json() if same else text or None
