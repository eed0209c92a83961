"""Corpora and their articles through the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus import selectors
from corpus.articles import EntityType
from corpus.models import Article, Corpus


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
    """A corpus's articles, in the order they were read."""

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
