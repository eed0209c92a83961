"""The review through the API: the queue, verdicts, bulk accept, undo."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Annotation, Campaign, Review, ReviewItem, ReviewState
from annotation.selectors import review as selectors
from annotation.selectors import review_queue
from annotation.selectors.review import AnswerInReview
from annotation.services import doubts, reviewing
from annotation.services.reviewing import Opinion
from annotation.task_types import type_of
from annotation.task_types.base import TaskType, task_key
from kernel.api.inputs import TEXT
from kernel.views.access import signed_in


class MarkOutput(serializers.Serializer[Any]):
    """What a cleaning rule has against an answer."""

    rule = serializers.CharField()
    why = serializers.CharField()
    discards = serializers.BooleanField()


class CleanedOutput(serializers.Serializer[Any]):
    """One part of an answer: as typed, as displayed, as counted (null when a rule discards it), and the rules."""

    raw = serializers.CharField()
    display = serializers.CharField()
    unit = serializers.CharField(allow_null=True)
    applied = serializers.ListField(child=serializers.CharField())
    marks = MarkOutput(many=True)


class ReviewOutput(serializers.ModelSerializer[Review]):
    before = serializers.JSONField(help_text="the answer as the reviewer found it")
    after = serializers.JSONField(help_text="the answer as they left it; null when it is excluded")

    class Meta:
        model = Review
        fields = ("id", "annotation", "reviewer_name", "verdict", "before", "after", "why", "undoes", "created_at")
        read_only_fields = fields


class AnswerOutput(serializers.Serializer[Any]):
    """One person's answer. Send `seen` back with a verdict: it is refused if the text has changed since."""

    annotation = serializers.IntegerField(source="annotation.pk")
    annotator = serializers.CharField(source="pseudonym", help_text="pseudonym in this campaign")
    is_simulated = serializers.BooleanField(help_text="a simulated participant, not a person")
    answer = serializers.JSONField(source="annotation.answer", help_text="as it was given")
    cleaned = CleanedOutput(source="cleaned.parts", many=True)
    says_nothing_fits = serializers.BooleanField(
        source="cleaned.says_nothing_fits", help_text="the participant said so"
    )
    is_rejected = serializers.BooleanField(
        source="cleaned.is_rejected", help_text="rules reject everything the participant wrote"
    )
    is_counted = serializers.BooleanField()
    verdict = serializers.CharField(source="annotation.verdict", allow_blank=True)
    corrected = serializers.JSONField(
        source="annotation.corrected", help_text="the answer that reviewers put in its place, or null"
    )
    seconds = serializers.IntegerField(source="annotation.seconds")
    seen = serializers.CharField()
    is_decided_by_others = serializers.BooleanField(help_text="their decision is shown after yours")
    reviews = ReviewOutput(many=True)


class ReviewItemOutput(serializers.Serializer[Any]):
    """A task that waits for the person asking, the most doubtful first."""

    task = serializers.IntegerField()
    instance = serializers.CharField(help_text="the instance's key")
    headline = serializers.CharField(help_text="what the question is about")
    state = serializers.ChoiceField(choices=ReviewState.values)
    score = serializers.FloatField()
    reasons = serializers.ListField(child=serializers.CharField())
    answers = AnswerOutput(many=True)


class ReviewQueueApi(generics.GenericAPIView[ReviewItem]):
    """What waits for you in a campaign's review."""

    permission = "annotation.add_review"
    serializer_class = ReviewItemOutput

    @extend_schema(operation_id="review_queue", responses=ReviewItemOutput(many=True))
    def get(self, request: Request, campaign_id: int) -> Response:
        campaign, user = get_object_or_404(Campaign, pk=campaign_id), signed_in(request)
        waiting = review_queue.waiting_for(campaign, user).select_related("task__member")
        page, type_ = self.paginate_queryset(waiting) or [], type_of(campaign)
        answers = selectors.answers_of_tasks(campaign, [item.task_id for item in page])
        seen = {pk: [answer.as_seen_by(user.pk) for answer in some] for pk, some in answers.items()}
        return self.get_paginated_response([_item(item, seen[item.task_id], type_) for item in page])


def _item(item: ReviewItem, answers: list[AnswerInReview], type_: TaskType) -> dict[str, Any]:
    value = {
        "task": item.task_id,
        "instance": task_key(item.task.member.key, item.task.variant),
        "headline": type_.headline(item.task.question),
        "state": item.state,
        "score": item.score,
        "reasons": item.reasons,
        "answers": answers,
    }
    return dict(ReviewItemOutput(value).data)


class VerdictApi(APIView):
    """Decide about an answer."""

    permission = "annotation.add_review"

    class VerdictInput(serializers.Serializer[Any]):
        annotation = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
        verdict = serializers.ChoiceField(choices=reviewing.SAYABLE)
        correction = serializers.DictField(
            child=serializers.RegexField(TEXT, allow_blank=True),
            required=False,
            help_text="for a correction: the fields of the task's own form",
        )
        why = serializers.RegexField(TEXT, required=False, allow_blank=True, max_length=2000)
        seen = serializers.RegexField(TEXT, required=False, allow_blank=True, max_length=64)
        confirmed = serializers.ListField(
            child=serializers.RegexField(TEXT, max_length=100, allow_blank=True),
            required=False,
            max_length=20,
            help_text="doubts about a correction you do not share: the codes that an `unsure` error names",
        )

    @extend_schema(operation_id="review_decide", request=VerdictInput, responses={201: ReviewOutput})
    def post(self, request: Request, campaign_id: int) -> Response:
        sent = self.VerdictInput(data=request.data)
        sent.is_valid(raise_exception=True)
        data = sent.validated_data
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        annotation = get_object_or_404(Annotation, pk=data["annotation"], assignment__campaign=campaign)
        form, confirmed = data.get("correction", {}), tuple(data.get("confirmed", ()))
        opinion = Opinion(data["verdict"], form, data.get("why", ""), data.get("seen", ""), confirmed)
        return Response(ReviewOutput(reviewing.decide(annotation.pk, opinion, by=signed_in(request))).data, status=201)


class ScoredOutput(serializers.Serializer[Any]):
    left = serializers.IntegerField(help_text="tasks that still have no place in the queue")


class ReviewScoreApi(APIView):
    """Give up to 50 newly answered tasks their place in the queue, before the next assessment does."""

    permission = "annotation.add_review"

    @extend_schema(operation_id="review_score", request=None, responses=ScoredOutput)
    def post(self, request: Request, campaign_id: int) -> Response:
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        return Response({"left": doubts.catch_up(campaign, most=doubts.CHUNK)})


class AcceptedOutput(serializers.Serializer[Any]):
    tasks = serializers.IntegerField()
    answers = serializers.IntegerField()


class AcceptAgreedApi(APIView):
    """Accept the answers of up to 500 tasks in which all agree and nothing speaks against them."""

    permission = "annotation.add_review"

    @extend_schema(operation_id="review_accept_agreed", request=None, responses=AcceptedOutput)
    def post(self, request: Request, campaign_id: int) -> Response:
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        return Response(AcceptedOutput(reviewing.accept_agreed(campaign, by=signed_in(request))).data)


class UndoneOutput(serializers.Serializer[Any]):
    undone = ReviewOutput(many=True)


class ReviewUndoApi(APIView):
    """Undo your last decision in this campaign, or the whole bulk accept it was part of."""

    permission = "annotation.add_review"

    @extend_schema(operation_id="review_undo", request=None, responses=UndoneOutput)
    def post(self, request: Request, campaign_id: int) -> Response:
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        rows = reviewing.undo_last(campaign, by=signed_in(request))
        return Response({"undone": ReviewOutput(rows, many=True).data})
