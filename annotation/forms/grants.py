"""The forms of grants."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any

from django import forms
from django.utils.timezone import get_current_timezone

from annotation.models import Grant


class GrantForm(forms.Form):
    name = forms.CharField(max_length=100)
    description = forms.CharField(required=False, widget=forms.Textarea({"rows": 2}))


class GiveGrantForm(forms.Form):
    """Which grant, why, and until when."""

    grant = forms.ModelChoiceField(Grant.objects.none(), empty_label="Choose a grant")
    expires_on = forms.DateField(
        required=False, widget=forms.DateInput({"type": "date"}), label="Last day", help_text="Empty: no end."
    )
    reason = forms.CharField(max_length=500, help_text="Kept with your name. The participants can ask for it.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["grant"].queryset = Grant.objects.order_by("name")  # type: ignore[attr-defined]

    @property
    def expires_at(self) -> datetime | None:
        """The end of the last day, in the installation's time zone."""
        day = self.cleaned_data["expires_on"]
        return datetime.combine(day, time.max, tzinfo=get_current_timezone()) if day else None
