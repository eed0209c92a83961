"""Forms of the worker site and of the accounts page."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.validators import RegexValidator

from kernel.models import User
from marketplace import offers
from marketplace.countries import COUNTRIES

TWO_LETTERS = RegexValidator(r"^[A-Z]{2}$", "Two capital letters, for example DE.")
COUNTRY_CHOICES = [("", "Not stated"), *COUNTRIES.items()]
REASONS = {
    "asks": "It asks for personal data",
    "broken": "It does not work",
    "unfair": "It pays less than it says",
    "other": "Something else",
}


class AboutForm(forms.Form):
    """What a worker states about themselves; some HITs ask for it."""

    country = forms.ChoiceField(
        required=False,
        choices=COUNTRY_CHOICES,
        widget=forms.Select(attrs={"autocomplete": "country"}),
    )
    subdivision = forms.CharField(
        label="State or region", max_length=2, required=False, validators=[TWO_LETTERS], help_text="For example CA."
    )
    is_adult = forms.BooleanField(label="I am an adult and may be shown HITs with adult content", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        stored = self.initial.get("country", "")
        field = self.fields["country"]
        if stored and stored not in COUNTRIES and isinstance(field, forms.ChoiceField):
            field.choices = [*COUNTRY_CHOICES, (stored, stored)]  # two letters that were typed before there was a list


class SignUpForm(AboutForm):
    """A new person: a name and a password, and what they state about themselves."""

    username = forms.CharField(label="User name", max_length=150, validators=[User.username_validator])
    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 8 characters, not only digits, and not a common password.",
    )
    field_order = ["username", "password", "country", "subdivision", "is_adult"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password)
        return password


class ContactForm(forms.Form):
    subject = forms.CharField(max_length=200)
    text = forms.CharField(label="Message", max_length=4096, widget=forms.Textarea(attrs={"rows": 6}))


class ReportForm(forms.Form):
    reason = forms.ChoiceField(label="What is wrong?", choices=REASONS.items())
    text = forms.CharField(label="Details", max_length=2000, required=False, widget=forms.Textarea(attrs={"rows": 4}))


class BrowseForm(forms.Form):
    """The search of the browse page; unknown values are ignored."""

    q = forms.CharField(required=False, max_length=100)
    sort = forms.ChoiceField(required=False, choices=offers.SORTS.items())


class AccountForm(forms.Form):
    """A new requester account."""

    name = forms.CharField(max_length=120)
    is_sandbox = forms.BooleanField(
        label="Sandbox", required=False, help_text="For rehearsals: simulated workers only, with a clock you can move."
    )


class KeyForm(forms.Form):
    label = forms.CharField(max_length=80, required=False, help_text="Which program will use it.")


class DepositForm(forms.Form):
    amount = forms.DecimalField(label="Play money", min_value=1, max_value=1_000_000, decimal_places=2)


class DecisionForm(forms.Form):
    """What becomes of a request for a qualification: a value, or a reason to reject it."""

    action = forms.ChoiceField(choices=[("accept", "Grant"), ("reject", "Reject")])
    value = forms.IntegerField(min_value=-(2**31) + 1, max_value=2**31 - 1, initial=1, required=False)
    reason = forms.CharField(label="Reason, shown to the worker", max_length=4096, required=False)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("action") == "accept" and values.get("value") is None and "value" not in self.errors:
            self.add_error("value", "State a value, for example 1.")
        return values


class SandboxForm(forms.Form):
    """The clock and the faults of a sandbox account."""

    clock_offset_seconds = forms.IntegerField(label="Clock ahead by", min_value=0, max_value=10 * 365 * 24 * 3600)
    faults = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="A JSON list; see the README."
    )

    def clean_faults(self) -> list[dict[str, Any]]:
        try:
            value = json.loads(self.cleaned_data["faults"] or "[]")
        except ValueError:
            raise forms.ValidationError("This is not JSON.") from None
        if not isinstance(value, list) or not all(isinstance(fault, dict) for fault in value):
            raise forms.ValidationError("This must be a list of objects.")
        return value
