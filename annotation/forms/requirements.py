"""The lines of the campaign form that say who may take part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from annotation.qualifications import CHECKED, HIGHEST_NUMBER, qualifications, unchecked

MOST_REQUIREMENTS = 50
Choices = list[tuple[int | str, str]]
NAMED_REQUIREMENTS = ("first language", "country")  # requirements of these names have a line of their own in the list
PROPERTIES = {
    "": "Choose…", "min_answers": "Earlier answers", "took_part_in": "Took part in",
    "not_in": "Did not take part in", "grant": "Holds the grant",
    **{name: name.capitalize() for name in NAMED_REQUIREMENTS},
    "other": "Something else",
}  # fmt: skip
VALUE_OF = {
    "min_answers": "number",
    "took_part_in": "campaign",
    "not_in": "campaign",
    "grant": "grant",
}  # all others: "text"


class RequirementForm(forms.Form):
    """One requirement: a property, and its value in the field that goes with the property."""

    property = forms.ChoiceField(required=False, choices=[*PROPERTIES.items()], label="Requirement")
    name = forms.CharField(required=False, max_length=100, label="Name of the requirement")
    number = forms.IntegerField(required=False, min_value=1, max_value=HIGHEST_NUMBER, label="Value")
    campaign = forms.ChoiceField(required=False)
    grant = forms.ChoiceField(required=False)
    text = forms.CharField(required=False, max_length=500, label="Value")

    def __init__(self, *args: Any, campaigns: Choices, grants: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["campaign"].choices = campaigns  # type: ignore[attr-defined]
        self.fields["grant"].choices = grants  # type: ignore[attr-defined]
        for name, field in self.fields.items():
            field.widget.attrs["aria-label"] = field.label or name.capitalize()

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data.get("property", "")
        for name in ["name"] * (chosen == "other") + [VALUE_OF.get(chosen, "text")] * bool(chosen):
            if not self.cleaned_data.get(name) and name not in self.errors:
                self.add_error(name, "Fill this in, or remove the requirement.")
        return self.cleaned_data

    def name_and_value(self) -> tuple[str, str]:
        """Return name and value as a campaign keeps them; no name where the line is empty."""
        values, chosen = self.cleaned_data, self.cleaned_data.get("property", "")
        return values["name"] if chosen == "other" else chosen, str(values.get(VALUE_OF.get(chosen, "text"), ""))


Requirements = forms.formset_factory(RequirementForm, max_num=MOST_REQUIREMENTS, absolute_max=MOST_REQUIREMENTS)


def requirement_rows(requirements: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a campaign's qualifications as lines of the form."""
    asked = qualifications(requirements)
    rows: list[dict[str, Any]] = [{"property": "min_answers", "number": asked.min_answers}] * bool(asked.min_answers)
    rows += [{"property": name, VALUE_OF[name]: pk} for name in CHECKED[1:] for pk in getattr(asked, name)]
    for name, value in unchecked(requirements).items():
        rows.append({"property": name if name in NAMED_REQUIREMENTS else "other", "name": name, "text": value})
    return rows
