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
from corpus.models import Article, Corpus, Entity, Instance


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
        fields = ("id", "key", "type", "name", "strict", "loose", "information", "articles", "instances")
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
