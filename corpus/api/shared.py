"""What the parts of the API share: types, filters of lists, jobs that were started."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from corpus.frozen import SIZES
from corpus.services import corpora
from tesa_site.kernel import jobs
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.models import Job

TYPES = [type_.value for type_ in EntityType]
KINDS = [kind.value for kind in ContextKind]
TYPE = OpenApiParameter("type", str, enum=TYPES)
SIZE = OpenApiParameter("size", int, enum=SIZES, description="number of entities")
WORDS = OpenApiParameter("words", str, description="what a name contains")


class StartedJob(serializers.ModelSerializer[Job]):
    class Meta:
        model = Job
        fields = ("id", "kind", "subject", "status")
        read_only_fields = fields


def started(job: Job) -> Response:
    """Send a job that was queued on its way, and answer with it."""
    jobs.nudge(job)
    return Response(StartedJob(job).data, status=202)


def path_named(typed: str) -> str:
    """Return the path of a file or folder in the folder for archives; the answer is 404 where there is none."""
    try:
        return corpora.path_on_server(typed)
    except InvalidInput as error:
        raise NotFound(error.message) from error


def asked(request: Request) -> dict[str, Any]:
    """Return the type, size and words that a list is asked for; a size there is not asks for nothing."""
    size = request.query_params.get("size", "")
    return {
        "type": request.query_params.get("type", ""),
        "size": int(size) if size in map(str, SIZES) else 0,
        "words": request.query_params.get("words", "").replace("\x00", "").strip(),
    }
