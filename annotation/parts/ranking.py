"""Rankings: places for several targets, the best and the worst of them, or the better of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, ClassVar

from annotation.parts.base import NO_TEXTS, AnswerPiece, Part, PartOptions, Prompt, says_the_usual, usual
from annotation.parts.placing import groups, joined, mean_points, ordinal, outcome, standard, strengths
from annotation.parts.ranking_options import BEST_WORST, ORDER, PAIR, TIE, RankingOptions
from annotation.parts.targets import Seen, columns_of, drawn, seen
from annotation.parts.words import shortened
from annotation.quality.paired import Places, order_closeness
from annotation.quality.series import Labels, Scale, SeriesOf
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import EMPTY, FieldRemark, JsonObject
from annotation.task_types.consensus_rules import NO_ESTIMATES, ChosenRule, Estimate, RuleOffer
from kernel.fields import DECIMAL, NUMBER, Field
from kernel.values import Json, rounded, whole_number

MOST_IN_A_NAME = 40  # characters of a text that stands for its target in a sentence
MOST_FOR_REVIEWERS = 400  # they judge it
BETWEEN = "in between"
BY_STRENGTH = RuleOffer(
    "bradley_terry", "Order by strength (Bradley-Terry)", "the order of the strengths by Bradley and Terry's model"
)
RULES = (RuleOffer("borda", "Order by mean points (Borda)", "the order of the mean points (Borda)"), BY_STRENGTH)
NUMBER_OF_VOTES = Field("votes", "how many rankings this is made of", NUMBER)


@dataclass(frozen=True)
class RankingRow:
    """A target in the form."""

    id: str
    name: str  # in sentences
    label: str
    column: str
    text: str
    field: str
    place: str


@dataclass(frozen=True)
class RankingEnd:
    """The first or the last place in the form."""

    id: str
    words: str
    field: str
    chosen: str


class RankingPart(Part):
    kind: ClassVar[str] = "ranking"
    options_model: ClassVar[type[PartOptions]] = RankingOptions
    scripts: ClassVar[Sequence[str]] = ("annotation/parts/ranking.js",)
    styles: ClassVar[Sequence[str]] = ("annotation/parts/ranking.css",)

    # ---- What is asked

    def columns(self, options: RankingOptions) -> Sequence[str]:
        return columns_of(options.targets)

    def shown(self, options: RankingOptions, rng: Random) -> Sequence[str]:
        return drawn(options.targets, rng) if options.shuffle else ()

    # ---- The form

    def is_empty(self, asked: Prompt, form: Mapping[str, str]) -> bool:
        """Tell whether nothing was answered. Where there are no two targets, there is nothing to answer."""
        return len(_ids(asked)) > 1 and not any(form.get(field, "").strip() for field in _fields(asked))

    def missing(self, asked: Prompt) -> FieldRemark:
        options = asked.options
        if options.way == BEST_WORST:
            return asked.refuse(EMPTY, f"Please choose one for “{options.best}” and one for “{options.worst}”.", "best")
        if options.way == PAIR:
            tie = f", or “{options.tie}”" if options.ties else ""
            return asked.refuse(EMPTY, f"Please choose one of the two{tie}.")
        present = _present(asked)
        return asked.refuse(EMPTY, "Please give each of them a place.", present[0].id if present else "")

    def remarks(self, asked: Prompt, form: Mapping[str, str]) -> list[FieldRemark]:
        present = _present(asked)
        if len(present) < 2:
            return []
        if asked.options.way == ORDER:
            return _remarks_on_places(asked, form, present)
        if asked.options.way == BEST_WORST:
            return _remarks_on_ends(asked, form, present)
        choices = [target.id for target in present] + [TIE] * asked.options.ties
        if form.get(asked.field(), "") in choices:
            return []
        return [asked.refuse("unknown", "Please choose one of those that are shown.")]

    def read(self, asked: Prompt, form: Mapping[str, str]) -> Json:
        names = _ids(asked)
        if len(names) < 2:
            return {**standard(dict.fromkeys(names, 0))}
        if asked.options.way == ORDER:
            return {**standard({name: whole_number(form[asked.field(name)].strip()) or 0 for name in names})}
        if asked.options.way == BEST_WORST:
            best, worst = (form.get(asked.field(end), "") for end in ("best", "worst"))
            return {**standard({name: (name == worst) - (name == best) for name in names})}
        chosen = form.get(asked.field(), "")
        return {**standard({name: int(chosen not in (name, TIE)) for name in names})}

    def write(self, asked: Prompt, value: Any) -> dict[str, str]:
        if len(value) < 2:
            return {}
        ordered = sorted(value, key=lambda name: value[name])
        if asked.options.way == ORDER:
            return {asked.field(name): str(place) for name, place in value.items()}
        if asked.options.way == BEST_WORST:
            return {asked.field("best"): ordered[0], asked.field("worst"): ordered[-1]}
        return {asked.field(): TIE if value[ordered[0]] == value[ordered[-1]] else ordered[0]}

    def inputs(self, asked: Prompt, form: Mapping[str, str]) -> Mapping[str, Any]:
        options, present = asked.options, _present(asked)
        columns = {target.id: target.text for target in options.targets}
        fields = {own.id: asked.field(own.id) for own in present}
        rows = [
            RankingRow(
                id=own.id,
                name=_name(own),
                label=own.label,
                column=columns[own.id],
                text=own.text,
                field=fields[own.id],
                place=form.get(fields[own.id], "").strip(),
            )
            for own in present
        ]
        ends = {"best": options.best, "worst": options.worst}
        return {
            "way": options.way,
            "rows": rows,
            "places": [str(place) for place in range(1, len(rows) + 1)],
            "ties": options.ties,
            "tie": options.tie,
            "chosen": form.get(asked.field(), ""),
            "ends": [
                RankingEnd(end, words, asked.field(end), form.get(asked.field(end), "")) for end, words in ends.items()
            ],
        }

    # ---- Showing and comparing

    def line(self, asked: Prompt, value: Any) -> str:
        names = _names(asked, value)
        if asked.options.way == BEST_WORST and len(value) > 1:
            best, worst = _ends(value)
            return f"{asked.options.best}: {names[best]} · {asked.options.worst}: {names[worst]}"
        ordered = [joined([names[name] for name in group]) for group in groups(value)]
        if asked.options.way == PAIR and len(value) > 1:
            return ordered[0] if len(ordered) > 1 else asked.options.tie
        return ", then ".join(ordered) or "—"

    def pieces(self, asked: Prompt, value: Any, others: Sequence[Any]) -> list[AnswerPiece]:
        options, names = asked.options, _names(asked, value, MOST_FOR_REVIEWERS)

        def share(name: str) -> float | None:
            return sum(own.get(name) == value[name] for own in others) / len(others) if others else None

        if options.way == PAIR and len(value) > 1:
            first, *also = groups(value)[0]
            share_of_all = sum(own == value for own in others) / len(others) if others else None
            return [AnswerPiece("", options.tie if also else names[first], share_of_all)]
        ends = dict(zip(_ends(value), (options.best, options.worst), strict=True)) if len(value) > 1 else {}
        in_words = {
            name: ends.get(name, BETWEEN) if options.way == BEST_WORST and ends else ordinal(place)
            for name, place in value.items()
        }
        ordered = [name for group in groups(value) for name in group]
        return [AnswerPiece(names[name], in_words[name], share(name)) for name in ordered]

    def series(self, name: str, options: RankingOptions) -> Sequence[SeriesOf]:
        return (SeriesOf(name, "pair", Scale.NOMINAL, has_units=options.way != PAIR),)

    def labels(self, name: str, options: RankingOptions, value: Any) -> Mapping[str, Labels]:
        """Return whether the first or the second of each two targets is better, in the order of the description.

        Nobody compared the two of a tie in between best and worst.
        """
        present = [target.id for target in options.targets if target.id in value]
        labels = {
            f"{left}/{right}": outcome(value[left], value[right], TIE) for left, right in combinations(present, 2)
        }
        return {name: {unit: label for unit, label in labels.items() if options.way != BEST_WORST or label != TIE}}

    def closeness(self, options: RankingOptions, left: Any, right: Any) -> float:
        return order_closeness(left, right, with_shared_ties=options.way != BEST_WORST)

    def feedback(self, asked: Prompt, value: Any, known: Any) -> str:
        options, names = asked.options, _names(asked, known)
        ordered = groups(known)
        if len(ordered) < 2:
            return "We see no difference between them."
        if options.way == PAIR:
            return f"We would have chosen {names[ordered[0][0]]}."
        if options.way == BEST_WORST:
            best, worst = (names[name] for name in _ends(known))
            return f"We would have chosen {best} as “{options.best}” and {worst} as “{options.worst}”."
        return f"We would have put {', then '.join(joined([names[name] for name in group]) for group in ordered)}."

    def known(self, options: RankingOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> Any:
        """Take the id of the better one, ids from the best to the worst, or the ids of the best and of the worst."""
        ranks = _known_ranks(options, value)
        names = [target.id for target in options.targets]
        if ranks is None or not ranks.keys() <= {*names}:
            return value
        return standard({name: ranks[name] for name in names if name in ranks})

    def merits(self, options: RankingOptions, value: Any) -> Mapping[str, float]:
        return {name: -place for name, place in value.items()}

    # ---- Files

    def answer_type(self, name: str, about: str, options: RankingOptions) -> Field:
        return Field(name, about, fields=_of_each(options, "place of", NUMBER))

    def rules(self, options: RankingOptions) -> Sequence[RuleOffer]:
        return RULES

    def consensus(
        self,
        options: RankingOptions,
        values: Sequence[Any],
        rule: ChosenRule | None = None,
        estimates: Mapping[str, Estimate] = NO_ESTIMATES,
    ) -> Json:
        """Return mean Borda points, Bradley-Terry strengths, and the places that the one or the other give."""
        if rule and len(values) < rule.least_answers:
            return None
        names = [target.id for target in options.targets if any(target.id in value for value in values)]
        points = mean_points(names, values)
        strength = strengths(names, values, with_ties=options.way != BEST_WORST)
        merits = strength if rule and rule.name == BY_STRENGTH.name else points
        places = standard({name: -merit for name, merit in merits.items()})
        named: JsonObject = {"rule": rule.name} if rule else {}
        return {"places": {**places}, "points": {**points}, "strength": {**strength}, "votes": len(values), **named}

    def consensus_type(self, name: str, about: str, options: RankingOptions, rule: ChosenRule | None = None) -> Field:
        merit = "strength" if rule and rule.name == BY_STRENGTH.name else "points"
        points = "mean number of targets below it, a tie counting half,"
        strength = "its strength: A is put before B with probability A / (A + B)"
        fields = (
            Field("places", f"places by the {merit}", fields=_of_each(options, "place of", NUMBER)),
            Field("points", f"{points} by target", fields=_of_each(options, f"{points} of", DECIMAL)),
            Field("strength", f"{strength}, by target", fields=_of_each(options, f"{strength};", DECIMAL)),
            NUMBER_OF_VOTES,
            *self.rule_fields(options, rule),
        )
        return Field(name, about, fields=fields)

    def consensus_line(self, options: RankingOptions, agreed: Any, texts: Mapping[str, str] = NO_TEXTS) -> str:
        words = {target.id: target.label or target.id for target in options.targets}
        merit, digits = ("strength", 2) if agreed.get("rule") == BY_STRENGTH.name else ("points", 1)
        scored = {name: f"{words[name]} ({rounded(own, digits)})" for name, own in agreed[merit].items()}
        return " > ".join(" = ".join(scored[name] for name in group) for group in groups(agreed["places"])) or "—"

    def cells(self, name: str, options: RankingOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> JsonObject:
        return {f"{name}.{target.id}": (value or {}).get(target.id) for target in options.targets}

    # ---- Invented people

    def invent(self, asked: Prompt, person: InventedPerson, rng: Random) -> Json:
        options, names = asked.options, _ids(asked)
        if len(names) < 2:
            return {**standard(dict.fromkeys(names, 0))}
        order = [target.id for target in _present(asked)]
        if says_the_usual(person, rng):
            order = [*names]
            Random(usual(asked, 2**32)).shuffle(order)  # noqa: S311  (must be repeatable)
        elif rng.random() < 0.5:
            order = rng.sample(names, len(names))
        ranks = {name: position for position, name in enumerate(order)}
        if options.way == BEST_WORST:
            ranks = {name: (name == order[-1]) - (name == order[0]) for name in order}
        elif options.ties and rng.random() < 0.2:
            at = rng.randrange(1, len(order))
            ranks[order[at]] = ranks[order[at - 1]]
        return {**standard({name: ranks[name] for name in names})}


def _known_ranks(options: RankingOptions, value: Any) -> dict[str, int] | None:
    """Return the ranks that the short form of a known answer gives; None if it is no short form."""
    names = [target.id for target in options.targets]
    if options.way == PAIR and isinstance(value, str):
        is_choice = value in names or (options.ties and value == TIE)
        return {name: int(value not in (name, TIE)) for name in names} if is_choice else None
    if options.way == ORDER and isinstance(value, list):
        shared = [own if isinstance(own, list) else [own] for own in value]
        ordered = [name for group in shared for name in group]
        if not all(isinstance(name, str) for name in ordered) or len({*ordered}) < len(ordered):
            return None
        return {name: place for place, group in enumerate(shared) for name in group}
    if options.way == BEST_WORST and isinstance(value, dict) and value.keys() == {"best", "worst"}:
        best, worst = value["best"], value["worst"]
        if best in names and worst in names and best != worst:
            return {name: (name == worst) - (name == best) for name in names}
    return None


def _present(asked: Prompt) -> list[Seen]:
    return seen(asked, asked.options.targets)


def _ids(asked: Prompt) -> list[str]:
    """Return the ids of the targets that the item has, as the description lists them."""
    present = {target.id for target in _present(asked)}
    return [target.id for target in asked.options.targets if target.id in present]


def _fields(asked: Prompt) -> list[str]:
    if asked.options.way == PAIR:
        return [asked.field()]
    return [asked.field(name) for name in (("best", "worst") if asked.options.way == BEST_WORST else _ids(asked))]


def _name(target: Seen, most: int = MOST_IN_A_NAME) -> str:
    """Return what a target is called in a sentence: its label, or how its text begins."""
    return target.label or f"“{shortened(target.text, most)}”"


def _names(asked: Prompt, value: Places, most: int = MOST_IN_A_NAME) -> dict[str, str]:
    return {name: name for name in value} | {target.id: _name(target, most) for target in _present(asked)}


def _ends(value: Places) -> tuple[str, str]:
    """Return which target is first and which is last."""
    ordered = sorted(value, key=lambda name: value[name])
    return ordered[0], ordered[-1]


def _of_each(options: RankingOptions, about: str, type_: str) -> tuple[Field, ...]:
    return tuple(Field(target.id, f"{about} {target.label or target.text}", type_) for target in options.targets)


def _remarks_on_places(asked: Prompt, form: Mapping[str, str], present: Sequence[Seen]) -> list[FieldRemark]:
    remarks, sharing = [], dict[int, list[Seen]]()
    for target in present:
        text = form.get(asked.field(target.id), "").strip()
        place = whole_number(text)
        if not text:
            remarks.append(asked.refuse(EMPTY, f"Please give {_name(target)} a place.", target.id))
        elif place is None or not 1 <= place <= len(present):
            why = f"The place of {_name(target)} must be a number from 1 to {len(present)}."
            remarks.append(asked.refuse("place", why, target.id))
        else:
            sharing.setdefault(place, []).append(target)
    for same in sharing.values():
        if len(same) > 1 and not asked.options.ties:
            why = f"{joined([_name(target) for target in same])} have the same place."
            remarks.append(asked.refuse("same", why, same[-1].id))
    return remarks


def _remarks_on_ends(asked: Prompt, form: Mapping[str, str], present: Sequence[Seen]) -> list[FieldRemark]:
    names, remarks = {target.id: _name(target) for target in present}, []
    chosen = {end: form.get(asked.field(end), "").strip() for end in ("best", "worst")}
    words = {"best": asked.options.best, "worst": asked.options.worst}
    for end, name in chosen.items():
        if not name:
            remarks.append(asked.refuse(EMPTY, f"Please choose one for “{words[end]}”.", end))
        elif name not in names:
            remarks.append(asked.refuse("unknown", "Please choose one of those that are shown.", end))
    if not remarks and chosen["best"] == chosen["worst"]:
        why = f"{names[chosen['best']]} cannot be both “{words['best']}” and “{words['worst']}”."
        remarks.append(asked.refuse("same", why, "worst"))
    return remarks


RANKING: Part = RankingPart()
