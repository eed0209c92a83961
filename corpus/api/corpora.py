"""Corpora in the API: the list, reading an archive, problems, articles, jobs on a corpus."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus.api.shared import SETTINGS, TYPES, StartedJob, path_or_404, started
from corpus.contexts import MIN_SENTENCES
from corpus.models import Article, Corpus, ReadProblem
from corpus.names_from import COST
from corpus.selectors.articles import articles_in
from corpus.selectors.backgrounds import background_counts
from corpus.selectors.corpora import corpora_with_counts, problems_of, reading_counts
from corpus.selectors.corrections import corrections_waiting
from corpus.selectors.funnel import funnel_of
from corpus.services import backgrounds, corpora
from corpus.sources import SOURCES
from kernel.api.inputs import NAME, ONE_LINE, StrictInput
from kernel.errors import WrongState
from kernel.models import Job, User
from kernel.views.access import signed_in


class CorpusOutput(serializers.ModelSerializer[Corpus]):
    articles = serializers.IntegerField(source="article_count")

    class Meta:
        model = Corpus
        fields: tuple[str, ...] = ("id", "name", "source", "names_from", "created_at", "articles")
        read_only_fields = fields


class FunnelStepOutput(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    number = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)
    published = serializers.IntegerField(allow_null=True, help_text="the number in the original study")


class CorpusDetail(CorpusOutput):
    problems = serializers.IntegerField(help_text="number of articles and files that could not be read")
    funnel = FunnelStepOutput(many=True, help_text="of the last search; empty before the first search")
    backgrounds = serializers.DictField(child=serializers.IntegerField(), help_text="number of backgrounds by status")
    corrections_waiting = serializers.IntegerField(help_text="made since the last search")
    min_sentences = serializers.IntegerField(allow_null=True, help_text="smallest context of the last search")
    recognized_instances = serializers.IntegerField(help_text="number of instances with names from recognition")
    silent_articles = serializers.DictField(
        child=serializers.IntegerField(), help_text="number of articles without an instance, by reason"
    )

    class Meta(CorpusOutput.Meta):
        fields = (
            *CorpusOutput.Meta.fields, "problems", "funnel", "backgrounds", "corrections_waiting", "min_sentences",
            "recognized_instances", "silent_articles",
        )  # fmt: skip
        read_only_fields = fields


class CorpusInput(StrictInput):
    """The archive to read; `path` is a file or folder in the folder for archives on the server."""

    name = serializers.RegexField(NAME, max_length=100)
    source = serializers.ChoiceField(choices=[*SOURCES])  # type: ignore[assignment]
    path = serializers.RegexField(NAME, max_length=1000)
    names_from = serializers.ChoiceField(choices=SETTINGS, required=False, help_text=f"Empty is automatic. {COST}")


class CorpusJobInput(StrictInput):
    """A job on a corpus. `ingest` imports new articles of its archive.

    `seed` and `min_sentences` are for find_instances: 1 takes the shortest passage that mentions all entities, 2 at
    least two sentences; the default is the value of the last search. `names_from` says where this and all later
    searches take names from; empty is automatic, and the default is no change. `dump` (a file in the folder for
    archives; live Wikipedia if empty) and `again` are for find_backgrounds. delete_corpus needs the corpus's own
    `name`.
    """

    kind = serializers.ChoiceField(choices=["ingest", "find_instances", "find_backgrounds", "delete_corpus"])
    seed = serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1, default=0)
    min_sentences = serializers.ChoiceField(choices=MIN_SENTENCES, required=False)
    names_from = serializers.ChoiceField(choices=SETTINGS, required=False)
    dump = serializers.RegexField(ONE_LINE, max_length=1000, default="", allow_blank=True)
    again = serializers.BooleanField(default=False)
    name = serializers.RegexField(ONE_LINE, max_length=100, default="", allow_blank=True)


class ProblemOutput(serializers.ModelSerializer[ReadProblem]):
    class Meta:
        model = ReadProblem
        fields = ("where", "reason")
        read_only_fields = fields


class TagOutput(serializers.Serializer[Any]):
    """A name as it is written in the publisher's index."""

    text = serializers.CharField()
    type = serializers.ChoiceField(choices=TYPES)
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


@extend_schema_view(get=extend_schema(operation_id="corpora_list"))
class CorpusListApi(generics.ListAPIView[Corpus]):
    """Corpora by name; POST imports an archive into a new corpus, or its new articles into an existing one."""

    permission = "corpus.view_corpus"
    serializer_class = CorpusOutput
    queryset = corpora_with_counts()

    @extend_schema(operation_id="corpora_ingest", request=CorpusInput, responses={202: StartedJob})
    def post(self, request: Request) -> Response:
        data = CorpusInput.read(request)
        data["path"] = path_or_404(data["path"])
        return started(corpora.start_reading(**data, by=signed_in(request)))


class CorpusApi(APIView):
    """One corpus, with how much each step of the last search left."""

    permission = "corpus.view_corpus"

    @extend_schema(operation_id="corpora_read", responses=CorpusDetail)
    def get(self, request: Request, corpus_id: int) -> Response:
        corpus = get_object_or_404(corpora_with_counts(), pk=corpus_id)
        finding = getattr(corpus, "finding", None)
        more = {
            "problems": reading_counts(corpus).problems,
            "funnel": [asdict(step) for step in funnel_of(finding)] if finding else [],
            "backgrounds": background_counts(corpus),
            "corrections_waiting": corrections_waiting(corpus),
            "min_sentences": finding.min_sentences if finding else None,
            "recognized_instances": finding.recognized_instances if finding else 0,
            "silent_articles": finding.silent_articles if finding else {},
        }
        return Response({**CorpusOutput(corpus).data, **more})


class CorpusJobsApi(APIView):
    """Start a job on a corpus; refused while another job works on it."""

    permission = "corpus.view_corpus"  # creating the job checks the permission of its kind

    @extend_schema(operation_id="corpora_start", request=CorpusJobInput, responses={202: StartedJob})
    def post(self, request: Request, corpus_id: int) -> Response:
        corpus = get_object_or_404(Corpus, pk=corpus_id)
        return started(self._start(corpus, CorpusJobInput.read(request), signed_in(request)))

    def _start(self, corpus: Corpus, data: dict[str, Any], by: User) -> Job:
        match data["kind"]:
            case "find_instances":
                parameters = {name: data[name] for name in ("seed", "min_sentences", "names_from") if name in data}
                return corpora.start_search(corpus, by=by, **parameters)
            case "find_backgrounds":
                dump = path_or_404(data["dump"]) if data["dump"] else ""
                return backgrounds.start_look_up(corpus, dump=dump, again=data["again"], by=by)
            case "delete_corpus" if data["name"] != corpus.name:
                raise WrongState("That is not the corpus's name: nothing was deleted.")
            case kind:
                return corpora.start_job(kind, corpus, by=by, find=True)


@extend_schema_view(get=extend_schema(operation_id="problems_list"))
class ProblemListApi(generics.ListAPIView[ReadProblem]):
    """What could not be read from a corpus, and why."""

    permission = "corpus.view_readproblem"
    serializer_class = ProblemOutput

    def get_queryset(self) -> Any:
        return problems_of(get_object_or_404(Corpus, pk=self.kwargs["corpus_id"]))


@extend_schema_view(get=extend_schema(operation_id="articles_list"))
class ArticleListApi(generics.ListAPIView[Article]):
    """The articles of a corpus, earliest first."""

    permission = "corpus.view_article"
    serializer_class = ArticleOutput

    def get_queryset(self) -> Any:
        return articles_in(get_object_or_404(Corpus, pk=self.kwargs["corpus_id"]))


class ArticleApi(APIView):
    """One article."""

    permission = "corpus.view_article"

    @extend_schema(operation_id="articles_read", responses=ArticleOutput)
    def get(self, request: Request, article_id: int) -> Response:
        return Response(ArticleOutput(get_object_or_404(Article, pk=article_id)).data)
