"""The form of a campaign: the task, who is invited to it, the pay, and the checks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms.narrowing import NarrowingSelect
from annotation.forms.numbers import OptionalNumber
from annotation.forms.requirements import VALUE_OF, Requirements, requirement_rows
from annotation.models import Campaign, Grant, Instructions
from annotation.providers import DEFAULT, PROVIDERS
from annotation.providers.base import Settings
from annotation.providers.forms import provider_forms
from annotation.quality.trust import LEAST_TESTS
from annotation.selectors.descriptions import (
    asked_type,
    chosen_task,
    description_of,
    name_of_task,
    task_choices,
)
from annotation.services.campaigns import LARGEST_SEED, CampaignPlan, check_amounts
from annotation.task_types import DEFAULT_TASK_TYPE, TASK_TYPES, fixed_types
from annotation.task_types.base import TaskType
from annotation.task_types.lessons import Lessons, lessons_of
from corpus.models import Sample
from kernel.errors import InvalidInput
from kernel.values import counted

# What the cost depends on.
PRICED = (
    "sample", "task_type", "provider", "redundancy", "per_person", "reward", "currency", "gold_every",
    "estimated_minutes",
)  # fmt: skip


class CampaignForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="Participants see this name.")
    sample = forms.ModelChoiceField(
        Sample.objects.none(), empty_label="Choose a sample", help_text="Each item of the sample becomes a task.",
        widget=NarrowingSelect,
    )  # fmt: skip
    instructions = forms.ModelChoiceField(
        Instructions.objects.none(), required=False, empty_label="Standard, latest version", widget=NarrowingSelect
    )
    task_type = forms.ChoiceField(required=False, initial=DEFAULT_TASK_TYPE, widget=NarrowingSelect)
    is_pilot = forms.BooleanField(required=False, label="This is a pilot")
    seed = OptionalNumber(
        min_value=-LARGEST_SEED, max_value=LARGEST_SEED, label="Random seed",
        help_text="Decides the order of the tasks. Empty: 0.",
    )  # fmt: skip
    provider = forms.ChoiceField(label="Who answers", initial=DEFAULT, widget=forms.RadioSelect)
    redundancy = forms.IntegerField(initial=3, label="Answers per task", help_text="Each from a different person.")
    per_person = OptionalNumber(label="Most answers per person", help_text="Leave empty for no limit.")
    reward = forms.DecimalField(initial=Decimal("0.00"), max_digits=8, decimal_places=2, label="Reward per answer")
    currency = forms.CharField(initial="USD", max_length=3, widget=forms.TextInput({"aria-label": "Currency"}))
    estimated_minutes = forms.DecimalField(
        initial=Decimal("1.5"), max_digits=6, decimal_places=2, label="Expected time"
    )
    time_limit_minutes = forms.DecimalField(
        initial=Decimal(15), max_digits=8, decimal_places=2, label="Time limit",
        help_text="After that, the task is offered to someone else.",
    )  # fmt: skip
    practice = forms.IntegerField(
        initial=2, label="Practice questions", help_text="With feedback, before the first task."
    )
    practice_must_be_right = forms.BooleanField(
        required=False, label="Repeat practice until right",
        help_text="People try again until they give a known answer.",
    )  # fmt: skip
    quiz_pass = OptionalNumber(label="Quiz pass mark")
    quiz_gold = OptionalNumber(
        label="Check tasks in the quiz",
        help_text="Your own, instead of its questions.",
    )
    gold_every = OptionalNumber(
        label="Check task, one in every", help_text="Leave empty for none. Check tasks are paid like any other."
    )
    trust_stop = OptionalNumber(
        label="Stop below a trust of",
        help_text="Their score on check tasks. Leave empty for no limit.",
    )
    trust_tests = OptionalNumber(
        empty=LEAST_TESTS, initial=LEAST_TESTS, label="Check tasks before that", help_text="Judged ones, of one person."
    )
    shows_reasons = forms.BooleanField(
        required=False, label="Explain missed check tasks",
        help_text="Participants then see the known answer and its reason, and cannot change theirs.",
    )  # fmt: skip
    has_signals = forms.BooleanField(
        required=False, initial=True, label="Record active time, pastes and focus",
        help_text="Only for people who consent.",
    )  # fmt: skip
    consent = forms.CharField(required=False, widget=forms.Textarea({"rows": 8}), label="Consent text")
    contact = forms.CharField(max_length=200, help_text="A name and an address that participants can write to.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["provider"].choices = [(name, PROVIDERS[name].label) for name in PROVIDERS]  # type: ignore[attr-defined]
        self.parts = provider_forms()
        for part in self.parts.values():
            self.fields.update(deepcopy(part.base_fields))
        self._offer_tasks()
        self.fields["quiz_pass"].help_text = "Leave empty for no quiz. " + self._quiz_sizes()
        samples, texts = self.fields["sample"], self.fields["instructions"]
        samples.queryset = Sample.objects.filter(size__gt=0)  # type: ignore[attr-defined]
        samples.label_from_instance = lambda sample: f"{sample} ({sample.contents})"  # type: ignore[attr-defined]
        texts.queryset = Instructions.objects.all()  # type: ignore[attr-defined]
        samples.widget.goes_with = {str(sample.pk): {"items": sample.item_kind} for sample in samples.queryset}  # type: ignore[attr-defined]
        texts.widget.goes_with = {str(text.pk): {"task": text.task_type} for text in texts.queryset}  # type: ignore[attr-defined]
        campaigns = [("", "Choose a campaign"), *Campaign.objects.order_by("name").values_list("pk", "name")]
        grants = [("", "Choose a grant"), *Grant.objects.order_by("name").values_list("pk", "name")]
        self.requirements = Requirements(
            self.data if self.is_bound else None,
            initial=requirement_rows(self.initial.get("qualifications", {})),
            form_kwargs={"campaigns": campaigns, "grants": grants},
            prefix="requirement",
        )

    @property
    def uses_more_checks(self) -> bool:
        """Tell whether a setting that is seldom needed is in use, or is wrong."""
        fields = ("trust_stop", "quiz_gold", "shows_reasons", "practice_must_be_right")
        return any(self[name].value() not in (None, "", "0", 0, False) for name in fields) or any(
            name in self.errors for name in (*fields, "trust_tests")
        )

    def _asked(self) -> str:
        """Return the name of the task that is chosen at first."""
        sent = self.data.get("task_type", "") if self.is_bound else ""
        with suppress(InvalidInput):
            chosen_task(sent or DEFAULT_TASK_TYPE)
            return str(sent or self.initial.get("task_type") or DEFAULT_TASK_TYPE)
        return DEFAULT_TASK_TYPE

    def _offer_tasks(self) -> None:
        """Offer what can be asked, and the consent text of the task that is chosen at first."""
        asked = self._asked()
        choices = dict(task_choices())
        if asked not in choices:  # an older version of a description
            choices[asked] = str(description_of(asked))
        self.fields["task_type"].choices = [*choices.items()]  # type: ignore[attr-defined]
        if len(choices) == 1:
            self.fields["task_type"].widget = forms.HiddenInput()
        else:
            types = {name: asked_type(name) for name in choices}
            self.fields["task_type"].widget.goes_with = {
                name: {"items": type_.item_kind, "task": type_.key} for name, type_ in types.items()
            }
        self.fields["consent"].initial = asked_type(asked).consent

    def providers(self) -> list[dict[str, Any]]:
        """Return each provider with its radio button and the fields of its settings."""
        fields_of = {name: [self[field] for field in part.base_fields] for name, part in self.parts.items()}
        return [
            {"radio": radio, "tells": PROVIDERS[name].tells, "fields": fields[:shown], "more": fields[shown:]}
            for name, radio in zip(PROVIDERS, self["provider"].subwidgets, strict=True)
            for fields, shown in [(fields_of.get(name, []), self.parts[name].shown if name in self.parts else 0)]
        ]

    def clean(self) -> dict[str, Any]:
        if part := self.parts.get(self.cleaned_data.get("provider", "")):
            for name, problem in part.missing(self.cleaned_data).items():
                if name not in self.errors:
                    self.add_error(name, problem)
        if not self.requirements.is_valid():
            raise ValidationError("Check the requirements.")
        self.cleaned_data["qualifications"] = self.wanted()
        self._take_from_type()
        return self.cleaned_data

    def _take_from_type(self) -> None:
        """Let the chosen task type bring what the form offered for another one and nobody changed."""
        values = self.cleaned_data
        chosen = asked_type(values.get("task_type") or DEFAULT_TASK_TYPE)
        offered = [asked_type(self._asked())]
        offered += [TASK_TYPES[name] for name in fixed_types()]
        words = (values.get("consent") or "").split()
        if any(words == type_.consent.split() for type_ in offered):
            values["consent"] = chosen.consent
        if "practice" in values and values["practice"] == self.fields["practice"].initial:
            values["practice"] = min(values["practice"], len(self._lessons(chosen).practice))

    def _lessons(self, type_: TaskType) -> Lessons:
        """Return the questions of a task type, or a campaign's own where the form was filled in from one with such."""
        stored = self.initial.get("lessons") if self._asked() == self.initial.get("task_type") else None
        return lessons_of(type_, stored)

    def _quiz_sizes(self) -> str:
        """Return how many questions the quiz has: the campaign's own, or that of a description or of each task type."""
        asked = self._asked()
        if asked not in fixed_types() or self.initial.get("lessons"):
            return f"There are {counted(len(self._lessons(asked_type(asked)).quiz), 'question')}."
        sizes = {name: counted(len(TASK_TYPES[name].quiz), "question") for name in fixed_types()}
        if len(sizes) == 1:
            return f"There are {next(iter(sizes.values()))}."
        return " ".join(f"{name.capitalize()} has {size}." for name, size in sizes.items())

    def wanted(self) -> dict[str, str]:
        """Return the requirements that are filled in rightly, as a campaign keeps them."""
        if not self.is_bound:
            return dict(self.initial.get("qualifications", {}))
        kept: dict[str, str] = {}
        for name, value in (row.name_and_value() for row in self.requirements if row.is_valid()):
            is_one_more = name in kept and VALUE_OF.get(name) in ("campaign", "grant")
            kept[name] = f"{kept[name]}, {value}" if is_one_more else value
        return {name: value for name, value in kept.items() if name}

    def provider_settings(self, before: Settings | None = None) -> dict[str, Any]:
        """Return what was filled in for the chosen provider; `before`: its settings that the form does not ask for."""
        part = self.parts.get(self.cleaned_data["provider"])
        return part.settings_of(self.cleaned_data, before or {}) if part else {}

    def plan(self) -> CampaignPlan:
        """Return what was filled in as the service takes it."""
        return _plan(self.cleaned_data, provider_settings=self.provider_settings())

    def priced(self) -> CampaignPlan | None:
        """Return what the cost depends on, as it is filled in now; None while some of it is missing or wrong."""
        try:
            plan = _plan({name: self.fields[name].clean(self[name].value()) for name in PRICED}, name="")
            check_amounts(plan)
        except (ValidationError, InvalidInput):
            return None
        return plan

    def field_of(self, path: str) -> str | None:
        """Return the field for what an error of the service names; None if the form does not ask for it."""
        part = self.parts.get(self.cleaned_data["provider"])
        names = FIELD_OF | ({f"provider_settings.{path}": name for path, name in part.field_of.items()} if part else {})
        name = names.get(path, path)
        return name if name in self.fields else None


def _plan(values: Mapping[str, Any], **others: Any) -> CampaignPlan:
    seconds = {f"{name}_s": round(values[f"{name}_minutes"] * 60) for name in TIMES if f"{name}_minutes" in values}
    same = {name: values[name] for name in CampaignPlan.__dataclass_fields__ if name in values}
    task_type, task_settings = chosen_task(values["task_type"] or DEFAULT_TASK_TYPE)
    read = {"currency": values["currency"].strip().upper(), "task_type": task_type, "task_settings": task_settings}
    return CampaignPlan(**same | read | seconds | others)


TIMES = ("estimated", "time_limit")  # asked in minutes, kept in seconds
FIELD_OF = {f"{name}_s": f"{name}_minutes" for name in TIMES}  # the service's names for them


def initial_of(campaign: Campaign) -> dict[str, Any]:
    """Return the form's contents that made this campaign."""
    same = {name: getattr(campaign, name) for name in CampaignForm.base_fields if hasattr(campaign, name)}
    same |= {"task_type": name_of_task(campaign), "lessons": campaign.lessons}
    for name, part in provider_forms().items():
        same |= part.initial_of(campaign.provider_settings if name == campaign.provider else {})
    return {
        **same,
        **{f"{name}_minutes": _minutes(getattr(campaign, f"{name}_s")) for name in TIMES},
        "qualifications": campaign.qualifications,
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
        for name in ("sample", "task_type", "seed"):
            self.fields[name].disabled = True
            self.fields[name].help_text = "The tasks were made with this. Duplicate the campaign to change it."

    def provider_settings(self, before: Settings | None = None) -> dict[str, Any]:
        is_same = self.cleaned_data["provider"] == self.campaign.provider
        return super().provider_settings(self.campaign.provider_settings if is_same else None)
