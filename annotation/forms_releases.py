"""The form of a new release."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Campaign
from annotation.releasing.recipe import CLEANINGS, MOST, Recipe, make_recipe


class ReleaseForm(forms.Form):
    """The recipe, then how the release is presented."""

    campaigns = forms.ModelMultipleChoiceField(
        Campaign.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label="Campaigns",
        error_messages={"required": "Choose at least one campaign."},
    )
    cleaning = forms.ChoiceField(
        choices=[(name, name) for name in CLEANINGS],
        initial="tesa",
        help_text="“paper” follows the published dataset's rules, faults included.",
    )
    least_assignments = forms.IntegerField(
        min_value=1,
        max_value=MOST,
        initial=5,
        label="Fewest tasks of a person",
        help_text="People who did fewer are left out.",
    )
    least_answered = forms.IntegerField(
        min_value=1,
        max_value=MOST,
        initial=2,
        label="Fewest answers of an instance",
        help_text="Instances that fewer people answered are left out.",
    )
    use_reviews = forms.BooleanField(required=False, initial=True, label="Reviewers' verdicts count")
    simulated = forms.BooleanField(required=False, label="Include the answers of simulated participants")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["campaigns"]
        assert isinstance(field, forms.ModelMultipleChoiceField)  # noqa: S101  (declared above)
        field.queryset = Campaign.objects.filter(task_type="aggregation").exclude(status="draft").order_by("name")

    def recipe(self) -> Recipe:
        given = self.cleaned_data
        return make_recipe(
            [campaign.name for campaign in given["campaigns"]],
            cleaning=given["cleaning"],
            least_assignments=given["least_assignments"],
            least_answered=given["least_answered"],
            use_reviews=given["use_reviews"],
            simulated=given["simulated"],
        )


class PresentationForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="A name that exists already gets its next version.")
    licence = forms.CharField(max_length=200, required=False, help_text="Of the annotations, for example CC-BY-4.0.")
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
