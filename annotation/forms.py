"""What a researcher fills in."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Campaign, Instructions
from annotation.providers.base import Outcome
from annotation.providers.panel_settings import PRESETS
from annotation.qualifications import CHECKED
from annotation.services.campaigns import CONSENT, LARGEST_SEED, Plan
from corpus.models import Sample

PROVIDER_LABELS = {
    "local": "Our annotators, and people with our link",
    "panel": "A panel that sends people to an address (Prolific, Connect, SONA and others)",
}
PANEL_LABELS = {name: preset.site for name, preset in PRESETS.items() if name != "other"} | {"other": "Another one"}
OUTCOMES = (Outcome.COMPLETED, Outcome.SCREENED_OUT, Outcome.LEFT_EARLY, Outcome.FAILED)
PANEL_CODES = {f"code_{outcome.value}": outcome.value for outcome in OUTCOMES}
PANEL_TEXTS = {"panel_worker": "worker", "panel_redirect": "redirect"}
SECTIONS = (
    ("What is asked", ("name", "sample", "instructions", "is_pilot", "seed")),
    ("Of whom", ("provider", "redundancy", "per_person", "qualifications")),
    ("The panel that sends the people", ("panel", *PANEL_CODES, *PANEL_TEXTS)),
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
    panel = forms.ChoiceField(choices=[*PANEL_LABELS.items()], required=False)
    code_completed = forms.CharField(required=False, max_length=100, label="Code for completed work")
    code_screened_out = forms.CharField(
        required=False, max_length=100, label="Code for who fails the quiz", help_text="Empty: they get none."
    )
    code_left_early = forms.CharField(
        required=False, max_length=100, label="Code for who stops early",
        help_text="Empty: the one for who fails the quiz.",
    )  # fmt: skip
    code_failed = forms.CharField(
        required=False, max_length=100, label="Code for who is excluded",
        help_text="Empty: the one for completed work. Exclusion is not rejection.",
    )  # fmt: skip
    panel_worker = forms.CharField(
        required=False, max_length=60, label="Parameter with the person's id",
        help_text="Only for another panel: how its addresses call it, as in “id” where they end in ?id=…",
    )  # fmt: skip
    panel_redirect = forms.CharField(
        required=False, max_length=500, label="Address of the way back",
        help_text="https, with {code} where the code goes. Empty: the panel's own, or people copy the code.",
    )  # fmt: skip
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
    quiz_pass = forms.IntegerField(
        initial=0, label="Right answers needed in the quiz", help_text="0: no quiz. There are five questions."
    )
    gold_every = forms.IntegerField(
        initial=0, label="One hidden gold in so many tasks",
        help_text="0: none. Choose the gold tasks before you start: they are taken out of those that are answered as "
        "data, and paid like any other.",
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

    def provider_settings(self) -> dict[str, Any]:
        """Return the panel's part as the provider takes it; nothing for people of our own."""
        given = self.cleaned_data
        if given["provider"] != "panel":
            return {}
        codes = {outcome: given[name].strip() for name, outcome in PANEL_CODES.items() if given[name].strip()}
        texts = {setting: given[name].strip() for name, setting in PANEL_TEXTS.items() if given[name].strip()}
        return {"preset": given["panel"] or "other", "codes": codes, **texts}

    def plan(self) -> Plan:
        """Return what was filled in as the service takes it."""
        given = self.cleaned_data
        names = [name for name in Plan.__dataclass_fields__ if name in given]
        seconds = {
            "estimated_s": round(given["estimated_minutes"] * 60),
            "time_limit_s": round(given["time_limit_minutes"] * 60),
        }
        return Plan(**{name: given[name] for name in names}, **seconds, provider_settings=self.provider_settings())


# The service's names for what the form asks in other units.
FIELD_OF = {
    "estimated_s": "estimated_minutes",
    "time_limit_s": "time_limit_minutes",
    **{f"provider_settings.{setting}": name for name, setting in PANEL_TEXTS.items()},
    **{f"provider_settings.codes.{outcome}": name for name, outcome in PANEL_CODES.items()},
    **{f"qualifications.{name}": "qualifications" for name in CHECKED},
}


def initial_of(campaign: Campaign) -> dict[str, Any]:
    """Return the form's contents that made this campaign."""
    same = {name: getattr(campaign, name) for name in CampaignForm.base_fields if hasattr(campaign, name)}
    return {
        **same,
        "estimated_minutes": _minutes(campaign.estimated_s),
        "time_limit_minutes": _minutes(campaign.time_limit_s),
        "qualifications": "\n".join(f"{name} = {value}" for name, value in campaign.qualifications.items()),
        "panel": campaign.provider_settings.get("preset", "other"),
        **{name: campaign.provider_settings.get(setting, "") for name, setting in PANEL_TEXTS.items()},
        **{name: campaign.provider_settings.get("codes", {}).get(one, "") for name, one in PANEL_CODES.items()},
    }


def initial_from(campaign: Campaign) -> dict[str, Any]:
    """Return the form's contents for another campaign like this one."""
    name = f"{campaign.name} – main" if campaign.is_pilot else f"{campaign.name} – again"
    return {**initial_of(campaign), "name": name, "is_pilot": False}


def _minutes(seconds: int) -> str:
    """Return them as the form takes them: two places are enough to get every second back."""
    return f"{round(Decimal(seconds) / 60, 2).normalize():f}"


class EditCampaignForm(CampaignForm):
    """The same form for a draft: what its tasks were made from is shown and stays."""

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, initial=initial_of(campaign), **kwargs)
        self.campaign = campaign
        for name in ("sample", "seed"):
            self.fields[name].disabled = True
            self.fields[name].help_text = "Its tasks were made with this: make another campaign to change it."

    def provider_settings(self) -> dict[str, Any]:
        """Return the panel's part; what the form does not ask for stays as it was."""
        given, was = super().provider_settings(), self.campaign.provider_settings
        if not given or given["preset"] != was.get("preset", "other"):
            return given
        asked = {"preset", "codes", *PANEL_TEXTS.values()}
        codes = {name: code for name, code in was.get("codes", {}).items() if name not in PANEL_CODES.values()}
        kept = {name: value for name, value in was.items() if name not in asked}
        return {**kept, **given, "codes": {**codes, **given["codes"]}}


class InstructionsForm(forms.Form):
    name = forms.CharField(
        max_length=100, help_text="The same name: its next version. Another name: a text of its own."
    )
    summary = forms.CharField(widget=forms.Textarea({"rows": 10}))
    details = forms.CharField(widget=forms.Textarea({"rows": 18}))
    examples = forms.CharField(widget=forms.Textarea({"rows": 14}))
