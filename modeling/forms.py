"""The forms of the Train page and of the page to try a run."""

from __future__ import annotations

from typing import Any

from django import forms

from corpus.articles import EntityType
from kernel.errors import InvalidInput
from modeling.candidates import CandidateOptions
from modeling.grids import SEEDS_ARE, SHARES, Entry, Grid, check_grid, merge_entries, parse_entries, with_neural
from modeling.models import Split
from modeling.presets import Preset
from modeling.rankers import RANKERS
from modeling.rankers.neural.settings import FAIRSEQ, TRANSFORMERS
from modeling.selectors.resources import vector_choices
from modeling.services.splits import MOST_SEED
from modeling.splits import RULES
from modeling.trials import Question, question_of

NEW = "new"
OTHER_SPLIT = "This split belongs to another release: choose another split, or a new one."
RULE_LABELS = {
    "paper": "paper: by instance, 2:1:1, as published",
    "grouped": "grouped: no overlap group, tuple or article in two parts",
    "unseen": "unseen: no test entity is in train or valid",
}
MOST_FOLDS = 20


def _offer(form: forms.Form, name: str, choices: list[tuple[str, str]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)  # noqa: S101  (for the type checker)
    field.choices = choices


class TrainForm(forms.Form):
    """Every field has a sensible default: the name is enough."""

    name = forms.CharField(max_length=100, label="Name of the experiment")
    split = forms.ChoiceField(label="Split", required=False)
    rule = forms.ChoiceField(choices=[(rule, RULE_LABELS[rule]) for rule in RULES], label="Rule", required=False)
    split_seed = forms.IntegerField(
        label="Seed of the split", required=False, max_value=MOST_SEED, min_value=-MOST_SEED
    )
    folds = forms.IntegerField(label="Folds (optional)", required=False, min_value=2, max_value=MOST_FOLDS)
    size = forms.IntegerField(label="Candidates per instance", required=False, min_value=2, max_value=1000)
    hard = forms.IntegerField(label="Hard candidates", required=False, min_value=0, max_value=1000)
    candidate_seed = forms.IntegerField(
        label="Seed of the candidates", required=False, max_value=MOST_SEED, min_value=-MOST_SEED
    )
    train_vocabulary = forms.BooleanField(
        label="Draw distractors from answers of the training part only", required=False
    )
    spare_same_tuple = forms.BooleanField(label="Never draw an answer for the same entities", required=False)
    vectors = forms.ChoiceField(label="Word vectors", required=False)
    rankers = forms.MultipleChoiceField(
        choices=[(name, name) for name in RANKERS], label="Methods", required=False, widget=forms.CheckboxSelectMultiple
    )
    checkpoint = forms.ChoiceField(
        label="Neural models start from",
        required=False,
        help_text="tiny and random-… have random weights.",
    )
    backend = forms.ChoiceField(
        label="Backend of neural models",
        required=False,
        choices=[("", TRANSFORMERS), (FAIRSEQ, FAIRSEQ)],
        help_text="The library that trains and scores. The paper used fairseq.",
    )
    grid = forms.CharField(
        label="Parameters to try",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "logistic-tesa penalty=0.1,1,10"}),
        help_text="One method per line, with the values to try. Validation chooses among them.",
    )
    seeds = forms.CharField(  # without a maximum: a browser would silently cut a longer text
        label="Seeds",
        required=False,
        help_text="Stochastic methods run once per seed; the best validation figure decides. At most 20.",
    )
    size_curve = forms.BooleanField(
        label="Also train on 10 to 90% of the training part (dataset-size curve)", required=False
    )

    def __init__(self, *args: Any, splits: list[Split], checkpoints: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.splits = {str(split.pk): split for split in splits}
        known = [(key, str(split)) for key, split in self.splits.items()]
        _offer(self, "split", [(NEW, "a new one"), *known])
        self.fields["split"].error_messages["invalid_choice"] = OTHER_SPLIT
        _offer(self, "checkpoint", [("", "each method's own default"), *((name, name) for name in checkpoints)])
        _offer(self, "vectors", [("", "none: features that need them are left out"), *vector_choices()])

    @staticmethod
    def defaults(usable: list[str]) -> dict[str, Any]:
        return {
            "split": NEW,
            "rule": "paper",
            "split_seed": 1,
            "size": CandidateOptions().size,
            "hard": 0,
            "candidate_seed": 1,
            "seeds": "1 2 3",
            "rankers": usable,
        }

    def clean_folds(self) -> int | None:
        folds: int | None = self.cleaned_data["folds"]
        if folds and self.cleaned_data.get("split", NEW) not in ("", NEW):
            raise forms.ValidationError("Folds are made of a new split: choose “a new one”, or leave this empty.")
        return folds

    def clean_seeds(self) -> tuple[int, ...]:
        words = self.cleaned_data["seeds"].replace(",", " ").split()
        try:
            seeds = tuple(int(word) for word in words)
            return check_grid(Grid((), seeds)).seeds
        except ValueError:
            raise forms.ValidationError(f"{SEEDS_ARE}, with blanks between them.".capitalize()) from None
        except InvalidInput as error:
            raise forms.ValidationError(f"{error.problem}.".capitalize()) from error

    def clean_grid(self) -> tuple[Entry, ...]:
        try:
            return parse_entries(self.cleaned_data["grid"].splitlines())
        except InvalidInput as error:
            raise forms.ValidationError(f"{error.problem}.") from error

    @property
    def options(self) -> CandidateOptions:
        cleaned, default = self.cleaned_data, CandidateOptions()
        return CandidateOptions(
            size=cleaned["size"] or default.size,
            train_vocabulary=cleaned["train_vocabulary"],
            spare_same_tuple=cleaned["spare_same_tuple"],
            hard=cleaned["hard"] or 0,
        )

    def chosen_grid(self, everything: tuple[Entry, ...] | None) -> Grid:
        """Return the grid; `everything`, if given, replaces the ticked rankers."""
        cleaned = self.cleaned_data
        ticked = everything if everything is not None else tuple(Entry(name) for name in cleaned["rankers"])
        shares = SHARES if cleaned["size_curve"] else (100,)
        entries = merge_entries([*ticked, *cleaned["grid"]])
        return Grid(self._neural(entries), cleaned["seeds"], shares)

    def preset_grid(self, preset: Preset) -> Grid:
        """Return the grid of a preset, from the chosen checkpoint with the chosen backend."""
        return Grid(self._neural(preset.entries), preset.seeds)

    def _neural(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return with_neural(entries, checkpoint=self.cleaned_data["checkpoint"], backend=self.cleaned_data["backend"])


class TrialForm(forms.Form):
    """What a trained run is tried on."""

    entity_type = forms.ChoiceField(
        label="Type of the entities", choices=[(type_.value, type_.value.capitalize()) for type_ in EntityType]
    )
    entities = forms.CharField(
        label="Entities", widget=forms.Textarea(attrs={"rows": 3}), help_text="One name per line, 2 to 6."
    )
    backgrounds = forms.CharField(
        label="Backgrounds (optional)",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One per line, in the order of the entities; an empty line if there is none.",
    )
    title = forms.CharField(label="Title (optional)", required=False, max_length=500)
    text = forms.CharField(label="Text", widget=forms.Textarea(attrs={"rows": 5}))
    candidates = forms.CharField(
        label="Phrases to rank (optional)",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One per line. Leave empty for the most frequent accepted answers.",
    )
    question: Question

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.question = question_of(**cleaned)
            except InvalidInput as error:
                self.add_error(error.field or None, error.message)
        return cleaned
