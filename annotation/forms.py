"""What a researcher fills in."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Campaign, Instructions
from annotation.services.campaigns import CONSENT, LARGEST_SEED, Plan
from corpus.models import Sample

PROVIDER_LABELS = {
    "local": "Our own annotators, and people we invite by a link",
    "panel": "A panel that sends people to an address (Prolific, Connect, SONA and others)",
}
SECTIONS = (
    ("What is asked", ("name", "sample", "instructions", "is_pilot", "seed")),
    ("Of whom", ("provider", "provider_settings", "redundancy", "per_person", "qualifications")),
    ("For how much", ("reward", "currency", "estimated_minutes", "time_limit_minutes")),
    ("Learning and checking", ("practice", "quiz_pass", "gold_every", "has_signals")),
    ("What people are told", ("consent", "contact")),
)


class CampaignForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="What you will call it. Annotators see it above their tasks.")
    sample = forms.ModelChoiceField(Sample.objects.none(), help_text="Each instance in it becomes one task.")
    instructions = forms.ModelChoiceField(
        Instructions.objects.none(), required=False, empty_label="Ours, the latest version",
        help_text="A version never changes under people who have read it.",
    )  # fmt: skip
    is_pilot = forms.BooleanField(required=False, label="This is a pilot")
    seed = forms.IntegerField(
        initial=0, min_value=-LARGEST_SEED, max_value=LARGEST_SEED, help_text="Decides the order of the tasks."
    )
    provider = forms.ChoiceField(choices=[*PROVIDER_LABELS.items()], label="Who answers")
    provider_settings = forms.CharField(
        required=False, widget=forms.Textarea({"rows": 3}), label="Settings of the panel",
        help_text='A JSON object, as in {"completed_code": "C1A2B3"}. Only for a panel.',
    )  # fmt: skip
    redundancy = forms.IntegerField(initial=3, label="People for each task", help_text="Always different people.")
    per_person = forms.IntegerField(initial=0, label="Most answers of one person", help_text="0: no limit.")
    qualifications = forms.CharField(
        required=False, widget=forms.Textarea({"rows": 3}),
        help_text="One on each line, as in “first language = English”. Shown with the campaign and sent to a panel.",
    )  # fmt: skip
    reward = forms.DecimalField(initial=Decimal("0.00"), max_digits=8, decimal_places=2, label="Reward for one answer")
    currency = forms.CharField(initial="USD", max_length=3)
    estimated_minutes = forms.DecimalField(
        initial=Decimal("1.5"), max_digits=6, decimal_places=2, label="Minutes one answer should take",
        help_text="Your estimate; the campaign's page shows the real time beside it.",
    )  # fmt: skip
    time_limit_minutes = forms.DecimalField(
        initial=Decimal(15), max_digits=8, decimal_places=2, label="Minutes one answer may take",
        help_text="Then the task goes to somebody else; what was typed is kept.",
    )  # fmt: skip
    practice = forms.IntegerField(
        initial=2, label="Practice questions", help_text="With feedback, before the first task."
    )
    quiz_pass = forms.IntegerField(initial=0, label="Right answers needed in the quiz", help_text="0: no quiz.")
    gold_every = forms.IntegerField(
        initial=0, label="One hidden gold in so many tasks",
        help_text="0: none. Choose the gold tasks before you start. Gold is paid like any other task.",
    )  # fmt: skip
    has_signals = forms.BooleanField(
        required=False, initial=True, label="Record active time, pastes and focus (with consent)"
    )
    consent = forms.CharField(initial=CONSENT, widget=forms.Textarea({"rows": 10}), label="What they agree to")
    contact = forms.CharField(max_length=200, help_text="Whom annotators can write to: a name and an address.")
    seen_total = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        samples, texts = self.fields["sample"], self.fields["instructions"]
        samples.queryset = Sample.objects.filter(size__gt=0)  # type: ignore[attr-defined]
        samples.label_from_instance = lambda sample: f"{sample} ({sample.size:,})"  # type: ignore[attr-defined]
        texts.queryset = Instructions.objects.all()  # type: ignore[attr-defined]

    def sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        return [(title, [self[name] for name in names]) for title, names in SECTIONS]

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).strip().upper()

    def clean_qualifications(self) -> dict[str, str]:
        found = {}
        for line in self.cleaned_data["qualifications"].splitlines():
            name, sign, value = line.partition("=")
            if line.strip() and not (sign and name.strip() and value.strip()):
                raise ValidationError(f"“{line.strip()[:60]}” is not of the form “name = value”.")
            if line.strip():
                found[name.strip()] = value.strip()
        return found

    def clean_provider_settings(self) -> dict[str, Any]:
        text = self.cleaned_data["provider_settings"].strip()
        try:
            value = json.loads(text) if text else {}
        except ValueError as error:
            raise ValidationError(f"This is not JSON: {error}.") from error
        if not isinstance(value, dict):
            raise ValidationError("This must be a JSON object: names and values in braces.")
        return value

    def plan(self) -> Plan:
        """Return what was filled in as the service takes it."""
        given = self.cleaned_data
        names = [name for name in Plan.__dataclass_fields__ if name in given]
        seconds = {
            "estimated_s": round(given["estimated_minutes"] * 60),
            "time_limit_s": round(given["time_limit_minutes"] * 60),
        }
        return Plan(**{name: given[name] for name in names}, **seconds)


# The service's names for what the form asks in other units.
FIELD_OF = {"estimated_s": "estimated_minutes", "time_limit_s": "time_limit_minutes"}


def initial_from(campaign: Campaign) -> dict[str, Any]:
    """Return the form's contents for another campaign like this one."""
    same = {name: getattr(campaign, name) for name in CampaignForm.base_fields if hasattr(campaign, name)}
    return {
        **same,
        "name": f"{campaign.name} – main" if campaign.is_pilot else f"{campaign.name} – again",
        "is_pilot": False,
        "estimated_minutes": Decimal(campaign.estimated_s) / 60,
        "time_limit_minutes": Decimal(campaign.time_limit_s) / 60,
        "qualifications": "\n".join(f"{name} = {value}" for name, value in campaign.qualifications.items()),
        "provider_settings": json.dumps(campaign.provider_settings, indent=1) if campaign.provider_settings else "",
    }


class InstructionsForm(forms.Form):
    name = forms.CharField(
        max_length=100, help_text="The same name: its next version. Another name: a text of its own."
    )
    summary = forms.CharField(widget=forms.Textarea({"rows": 10}))
    details = forms.CharField(widget=forms.Textarea({"rows": 18}))
    examples = forms.CharField(widget=forms.Textarea({"rows": 14}))
