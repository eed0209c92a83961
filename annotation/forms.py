"""What a researcher fills in."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Campaign, Instructions
from annotation.providers import PROVIDERS
from annotation.providers.base import Settings
from annotation.providers.forms import provider_forms
from annotation.qualifications import CHECKED
from annotation.services.campaigns import LARGEST_SEED, Plan
from annotation.task_types import DEFAULT_TASK_TYPE, TASK_TYPES
from corpus.models import Sample
from tesa_site.kernel.values import counted

BEFORE = (
    ("What is asked", ("name", "task_type", "sample", "instructions", "is_pilot", "seed")),
    ("Of whom", ("provider", "redundancy", "per_person", "qualifications")),
)  # here come the sections of the providers
AFTER = (
    ("For how much", ("reward", "currency", "estimated_minutes", "time_limit_minutes")),
    ("Learning and checking", ("practice", "quiz_pass", "gold_every", "has_signals")),
    ("What people are told", ("consent", "contact")),
)


class Section(NamedTuple):
    """A part of the form. `provider` is the place of its provider in the list under "Who answers"; 0 = always shown."""

    title: str
    fields: list[forms.BoundField]
    provider: int = 0


class CampaignForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="What you will call it. Annotators see it above their tasks.")
    sample = forms.ModelChoiceField(Sample.objects.none(), help_text="Each instance in it becomes one task.")
    instructions = forms.ModelChoiceField(
        Instructions.objects.none(), required=False, empty_label="Ours, the latest version",
        help_text="A version never changes under people who have read it.",
    )  # fmt: skip
    task_type = forms.ChoiceField(required=False, initial=DEFAULT_TASK_TYPE, label="Task")
    is_pilot = forms.BooleanField(required=False, label="This is a pilot")
    seed = forms.IntegerField(
        initial=0, min_value=-LARGEST_SEED, max_value=LARGEST_SEED, help_text="Decides the order of the tasks."
    )
    provider = forms.ChoiceField(label="Who answers")
    redundancy = forms.IntegerField(initial=3, label="People for each task", help_text="Always different people.")
    per_person = forms.IntegerField(initial=0, label="Most answers of one person", help_text="0: no limit.")
    qualifications = forms.CharField(
        required=False, max_length=2000, widget=forms.Textarea({"rows": 3}),
        help_text="One on each line. “min_answers = 20” (in earlier campaigns), “took_part_in = 3” and “not_in = 4, 5” "
        "(numbers of campaigns, as their settings tell) are checked; others, as in “first language = English”, "
        "people are told before they begin.",
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
    quiz_pass = forms.IntegerField(initial=0, label="Right answers needed in the quiz")
    gold_every = forms.IntegerField(
        initial=0, label="One hidden gold in so many tasks",
        help_text="0: none. Choose the gold tasks before you start: they are taken out of those that are answered as "
        "data, and paid like any other.",
    )  # fmt: skip
    has_signals = forms.BooleanField(
        required=False, initial=True, label="Record active time, pastes and focus (with consent)"
    )
    consent = forms.CharField(widget=forms.Textarea({"rows": 10}), label="What they agree to")
    contact = forms.CharField(max_length=200, help_text="Whom annotators can write to: a name and an address.")
    seen_total = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["provider"].choices = [(name, PROVIDERS[name].label) for name in PROVIDERS]  # type: ignore[attr-defined]
        self.parts = provider_forms()
        for part in self.parts.values():
            self.fields.update(deepcopy(part.base_fields))
        self.fields["task_type"].choices = [(name, name.replace("_", " ").capitalize()) for name in TASK_TYPES]  # type: ignore[attr-defined]
        if len(TASK_TYPES.paths) == 1:
            self.fields["task_type"].widget = forms.HiddenInput()
        self.fields["consent"].initial = TASK_TYPES[DEFAULT_TASK_TYPE].consent
        self.fields["quiz_pass"].help_text = "0: no quiz. " + _quiz_sizes()
        samples, texts = self.fields["sample"], self.fields["instructions"]
        samples.queryset = Sample.objects.filter(size__gt=0)  # type: ignore[attr-defined]
        samples.label_from_instance = lambda sample: f"{sample} ({sample.size:,})"  # type: ignore[attr-defined]
        texts.queryset = Instructions.objects.all()  # type: ignore[attr-defined]

    def sections(self) -> list[Section]:
        before, after = (
            [Section(title, [self[name] for name in names]) for title, names in part] for part in (BEFORE, AFTER)
        )
        own = [
            Section(self.parts[provider].title, [self[name] for name in self.parts[provider].base_fields], place)
            for place, provider in enumerate(PROVIDERS, 1)
            if provider in self.parts
        ]
        return before + own + after

    def clean_task_type(self) -> str:
        return str(self.cleaned_data["task_type"] or DEFAULT_TASK_TYPE)

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).strip().upper()

    def clean_qualifications(self) -> dict[str, str]:
        wanted = {}
        for line in self.cleaned_data["qualifications"].splitlines():
            name, sign, value = line.partition("=")
            if line.strip() and not (sign and name.strip() and value.strip()):
                raise ValidationError(f"“{line.strip()[:60]}” is not of the form “name = value”.")
            if line.strip():
                wanted[name.strip()] = value.strip()
        return wanted

    def provider_settings(self, before: Settings | None = None) -> dict[str, Any]:
        """Return what was filled in for the chosen provider; `before`: its settings that the form does not ask for."""
        part = self.parts.get(self.cleaned_data["provider"])
        return part.settings_of(self.cleaned_data, before or {}) if part else {}

    def plan(self) -> Plan:
        """Return what was filled in as the service takes it."""
        values = self.cleaned_data
        names = [name for name in Plan.__dataclass_fields__ if name in values]
        seconds = {
            "estimated_s": round(values["estimated_minutes"] * 60),
            "time_limit_s": round(values["time_limit_minutes"] * 60),
        }
        return Plan(**{name: values[name] for name in names}, **seconds, provider_settings=self.provider_settings())

    def field_of(self, path: str) -> str | None:
        """Return the field for what an error of the service names; None if the form does not ask for it."""
        part = self.parts.get(self.cleaned_data["provider"])
        names = FIELD_OF | ({f"provider_settings.{path}": name for path, name in part.field_of.items()} if part else {})
        name = names.get(path, path)
        return name if name in self.fields else None


def _quiz_sizes() -> str:
    sizes = {name: counted(len(TASK_TYPES[name].quiz), "question") for name in TASK_TYPES}
    if len(sizes) == 1:
        return f"There are {next(iter(sizes.values()))}."
    return " ".join(f"{name.capitalize()} has {size}." for name, size in sizes.items())


# The service's names for what the form asks in other units.
FIELD_OF = {
    "estimated_s": "estimated_minutes",
    "time_limit_s": "time_limit_minutes",
    **{f"qualifications.{name}": "qualifications" for name in CHECKED},
}


def initial_of(campaign: Campaign) -> dict[str, Any]:
    """Return the form's contents that made this campaign."""
    same = {name: getattr(campaign, name) for name in CampaignForm.base_fields if hasattr(campaign, name)}
    for name, part in provider_forms().items():
        same |= part.initial_of(campaign.provider_settings if name == campaign.provider else {})
    return {
        **same,
        "estimated_minutes": _minutes(campaign.estimated_s),
        "time_limit_minutes": _minutes(campaign.time_limit_s),
        "qualifications": "\n".join(f"{name} = {value}" for name, value in campaign.qualifications.items()),
    }


def initial_from(campaign: Campaign) -> dict[str, Any]:
    """Return the form's contents for another campaign like this one."""
    name = f"{campaign.name} – main" if campaign.is_pilot else f"{campaign.name} – again"
    return {**initial_of(campaign), "name": name, "is_pilot": False}


def _minutes(seconds: int) -> str:
    """Return minutes as the form takes them: two decimals are enough to restore every second."""
    return f"{round(Decimal(seconds) / 60, 2).normalize():f}"


class EditCampaignForm(CampaignForm):
    """The same form for a draft: what its tasks were made from is shown and stays."""

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, initial=initial_of(campaign), **kwargs)
        self.campaign = campaign
        for name in ("sample", "seed"):
            self.fields[name].disabled = True
            self.fields[name].help_text = "Its tasks were made with this: make another campaign to change it."

    def provider_settings(self, before: Settings | None = None) -> dict[str, Any]:
        is_same = self.cleaned_data["provider"] == self.campaign.provider
        return super().provider_settings(self.campaign.provider_settings if is_same else None)


class InstructionsForm(forms.Form):
    name = forms.CharField(
        max_length=100, help_text="The same name: its next version. Another name: a text of its own."
    )
    summary = forms.CharField(widget=forms.Textarea({"rows": 10}))
    details = forms.CharField(widget=forms.Textarea({"rows": 18}))
    examples = forms.CharField(widget=forms.Textarea({"rows": 14}))
