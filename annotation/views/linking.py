"""Link scores: a researcher uploads predictions for a sample with known mentions, and sees how right they are."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.forms.linking import LinkForm
from annotation.linking.evaluation import MOST_SYSTEMS, LinkBenchmark, evaluate
from annotation.linking.tables import COLUMNS, latex_of_rows
from annotation.selectors import comparisons as selectors
from annotation.selectors.linked_texts import linked_texts
from annotation.services import comparisons as services
from kernel.csv_files import csv_lines
from kernel.errors import InvalidInput
from kernel.views.access import requires, signed_in
from kernel.views.downloads import attachment

VIEW = "annotation.view_campaign"
PER_PAGE = 200


@requires(VIEW)
def evaluate_links(request: HttpRequest) -> HttpResponse:
    """Ask for a sample and files of predictions, and score them."""
    form = LinkForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect("links-scores", _keep(request, form))
        except InvalidInput as error:
            form.add_error(error.field if error.field in form.fields else None, error.sentence)
    context = {"form": form, "most": MOST_SYSTEMS}
    return render(request, "annotation/linking/new.html", context, status=422 if form.errors else 200)


def _keep(request: HttpRequest, form: LinkForm) -> str:
    """Score what was sent and return the token of what was kept."""
    cleaned = form.cleaned_data
    nested, without_entity = not cleaned["outermost"], not cleaned["with_entity"]
    texts, naming = linked_texts(cleaned["sample"], form.naming(), nested=nested, without_entity=without_entity)
    files: dict[str, bytes] = {}
    for upload in cleaned["predictions"]:
        if upload.name in files:
            raise InvalidInput(f"two files are called {upload.name}: give each its own name", field="predictions")
        files[upload.name] = upload.read()
    benchmark = LinkBenchmark(str(cleaned["sample"]), texts, naming, without_entity)
    return services.keep_links(evaluate(benchmark, files), by=signed_in(request))


@requires(VIEW)
def scores(request: HttpRequest, token: str) -> HttpResponse:
    """The table, the errors of each system, and the texts with most errors first."""
    summary: Any = selectors.link_summary(signed_in(request), token)
    texts = sorted(summary["texts"], key=lambda own: (-own["errors"], own["number"]))
    page = Paginator(texts, PER_PAGE).get_page(request.GET.get("page"))
    context = {"summary": summary, "token": token, "columns": COLUMNS, "page": page}
    context["has_sources"] = any(len(system["sources"]) > 1 for system in summary["systems"])
    return render(request, "annotation/linking/scores.html", context)


@requires(VIEW)
def scores_file(request: HttpRequest, token: str, format: str) -> HttpResponse:
    summary: Any = selectors.link_summary(signed_in(request), token)
    if format == "csv":
        content, content_type = "".join(csv_lines(COLUMNS, summary["rows"], mark=True)), "text/csv; charset=utf-8"
    elif format == "tex":
        content, content_type = latex_of_rows(summary["rows"]), "application/x-tex; charset=utf-8"
    else:
        raise Http404
    return attachment(content, f"link-scores.{format}", content_type)


@requires(VIEW)
def text(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """One text, with every piece that is known or predicted."""
    user = signed_in(request)
    summary: Any = selectors.link_summary(user, token)
    shown: Any = selectors.linked_text_of(user, token, number)
    context = {"summary": summary, "token": token, "shown": shown, "number": number}
    return render(request, "annotation/linking/text.html", context)
