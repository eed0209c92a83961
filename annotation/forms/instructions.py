"""The form of a version of instructions."""

from __future__ import annotations

from django import forms


class InstructionsForm(forms.Form):
    name = forms.CharField(
        max_length=100, help_text="Keep the name for its next version, or enter another one for a separate text."
    )
    summary = forms.CharField(widget=forms.Textarea({"rows": 10}))
    details = forms.CharField(widget=forms.Textarea({"rows": 18}))
    examples = forms.CharField(widget=forms.Textarea({"rows": 14}))
