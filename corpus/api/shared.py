"""What the parts of the API share: types, filters of lists, started jobs."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from corpus.frozen import SIZES
from corpus.names_from import AUTOMATIC, NamesFrom, NamesSetting
from corpus.services import corpora
from kernel import jobs
from kernel.errors import InvalidInput
from kernel.models import Job

TYPES = [type_.value for type_ in EntityType]
KINDS = [kind.value for kind in ContextKind]
TYPE = OpenApiParameter("type", str, enum=TYPES)
ORIGINS = [value.value for value in NamesFrom]
SETTINGS = [AUTOMATIC, *(value.value for value in NamesSetting)]
SIZE = OpenApiParameter("size", int, enum=SIZES, description="number of entities")
NAMES_FROM = OpenApiParameter("names_from", str, enum=ORIGINS, description="where the names came from")
WORDS = OpenApiParameter("words", str, description="text that a name contains")


class StartedJob(serializers.ModelSerializer[Job]):
    class Meta:
        model = Job
        fields = ("id", "kind", "subject", "status")
        read_only_fields = fields


def started(job: Job) -> Response:
    """Start a queued job and return it as the response."""
    jobs.nudge(job)
    return Response(StartedJob(job).data, status=202)


def path_or_404(typed: str) -> str:
    """Return the path of a file or folder in the folder for archives; raise NotFound (404) if there is none."""
    try:
        return corpora.path_on_server(typed)
    except InvalidInput as error:
        raise NotFound(error.message) from error
