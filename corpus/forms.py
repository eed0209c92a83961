from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from corpus.frozen import SIZES
from corpus.items import ITEM_KINDS
from corpus.items.texts import LONGEST_TOPIC
from corpus.names_from import COST, LABELS, RULE, NamesFrom
from corpus.sampling import SampleFilters
from corpus.services.corpora import LONGEST_NAME
from corpus.services.samples import MOST_SEED
from corpus.sources import SOURCES
from corpus.sources.archives import COMPRESSED, FOR_DOCUMENTS, FOR_LINES, refusal
from corpus.text_preparing import MOST_EACH, Preparing

SOURCE_LABELS = {
    "nitf": "NITF (New York Times and others)",
    "reuters21578": "Reuters-21578 (its SGML files)",
    "jsonl": "JSON lines (your own articles)",
    "text": "Plain text files",
}


# File name endings that only one format has.
FORMAT_OF = {"jsonl": "jsonl", "sgm": "reuters21578", "txt": "text"}


class IngestForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="A name for this corpus.")
    source = forms.ChoiceField(choices=[(name, SOURCE_LABELS.get(name, name)) for name in SOURCES], label="Format")
    path = forms.CharField(required=False, label="File or folder on the server")
    upload = forms.FileField(
        required=False,
        label="Or upload a file",
        help_text=f"JSON lines: {FOR_LINES}. Other formats: a file, or an archive ({FOR_DOCUMENTS}).",
    )
    names_from = forms.ChoiceField(
        required=False, choices=[*LABELS.items()], label="Names from", help_text=f"{RULE} {COST}"
    )

    read_as = ""  # a sentence if the file is read in another format than the chosen one

    def clean(self) -> dict[str, Any]:
        """Check the fields; a file whose ending only one format has is read in that format, whatever was chosen."""
        cleaned = super().clean() or {}
        if bool(cleaned.get("path")) == bool(cleaned.get("upload")):
            raise ValidationError("Enter a file or folder on the server or upload a file, but not both.")
        name = cleaned["upload"].name if cleaned.get("upload") else str(cleaned.get("path", ""))
        ending = next(filter(name.lower().endswith, COMPRESSED), "")
        format_ = FORMAT_OF.get(name.lower().removesuffix(ending).rpartition(".")[2])
        if format_ and cleaned.get("source") and cleaned["source"] != format_:
            cleaned["source"] = format_
            self.read_as = f"{name} is read as {SOURCE_LABELS[format_]}, because of the ending of its name."
        if cleaned.get("source") and cleaned.get("upload") and (problem := refusal(cleaned["source"], name)):
            self.add_error("upload", problem)
        return cleaned


def _checkboxes(
    label: str, values: Iterable[object], coerce: Callable[[Any], Any] = str
) -> forms.TypedMultipleChoiceField:
    choices = [(value, str(value)) for value in values]
    return forms.TypedMultipleChoiceField(
        required=False, choices=choices, coerce=coerce, widget=forms.CheckboxSelectMultiple, label=label
    )


class DrawForm(forms.Form):
    """How many instances to draw, and which. An empty group includes everything."""

    n = forms.IntegerField(min_value=1, max_value=10_000_000, initial=100, label="Number of instances")
    seed = forms.IntegerField(min_value=-MOST_SEED, max_value=MOST_SEED - 1, initial=0, label="Seed")
    types = _checkboxes("Type", EntityType)
    sizes = _checkboxes("Number of entities", SIZES, coerce=int)
    kinds = _checkboxes("Taken from", ContextKind)
    names_from = _checkboxes("Names from", NamesFrom)
    all_backgrounds = forms.BooleanField(required=False, label="Only where every entity has a background")

    def groups(self) -> list[forms.BoundField]:
        """Return the fields that are shown as groups of checkboxes."""
        return [self[name] for name in ("types", "sizes", "kinds", "names_from")]

    def filters(self) -> SampleFilters:
        cleaned = self.cleaned_data
        return SampleFilters.from_json({**cleaned, "without_background": not cleaned["all_backgrounds"]})


class ImportForm(forms.Form):
    name = forms.CharField(max_length=LONGEST_NAME, help_text="A name for this sample.")
    item_kind = forms.ChoiceField(
        choices=[("", "Choose what it holds"), *((name, ITEM_KINDS[name].plural) for name in ITEM_KINDS)],
        label="Content of the file",
    )
    upload = forms.FileField(
        label="File",
        help_text="JSON lines (.jsonl) or CSV (.csv); texts also as plain lines (.txt) or NIF (.ttl). "
        "Each may be compressed (.gz, .bz2, .xz).",
    )
    topic = forms.CharField(
        required=False,
        max_length=LONGEST_TOPIC,
        help_text="What texts without a topic of their own are about, such as a motion that is debated. "
        "Leave it empty if they have none.",
    )
    sentences = forms.BooleanField(
        required=False,
        label="Make each sentence a text of its own",
        help_text="English texts only. Sentences of one text stay in one group, and know where they stand in it.",
    )
    each = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_EACH,
        label="Texts of each source",
        help_text="Drawn at random; leave it empty to import all.",
    )
    seed = forms.IntegerField(
        required=False, min_value=-MOST_SEED, max_value=MOST_SEED - 1, initial=0, label="Seed of this drawing"
    )
    twins = forms.FileField(
        required=False,
        label="Twins",
        help_text="The same texts in another form, such as recognized speech, in a file of the same formats. "
        "Text and twin have the same id.",
    )

    @property
    def text_fields(self) -> list[forms.BoundField]:
        """What is asked about files of texts alone."""
        return [self[name] for name in ("topic", "sentences", "each", "seed", "twins")]

    @property
    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "item_kind", "upload")]

    @property
    def asks_about_texts(self) -> bool:
        """Tell whether anything was entered for files of texts, or is wrong there."""
        own = [field.name for field in self.text_fields]
        return any(name in self.errors for name in own) or bool(set(own) & set(self.changed_data) - {"seed"})

    def preparing(self) -> Preparing:
        cleaned = self.cleaned_data
        return Preparing.from_json({**cleaned, "each": cleaned["each"] or 0, "seed": cleaned["seed"] or 0})
