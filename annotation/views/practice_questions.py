"""Writing a practice question in two steps: its item, then its known answers beside the task. Nothing is kept between
them but what the page itself holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.models import Campaign
from annotation.services import lessons as services
from annotation.services.lessons import Overtaken, Place
from annotation.task_types import type_of
from annotation.task_types.base import Gold, JsonObject, PracticeQuestion, TaskType, form_of, template_of
from annotation.task_types.lessons import FIELD
from annotation.views.lessons import CHANGED_MEANWHILE, place_of, question_shown, saved
from corpus.items import ITEM_KINDS
from corpus.items.base import ItemKind
from corpus.items.writing import written_item
from corpus.models import Sample, SampledInstance
from kernel.errors import InvalidInput
from kernel.values import Json, canonical_json, whole_number
from kernel.views.access import requires

REASON = "reason"
ALSO = "also"  # the known answers that the form for known answers has no room for, as JSON; its box can be unticked


@dataclass(frozen=True)
class WrittenQuestion:
    """A practice question that is being written: `like` is the item that its form is filled in from."""

    campaign: Campaign
    type_: TaskType
    kind: ItemKind
    place: Place | None = None  # None for a new question
    like: Any = None
    known: Mapping[str, str] | None = None  # the form of the known answers, and the reason

    @property
    def columns(self) -> list[str]:
        """The names of the texts that an item should have: those the task shows, or those of the campaign's items."""
        names = list(self.type_.item_texts)
        if not names and (first := SampledInstance.objects.filter(sample=self.campaign.sample_id).first()):
            names = [*self.kind.columns(first.value)]
        return list(dict.fromkeys([*names, *(self.kind.columns(self.like.to_json()) if self.like else ())]))


@requires("annotation.change_campaign")
def practice_question(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Write a practice question, or change one."""
    campaign = get_object_or_404(Campaign.objects.select_related("sample"), pk=campaign_id)
    services.check_draft(campaign)
    type_ = type_of(campaign)
    writing = WrittenQuestion(campaign, type_, ITEM_KINDS[type_.item_kind])
    if request.method != "POST":
        return _opened(request, writing)
    form = form_of(request.POST.lists())
    writing = replace(
        writing, place=place_of(request.POST, "practice"), like=_item(form, writing.kind), known=_known(form)
    )
    if form.get("step") == "gold" and writing.like is not None:
        return _keep(request, writing, form)
    if form.get("step") == "back" and writing.like is not None:
        return _item_page(request, replace(writing, known=form), writing.kind.as_written(writing.like))
    return _written(request, writing, form)


def _opened(request: HttpRequest, writing: WrittenQuestion) -> HttpResponse:
    if number := request.GET.get("number", ""):
        place, question = question_shown(writing.campaign, "practice", number)
        writing = replace(writing, place=place, like=question.item, known=_known_of(writing.type_, question))
        if "sample" not in request.GET:
            return _gold_page(request, writing, writing.like)
    if "sample" not in request.GET:
        return _item_page(request, writing, {})
    try:
        like = _sampled(writing, request.GET["sample"], request.GET.get("item", ""))
    except InvalidInput as error:
        form = writing.kind.as_written(writing.like) if writing.like else {}
        return _item_page(request, writing, form, error)
    return _item_page(request, replace(writing, like=like), writing.kind.as_written(like))


def _known_of(type_: TaskType, question: PracticeQuestion) -> dict[str, str]:
    asked = type_.question(question.item)
    form = {**type_.gold_form(asked, question.gold), REASON: question.gold.reason}
    filled_in = type_.gold(asked, form).accepted
    others: list[Json] = [own for own in question.gold.accepted if own not in filled_in]
    return form | ({ALSO: canonical_json(others)} if others else {})


def _others(form: Mapping[str, str]) -> list[JsonObject]:
    """Return the known answers of the box that is ticked; [] where there is none, or it holds something else."""
    try:
        value = json.loads(form.get(ALSO, ""))
    except (ValueError, RecursionError):
        return []
    is_list = isinstance(value, list) and all(isinstance(own, dict) for own in value)
    return value if is_list else []


def _in_words(type_: TaskType, question: JsonObject, answer: JsonObject) -> str:
    """Return an answer that a page held in one line, also one that does not fit the question any more."""
    try:
        return type_.summary(question, answer)
    except (LookupError, TypeError, ValueError, AttributeError):
        return canonical_json(answer)


def _sampled(writing: WrittenQuestion, sample: str, item: str) -> Any:
    """Return an item of a sample by its number there, from 1."""
    row = Sample.objects.filter(pk=whole_number(sample) or 0, item_kind=writing.kind.name).first()
    if row is None:
        raise InvalidInput("choose a sample", field="sample")
    number = whole_number(item) or 0
    member = SampledInstance.objects.filter(sample=row, position=number - 1).first() if number else None
    if member is None:
        raise InvalidInput(f"enter a number from 1 to {row.size:,}, the size of “{row}”", field="sample")
    return writing.kind.thaw(member.value)


def _item(form: Mapping[str, str], kind: ItemKind) -> Any:
    """Return the item that the page holds; None if it holds none."""
    try:
        return kind.from_row(json.loads(form.get("item", "")))
    except (ValueError, RecursionError, InvalidInput):
        return None


def _known(form: Mapping[str, str]) -> dict[str, str]:
    """Return the form of the known answers that the page of the item holds."""
    try:
        value = json.loads(form.get("known", ""))
    except (ValueError, RecursionError):
        return {}
    return {name: text for name, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


def _written(request: HttpRequest, writing: WrittenQuestion, form: Mapping[str, str]) -> HttpResponse:
    """Make the item, and ask for its known answers."""
    try:
        item = written_item(writing.kind, form, writing.columns, writing.like)
        services.check_item(writing.campaign, item)
    except InvalidInput as error:
        return _item_page(request, writing, form, error)
    return _gold_page(request, writing, item)


def _keep(request: HttpRequest, writing: WrittenQuestion, form: Mapping[str, str]) -> HttpResponse:
    item, writing = writing.like, replace(writing, known=form)
    try:
        gold = writing.type_.gold(writing.type_.question(item), {**form, "gold_reason": ""})
        accepted = (*gold.accepted, *(own for own in _others(form) if own not in gold.accepted))
        question = PracticeQuestion(item, Gold(accepted, form.get(REASON, "").strip()))
        return saved(request, writing.campaign, writing.place, question)
    except Overtaken:
        return _gold_page(request, replace(writing, place=None), item, InvalidInput(CHANGED_MEANWHILE))
    except InvalidInput as error:
        return _gold_page(request, writing, item, error)


def _item_page(
    request: HttpRequest, writing: WrittenQuestion, form: Mapping[str, str], refused: InvalidInput | None = None
) -> HttpResponse:
    fields = writing.kind.written_fields(writing.columns)
    wrong = refused.field if refused else ""
    samples = Sample.objects.filter(item_kind=writing.kind.name, size__gt=0).exclude(pk=writing.campaign.sample_id)
    context = {
        "campaign": writing.campaign,
        "place": writing.place,
        "fields": [(field, form.get(field.name, ""), field.name == wrong) for field in fields],
        "problem": refused.sentence if refused else "",
        "is_above": bool(refused) and wrong not in {field.name for field in fields} | {"sample"},
        "wrong": wrong,
        "samples": samples.order_by("name"),
        "kind": writing.kind,
        "item": json.dumps(writing.like.to_json()) if writing.like else "",
        "known": json.dumps(dict(writing.known or {})),
    }
    return render(request, "annotation/campaigns/lesson_item.html", context, status=422 if refused else 200)


def _gold_page(
    request: HttpRequest, writing: WrittenQuestion, item: Any, refused: InvalidInput | None = None
) -> HttpResponse:
    type_, question = writing.type_, writing.type_.question(item)
    problem = refused.problem.rstrip(".") if refused else ""
    is_listed = refused is not None and refused.field in (FIELD, "")
    context = {
        "campaign": writing.campaign,
        "place": writing.place,
        "task_type": type_,
        "kind": writing.kind,
        "task_html": type_.html(item),
        "form_template": template_of(type_, "form"),
        "gold_template": template_of(type_, "gold"),
        "task": {"pk": "lesson", "question": question},
        "choice": {"form": writing.known or {}, "problem": "" if is_listed else problem},
        "problem": problem if is_listed else "",
        "reason": (writing.known or {}).get(REASON, ""),
        "also": (writing.known or {}).get(ALSO, ""),
        "others": [_in_words(type_, question, own) for own in _others(writing.known or {})],
        "item": json.dumps(item.to_json()),
        "is_lesson": True,
    }
    return render(request, "annotation/campaigns/lesson_gold.html", context, status=422 if refused else 200)
