"""The form of a new release."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Campaign
from annotation.releasing.recipe import MOST, Recipe
from annotation.selectors.release_answers import recipe_for
from annotation.task_types import TASK_TYPES
from tesa_site.kernel.errors import TesaError


class ReleaseForm(forms.Form):
    """The recipe, then how the release is presented."""

    campaigns = forms.ModelMultipleChoiceField(
        Campaign.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label="Campaigns",
        error_messages={"required": "Choose at least one campaign."},
    )
    cleaning = forms.ChoiceField()
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
        field.queryset = Campaign.objects.exclude(status="draft").order_by("name")
        types = [TASK_TYPES[name] for name in TASK_TYPES]
        self.fields["cleaning"] = forms.ChoiceField(
            choices=[(name, name) for name in dict.fromkeys(name for type_ in types for name in type_.cleanings)],
            initial=types[0].cleaning.name,
            help_text=" ".join(type_.release.words.cleanings for type_ in types),
        )

    def clean(self) -> dict[str, Any]:
        """Refuse campaigns of two task types, and a cleaning of another type than theirs."""
        if not self.errors:
            try:
                self.recipe()
            except TesaError as error:
                self.add_error(None, error.message)
        return self.cleaned_data

    def recipe(self) -> Recipe:
        options = {name: value for name, value in self.cleaned_data.items() if name != "campaigns"}
        return recipe_for([campaign.name for campaign in self.cleaned_data["campaigns"]], **options)


class PresentationForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="A name that exists already gets its next version.")
    licence = forms.CharField(max_length=200, required=False, help_text="Of the annotations, for example CC-BY-4.0.")
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
