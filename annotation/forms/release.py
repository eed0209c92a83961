"""The form of a release: its recipe, then how it is presented."""

from __future__ import annotations

from typing import Any

from django import forms
from django.template.defaultfilters import capfirst

from annotation.forms.numbers import OptionalNumber
from annotation.models import Campaign
from annotation.quality.trust import LEAST_TESTS
from annotation.releasing.asked_rules import sent_rules
from annotation.releasing.recipe import HIGHEST_THRESHOLD, Recipe
from annotation.releasing.votes import condition_in
from annotation.selectors.descriptions import (
    types_in_use,
)
from annotation.selectors.follow_up_votes import check_votes
from annotation.selectors.follow_ups import follow_up_choices
from annotation.selectors.release_answers import recipe_for
from annotation.task_types import type_of
from corpus.items import common_words
from kernel.errors import InvalidInput, TesaError

VOTES_HELP = "They stand beside the pieces that people judged."
KEEP_HELP = "Such as is_true=yes,2: at least two votes for yes. Put a semicolon between several. Empty: all stay."
LEFT_OUT = "{} with fewer are left out. An answer that says that nothing fits does not count here."


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
        max_value=HIGHEST_THRESHOLD,
        initial=5,
        label="Minimum tasks per person",
        help_text="People who did fewer are left out.",
    )
    least_trust = OptionalNumber(
        min_value=0,
        max_value=100,
        label="Minimum trust",
        help_text="People whose check tasks scored less are left out. Empty: nobody.",
    )
    least_tests = OptionalNumber(
        empty=LEAST_TESTS,
        min_value=1,
        max_value=HIGHEST_THRESHOLD,
        initial=LEAST_TESTS,
        label="Check tasks before that",
        help_text="Of one person, in all these campaigns. People with fewer stay.",
    )
    least_answered = forms.IntegerField(
        min_value=1,
        max_value=HIGHEST_THRESHOLD,
        initial=2,
    )
    use_reviews = forms.BooleanField(required=False, initial=True, label="Reviewers' verdicts count")
    simulated = forms.BooleanField(required=False, label="Include the answers of simulated participants")
    votes = forms.ChoiceField(required=False, label="Votes of a follow-up", help_text=VOTES_HELP)
    keep = forms.CharField(required=False, max_length=500, label="Keep only pieces with", help_text=KEEP_HELP)
    consensus = forms.CharField(required=False)  # its rules are fields of their own: see releasing/asked_rules.py

    rule_problem: InvalidInput | None = None  # with a rule that was sent

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["campaigns"]
        assert isinstance(field, forms.ModelMultipleChoiceField)  # noqa: S101  (declared above)
        field.queryset = Campaign.objects.exclude(status="draft").order_by("name")
        voting = follow_up_choices()
        self.fields["votes"] = forms.ChoiceField(
            required=False, choices=[("", "None"), *voting], label="Votes of a follow-up", help_text=VOTES_HELP
        )
        if not voting:
            del self.fields["votes"], self.fields["keep"]
        types = types_in_use()
        item, items = common_words(type_.item_kind for type_ in types)
        self.fields["least_answered"].label = f"Minimum answers per {item}"
        self.fields["least_answered"].help_text = LEFT_OUT.format(capfirst(items))
        names = [(name, name) for name in dict.fromkeys(name for type_ in types for name in type_.cleanings)]
        self.fields["cleaning"] = forms.ChoiceField(
            required=len(types) == 1,
            choices=names if len(types) == 1 else [("", "The standard one of the task"), *names],
            initial=types[0].cleaning.name if len(types) == 1 else "",
            help_text=" ".join(type_.release.words.cleanings for type_ in types),
        )

    def clean(self) -> dict[str, Any]:
        """Refuse campaigns of two task types, and a cleaning of another type than theirs."""
        if not self.errors:
            try:
                self.recipe()
            except TesaError as error:
                if isinstance(error, InvalidInput) and error.field.startswith("consensus."):
                    self.rule_problem = error
                field = "consensus" if self.rule_problem else None
                self.add_error(field, error.message)
        return self.cleaned_data

    @property
    def sent(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.data.items()}

    def recipe(self) -> Recipe:
        campaigns = self.cleaned_data["campaigns"]
        rules = sent_rules(type_of(campaigns[0]).consensus_rules, self.sent)
        own = ("campaigns", "consensus", "votes", "keep")
        options = {name: value for name, value in self.cleaned_data.items() if name not in own}
        names, votes = [campaign.name for campaign in campaigns], self._votes()
        recipe = recipe_for(names, consensus=rules, votes=votes, **options)
        if recipe.votes:
            check_votes(campaigns, recipe.votes)
        return recipe

    def _votes(self) -> dict[str, Any] | None:
        keep = [text for text in self.cleaned_data.get("keep", "").split(";") if text.strip()]
        conditions = [condition_in(text).to_json() for text in keep]
        campaign = self.cleaned_data.get("votes", "")
        if conditions and not campaign:
            raise InvalidInput("choose the follow-up whose votes count", field="votes")
        return {"campaign": campaign, "keep": conditions} if campaign else None


def starting_values() -> dict[str, Any]:
    """Return what the form of a recipe says before anybody has changed it, for a query."""
    fields = ReleaseForm().fields
    names = ("cleaning", "least_assignments", "least_answered")
    return {**{name: fields[name].initial for name in names}, "use_reviews": "on"}


class PresentationForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="A name that exists already gets its next version.")
    licence = forms.CharField(max_length=200, required=False, help_text="Of the annotations, for example CC-BY-4.0.")
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
