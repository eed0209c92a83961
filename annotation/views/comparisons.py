"""Coreference scores: a researcher uploads a key and responses, and sees the scores and where the chains differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from annotation.selectors import comparisons as selectors
from annotation.services import comparisons as services
from annotation.task_types.coreference.archives import is_zip, unpacked
from annotation.task_types.coreference.comparison import BY_COMMAND, MOST_TEXT, Side, compared
from annotation.task_types.coreference.files import labels
from annotation.task_types.coreference.scoring import METRICS
from annotation.task_types.coreference.scoring.tables import AVERAGE
from annotation.task_types.coreference.side_by_side import side_by_side
from kernel.errors import InvalidInput
from kernel.values import rounded
from kernel.views.access import requires, signed_in
from kernel.views.downloads import attachment

VIEW = "annotation.view_campaign"
MOST_BYTES = 50_000_000  # of an upload
RESPONSES = ("response-1", "response-2", "response-3")
PER_PAGE = 200
MATCHINGS = ("exact", "min")


@requires(VIEW)
def compare(request: HttpRequest) -> HttpResponse:
    """Ask for a key and responses, and score them."""
    refused = ""
    if request.method == "POST":
        try:
            return redirect("coreference-scores", _keep(request))
        except InvalidInput as error:
            refused = f"{error.message.removesuffix('.')}." if error.where else error.sentence
    chosen = request.POST.getlist("metric") if request.method == "POST" else [*METRICS]
    context = {
        "refused": refused, "responses": RESPONSES, "matching": request.POST.get("match", MATCHINGS[0]),
        "metrics": [(name, METRICS[name].label, name in chosen) for name in METRICS],
        "formats": labels(), "megabytes": MOST_TEXT // 1_000_000,
    }  # fmt: skip
    return render(request, "annotation/comparisons/new.html", context, status=422 if refused else 200)


def _keep(request: HttpRequest) -> str:
    """Score what was sent and return the token of what was kept."""
    metrics, matching = _choices(request.POST)
    if sum(upload.size or 0 for field in request.FILES for upload in request.FILES.getlist(field)) > MOST_BYTES:
        raise InvalidInput(f"the files have more than {MOST_BYTES // 1_000_000} MB. {BY_COMMAND}")
    key = _side(request, "key")
    responses = [side for field in RESPONSES if (side := _side(request, field))]
    if key is None or not responses:
        raise InvalidInput(f"choose files for {'the key' if key is None else 'a response'}")
    made = compared(key, responses, matching=matching, metrics=metrics)
    return services.keep_comparison(made, by=signed_in(request))


def _choices(form: QueryDict) -> tuple[list[str], Any]:
    metrics, matching = [name for name in METRICS if name in form.getlist("metric")], form.get("match")
    if not metrics:
        raise InvalidInput("choose at least one metric")
    if matching not in MATCHINGS:
        raise InvalidInput("choose how mentions are matched")
    return metrics, matching


def _side(request: HttpRequest, field: str) -> Side | None:
    uploads = request.FILES.getlist(field)
    if not uploads:
        return None
    files: dict[str, bytes] = {}
    for upload in uploads:
        room = MOST_TEXT - sum(map(len, files.values()))
        for name, content in _contents(upload, max(0, room)).items():
            if name in files:
                raise InvalidInput(f"there are two files of this name in {field}. Give each its own", where=name)
            files[name] = content
    more = f" and {len(uploads) - 1} more" if len(uploads) > 1 else ""
    return Side(f"{uploads[0].name}{more}", files)


def _contents(upload: UploadedFile[Any], room: int) -> dict[str, bytes]:
    """Return a file, or the files in an archive, up to a little more than there is room for."""
    name = upload.name or "upload"
    if is_zip(upload.read(4)):
        upload.seek(0)
        return unpacked(name, upload.read(), room)
    upload.seek(0)
    return {name: upload.read(room + 1)}


@requires(VIEW)
def scores(request: HttpRequest, token: str) -> HttpResponse:
    """The table, and the documents with most errors first."""
    comparison = selectors.comparison_of(signed_in(request), token)
    page = Paginator(comparison.documents, PER_PAGE).get_page(request.GET.get("page"))
    rows = [(label, [_cells(line) for line in lines]) for label, lines in comparison.rows]
    context = {"comparison": comparison, "token": token, "rows": rows, "page": page}
    return render(request, "annotation/comparisons/scores.html", context)


def _cells(line: Any) -> list[tuple[str, str]]:
    """Return recall, precision and F1 as percentages, with the counts of the first two."""
    undefined = "" if line["name"] == AVERAGE else "–"
    return [
        (_percent(line["recall"], undefined), _fraction(line["recall_counts"])),
        (_percent(line["precision"], undefined), _fraction(line["precision_counts"])),
        (_percent(line["f1"], "–"), ""),
    ]


def _percent(value: float | None, undefined: str) -> str:
    return undefined if value is None else rounded(100 * value, 2)


def _fraction(counts: Sequence[float] | None) -> str:
    return "/".join(str(int(number)) if number == int(number) else rounded(number, 2) for number in counts or ())


@requires(VIEW)
def scores_file(request: HttpRequest, token: str, format: str) -> HttpResponse:
    if format not in ("csv", "tex"):
        raise Http404
    content, content_type = selectors.file_of(signed_in(request), token, format)
    return attachment(content, f"coreference-scores.{format}", content_type)


@requires(VIEW)
def document(request: HttpRequest, token: str, response: int, number: int) -> HttpResponse:
    """A document with key and response beside each other."""
    user = signed_in(request)
    comparison = selectors.comparison_of(user, token)
    if not 1 <= response <= len(comparison.responses) or number >= len(comparison.documents):
        raise Http404
    key, answered = selectors.document_of(user, token, response, number)
    context = {"comparison": comparison, "token": token, "response": response, "number": number, "document": key}
    try:
        shown = side_by_side(key, answered, comparison.matching)
    except InvalidInput as error:
        return render(request, "annotation/comparisons/document.html", context | {"refused": error.sentence})
    is_filtered = request.GET.get("only") == "differences"
    context |= {
        "shown": shown,
        "rows": shown.different_rows if is_filtered else shown.rows,
        "is_filtered": is_filtered,
        "others": [*enumerate(comparison.responses, 1)],
    }
    return render(request, "annotation/comparisons/document.html", context)
