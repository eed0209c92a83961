"""The form that asks for a sample with known mentions and files of predictions."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.linking.links import EntityNaming
from annotation.linking.predictions import MOST_BYTES, SUFFIXES
from corpus.items.texts import TEXT
from corpus.models import Sample


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or several."""

    widget = SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> Any:
        return [super(FilesField, self).clean(own, initial) for own in data or [None]]


class LinkForm(forms.Form):
    sample = forms.ModelChoiceField(
        queryset=Sample.objects.filter(item_kind=TEXT.name).exclude(content_hash="").order_by("name"),
        empty_label="Choose a sample of texts",
        help_text="Its texts must have been imported with their mentions.",
    )
    predictions = FilesField(
        label="Predictions",
        help_text=f"One file for each system: {', '.join(SUFFIXES)}, up to {MOST_BYTES // 1_000_000} MB.",
    )
    by = forms.ChoiceField(
        required=False,
        label="Entities are named by",
        choices=[
            ("", "what the sample has"),
            (EntityNaming.PAGES.value, "titles of Wikipedia"),
            (EntityNaming.WIKIDATA.value, "ids of Wikidata"),
        ],
    )
    outermost = forms.BooleanField(required=False, label="Leave out mentions inside others")
    with_entity = forms.BooleanField(required=False, label="Leave out mentions that are known to have no entity")

    def naming(self) -> EntityNaming | None:
        by = self.cleaned_data["by"]
        return EntityNaming(by) if by else None
