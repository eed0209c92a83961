"""Corpora and their articles through the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus import selectors
from corpus.articles import EntityType
from corpus.contexts import ContextKind
from corpus.corrections import CorrectionKind
from corpus.frozen import ACCEPTED
from corpus.models import Article, Corpus, Entity, EntityCorrection, Instance, Sample, SampledInstance
from corpus.sampling import Filters
from corpus.selectors import samples
from corpus.services import corrections
from corpus.services import samples as sample_services
from tesa_site.access import signed_in
from tesa_site.kernel import jobs
from tesa_site.kernel.models import Job


class CorpusOutput(serializers.ModelSerializer[Corpus]):
    articles = serializers.IntegerField(source="article_count")

    class Meta:
        model = Corpus
        fields = ("id", "name", "source", "created_at", "articles")
        read_only_fields = fields


class TagOutput(serializers.Serializer[Any]):
    """A name as the publisher's index writes it."""

    text = serializers.CharField()
    type = serializers.ChoiceField(choices=[type_.value for type_ in EntityType])
    origin = serializers.CharField(allow_blank=True)


class ArticleOutput(serializers.ModelSerializer[Article]):
    paragraphs = serializers.ListField(child=serializers.CharField())
    tags = TagOutput(many=True)

    class Meta:
        model = Article
        fields = (
            "id", "source_id", "content_hash", "title", "headline", "abstract", "lead", "paragraphs", "byline", "desk",
            "published", "tags", "where",
        )  # fmt: skip
        read_only_fields = fields


class CorpusListApi(generics.ListAPIView[Corpus]):
    """Corpora by name."""

    permission = "corpus.view_corpus"
    serializer_class = CorpusOutput

    def get_queryset(self) -> Any:
        return selectors.corpora()

    @extend_schema(operation_id="corpora_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class ArticleListApi(generics.ListAPIView[Article]):
    """A corpus's articles, the earliest first."""

    permission = "corpus.view_article"
    serializer_class = ArticleOutput

    def get_queryset(self) -> Any:
        return selectors.articles(get_object_or_404(Corpus, pk=self.kwargs["corpus_id"]))

    @extend_schema(operation_id="articles_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class ArticleApi(APIView):
    """One article."""

    permission = "corpus.view_article"

    @extend_schema(operation_id="articles_read", responses=ArticleOutput)
    def get(self, request: Request, article_id: int) -> Response:
        return Response(ArticleOutput(get_object_or_404(Article, pk=article_id)).data)


TYPES = [type_.value for type_ in EntityType]
KINDS = [kind.value for kind in ContextKind]
TYPE = OpenApiParameter("type", str, enum=TYPES)


class EntityOutput(serializers.ModelSerializer[Entity]):
    strict = serializers.ListField(child=serializers.CharField(), help_text="other full names")
    loose = serializers.ListField(child=serializers.CharField(), help_text="ambiguous by nature: surnames")
    information = serializers.ListField(child=serializers.CharField(), help_text="what the index put in brackets")
    type = serializers.ChoiceField(choices=[type_.value for type_ in EntityType])

    class Meta:
        model = Entity
        fields = (
            "id", "key", "type", "name", "strict", "loose", "information", "is_recognized", "is_reviewed", "articles",
            "instances",
        )  # fmt: skip
        read_only_fields = fields


class MentionOutput(serializers.Serializer[Any]):
    """A span of the context; `entity` counts in `entities`, from 0."""

    entity = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()


_TEXT, _NUMBER = {"type": "string"}, {"type": "integer", "nullable": True}
_BACKGROUND = {
    "title": _TEXT,
    "text": _TEXT | {"description": "the whole first paragraph"},
    "url": _TEXT,
    "licence": _TEXT,
    "status": _TEXT | {"enum": [status.value for status in ACCEPTED]},
    "source": _TEXT,
    "page_id": _NUMBER,
    "revision_id": _NUMBER,
    "retrieved": {"type": "string", "format": "date", "nullable": True},
}


@extend_schema_field(
    {
        "type": "array",
        "description": "What is told of each entity, in their order; null: nothing.",
        "items": {"type": "object", "nullable": True, "required": [*_BACKGROUND], "properties": _BACKGROUND},
    }
)
class BackgroundsField(serializers.ListField):
    """Described by hand: a list of objects of which some are null is more than a nested serializer can say."""


class InstanceOutput(serializers.Serializer[Any]):
    """A frozen instance, schema 1: the same fields as in a download."""

    schema = serializers.IntegerField()
    key = serializers.CharField()
    group = serializers.CharField()
    corpus = serializers.CharField(allow_blank=True)
    article_id = serializers.CharField(allow_blank=True)
    date = serializers.DateField(allow_null=True)
    entity_type = serializers.ChoiceField(choices=TYPES)
    entities = serializers.ListField(child=serializers.CharField())
    kind = serializers.ChoiceField(choices=KINDS)
    title = serializers.CharField(allow_blank=True)
    context = serializers.CharField()  # type: ignore[assignment]
    mentions = MentionOutput(many=True)
    backgrounds = BackgroundsField()


class EntityListApi(generics.ListAPIView[Entity]):
    """A corpus's entities, the most mentioned first."""

    permission = "corpus.view_entity"
    serializer_class = EntityOutput

    def get_queryset(self) -> Any:
        corpus = get_object_or_404(Corpus, pk=self.kwargs["corpus_id"])
        return selectors.entities(corpus, type=self.request.query_params.get("type", ""))

    @extend_schema(operation_id="entities_list", parameters=[TYPE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class InstanceListApi(generics.ListAPIView[Instance]):
    """A corpus's instances, with the backgrounds of their entities as they are now."""

    permission = "corpus.view_instance"
    serializer_class = InstanceOutput

    def get_queryset(self) -> Any:
        corpus = get_object_or_404(Corpus, pk=self.kwargs["corpus_id"])
        found = selectors.instances(corpus, type=self.request.query_params.get("type", ""))
        return samples.to_freeze(found)

    @extend_schema(operation_id="instances_list", parameters=[TYPE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([value.to_json() for value in samples.frozen(list(page))])


# ---- Samples --------------------------------------------------------------------------------------


class FiltersOutput(serializers.Serializer[Any]):
    """What could be drawn; an empty list: all."""

    types = serializers.ListField(child=serializers.ChoiceField(choices=TYPES), required=False)
    sizes = serializers.ListField(child=serializers.IntegerField(), required=False)
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), required=False)
    without_background = serializers.BooleanField(required=False)


class SampleOutput(serializers.ModelSerializer[Sample]):
    corpus = serializers.IntegerField(source="corpus_id", allow_null=True)
    filters = FiltersOutput()

    class Meta:
        model = Sample
        fields = (
            "id", "name", "corpus", "corpus_name", "seed", "asked", "filters", "size", "content_hash", "created_at",
        )  # fmt: skip
        read_only_fields = fields
        extra_kwargs = {"content_hash": {"help_text": "SHA-256 of its download; empty while it is not complete"}}


class SampleInput(serializers.Serializer[dict[str, Any]]):
    """Which sample to draw. The answer is the job that draws it."""

    name = serializers.RegexField(r"^[^\x00-\x1f]*\w[^\x00-\x1f]*$", max_length=100)
    corpus = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="its id")
    n = serializers.IntegerField(min_value=1, max_value=10_000_000)
    seed = serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1, default=0)
    types = serializers.ListField(child=serializers.ChoiceField(choices=TYPES), default=list)
    sizes = serializers.ListField(child=serializers.IntegerField(min_value=2, max_value=6), default=list)
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), default=list)
    without_background = serializers.BooleanField(default=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if unknown := sorted(set(self.initial_data) - set(self.fields)):  # a misspelt one would be ignored in silence
            raise serializers.ValidationError({unknown[0]: ["There is no such field."]})
        return attrs


class StartedJob(serializers.ModelSerializer[Job]):
    class Meta:
        model = Job
        fields = ("id", "kind", "subject", "status")
        read_only_fields = fields


class SampleListApi(generics.ListAPIView[Sample]):
    """Samples, the newest first; POST draws one."""

    permission = "corpus.view_sample"
    serializer_class = SampleOutput

    def get_queryset(self) -> Any:
        return samples.samples()

    @extend_schema(operation_id="samples_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    @extend_schema(operation_id="samples_draw", request=SampleInput, responses={202: StartedJob})
    def post(self, request: Request) -> Response:
        sent = SampleInput(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        corpus = get_object_or_404(Corpus, pk=given["corpus"])
        filters = Filters.from_json({name: given[name] for name in Filters().to_json()})
        order = sample_services.Order(
            sample_services.check_name_is_free(given["name"]), given["n"], given["seed"], filters
        )
        job = sample_services.start_drawing(corpus, order, by=signed_in(request))
        jobs.nudge(job)
        return Response(StartedJob(job).data, status=202)


class SampleApi(APIView):
    """One sample."""

    permission = "corpus.view_sample"

    @extend_schema(operation_id="samples_read", responses=SampleOutput)
    def get(self, request: Request, sample_id: int) -> Response:
        return Response(SampleOutput(get_object_or_404(Sample, pk=sample_id)).data)


class MemberListApi(generics.ListAPIView[SampledInstance]):
    """A sample's members in the order of drawing, as they were frozen."""

    permission = "corpus.view_sample"
    serializer_class = InstanceOutput

    def get_queryset(self) -> Any:
        sample = get_object_or_404(Sample, pk=self.kwargs["sample_id"])
        return samples.members(sample, type=self.request.query_params.get("type", ""))

    @extend_schema(operation_id="samples_members", parameters=[TYPE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([member.value for member in page])


# ---- Corrections ----------------------------------------------------------------------------------


class CorrectionOutput(serializers.ModelSerializer[EntityCorrection]):
    kind = serializers.ChoiceField(choices=[kind.value for kind in CorrectionKind])
    names = serializers.ListField(child=serializers.CharField(), help_text="handles of the entity's index names")
    into = serializers.ListField(child=serializers.CharField(), help_text="those of the other entity of a merge")
    made_by = serializers.CharField(source="made_by.username", default=None, allow_null=True)

    class Meta:
        model = EntityCorrection
        fields = (
            "id", "kind", "names", "into", "value", "entity_name", "entity_type", "reason", "undoes", "made_by",
            "made_at",
        )  # fmt: skip
        read_only_fields = fields


class ReasonInput(serializers.Serializer[dict[str, Any]]):
    reason = serializers.CharField(max_length=500)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if unknown := sorted(set(self.initial_data) - set(self.fields)):  # a misspelt one would be ignored in silence
            raise serializers.ValidationError({unknown[0]: ["There is no such field."]})
        return attrs


class CorrectionInput(ReasonInput):
    """`into` (an entity's id) belongs to merge, `names` to split, `value` to retype and rename."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in CorrectionKind if kind is not CorrectionKind.UNDO])
    into = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    names = serializers.ListField(child=serializers.CharField(), default=list)
    value = serializers.CharField(default="", max_length=300)


class CorrectionListApi(generics.ListAPIView[EntityCorrection]):
    """What people said about a corpus's entities, the newest first. It takes effect when instances are found again."""

    permission = "corpus.view_entitycorrection"
    serializer_class = CorrectionOutput

    def get_queryset(self) -> Any:
        return selectors.corrections(get_object_or_404(Corpus, pk=self.kwargs["corpus_id"]))

    @extend_schema(operation_id="corrections_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class EntityCorrectApi(APIView):
    """Merge an entity into another, split names off it, retype, rename, accept or discard it."""

    permission = "corpus.change_entity"

    @extend_schema(operation_id="entities_correct", request=CorrectionInput, responses={201: CorrectionOutput})
    def post(self, request: Request, entity_id: int) -> Response:
        entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
        given = CorrectionInput(data=request.data)
        given.is_valid(raise_exception=True)
        row = self._correct(entity, given.validated_data, request)
        return Response(CorrectionOutput(row).data, status=201)

    def _correct(self, entity: Entity, given: dict[str, Any], request: Request) -> EntityCorrection:
        reason, by = given["reason"], signed_in(request)
        match CorrectionKind(given["kind"]):
            case CorrectionKind.MERGE:
                into = Entity.objects.filter(pk=given.get("into", 0)).first() or entity  # itself is refused
                return corrections.merge([entity], into, reason=reason, by=by)[0]
            case CorrectionKind.SPLIT:
                return corrections.split(entity, given["names"], reason=reason, by=by)
            case CorrectionKind.RETYPE:
                return corrections.retype(entity, given["value"], reason=reason, by=by)
            case CorrectionKind.RENAME:
                return corrections.rename(entity, given["value"], reason=reason, by=by)
            case CorrectionKind.ACCEPT:
                return corrections.accept(entity, reason=reason, by=by)
            case _:
                return corrections.discard(entity, reason=reason, by=by)


class CorrectionUndoApi(APIView):
    """Say that a correction no longer holds."""

    permission = "corpus.change_entity"

    @extend_schema(operation_id="corrections_undo", request=ReasonInput, responses={201: CorrectionOutput})
    def post(self, request: Request, correction_id: int) -> Response:
        row = get_object_or_404(EntityCorrection.objects.select_related("corpus"), pk=correction_id)
        given = ReasonInput(data=request.data)
        given.is_valid(raise_exception=True)
        undone = corrections.undo(row, reason=given.validated_data["reason"], by=signed_in(request))
        return Response(CorrectionOutput(undone).data, status=201)
