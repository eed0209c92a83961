from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from corpus.sources import SOURCES

SOURCE_LABELS = {
    "nitf": "NITF (New York Times and others)",
    "reuters21578": "Reuters-21578 (its SGML files)",
    "jsonl": "JSON lines (your own articles)",
    "text": "Plain text files",
}


class IngestForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="What you will call this corpus.")
    source = forms.ChoiceField(choices=[(name, SOURCE_LABELS.get(name, name)) for name in SOURCES], label="Format")
    path = forms.CharField(required=False, label="On the server")
    upload = forms.FileField(
        required=False, label="Or a file of yours", help_text="A file, or an archive of files (.zip, .tgz)."
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if bool(cleaned.get("path")) == bool(cleaned.get("upload")):
            raise ValidationError("Give either a file or folder on the server or a file of yours.")
        return cleaned
