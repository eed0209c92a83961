"""Corpora and their articles through the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus import selectors
from corpus.articles import EntityType
from corpus.corrections import CorrectionKind
from corpus.models import Article, Corpus, Entity, EntityCorrection, Instance
from corpus.services import corrections
from tesa_site.access import signed_in


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


TYPE = OpenApiParameter("type", str, enum=[type_.value for type_ in EntityType])


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


class InstanceOutput(serializers.ModelSerializer[Instance]):
    article_id = serializers.CharField(source="article.source_id")
    entity_type = serializers.ChoiceField(source="type", choices=[type_.value for type_ in EntityType])
    entities = serializers.ListField(source="entity_names", child=serializers.CharField())
    mentions = MentionOutput(many=True)

    class Meta:
        model = Instance
        fields = ("key", "group", "article_id", "entity_type", "entities", "kind", "title", "context", "mentions")
        read_only_fields = fields


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
    """A corpus's instances."""

    permission = "corpus.view_instance"
    serializer_class = InstanceOutput

    def get_queryset(self) -> Any:
        corpus = get_object_or_404(Corpus, pk=self.kwargs["corpus_id"])
        found = selectors.instances(corpus, type=self.request.query_params.get("type", ""))
        return found.select_related("article")

    @extend_schema(operation_id="instances_list", parameters=[TYPE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


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
