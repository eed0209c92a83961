"""Own tasks: the list of descriptions, and the editor with the annotator's page beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_POST

from annotation.markup import to_html
from annotation.models import TaskDescription
from annotation.selectors import descriptions as selectors
from annotation.services import descriptions as services
from annotation.services.instructions import PARTS
from annotation.task_types.base import template_of
from annotation.task_types.own import library
from annotation.task_types.settings import LONGEST_DESCRIPTION
from kernel.errors import InvalidInput
from kernel.views.access import requires, signed_in

if TYPE_CHECKING:  # what reads descriptions loads pydantic, which few requests need
    from annotation.task_types.own.reading import BadLine

START = "sentiment"  # what a new description begins as
VIEW, ADD = "annotation.view_taskdescription", "annotation.add_taskdescription"


@requires(VIEW)
def task_list(request: HttpRequest) -> HttpResponse:
    used = selectors.campaigns_by_description()
    context = {
        "rows": [(row, used.get(row.number, 0)) for row in selectors.newest()],
        "library": library.entries(),
    }
    return render(request, "annotation/descriptions/list.html", context)


@requires(ADD)
def new_task(request: HttpRequest) -> HttpResponse:
    """Describe a new task, from the library or from a copy of another one."""
    asked = request.GET.get("from", START)
    try:
        text = library.text_of(asked) if asked in library.NAMES else selectors.description_of(asked).text
    except InvalidInput:
        text = library.text_of(START)
    return _editor(request, text, None)


@requires(VIEW)
def task_page(request: HttpRequest, number: int, version: int) -> HttpResponse:
    """One version in the editor: saving makes the next version of the same description."""
    row = get_object_or_404(TaskDescription.objects.select_related("created_by"), number=number, version=version)
    if request.method == "POST" and not request.user.has_perm(ADD):
        return redirect("own-task", number, version)
    return _editor(request, row.text, row)


def _editor(request: HttpRequest, text: str, row: TaskDescription | None) -> HttpResponse:
    from annotation.task_types.own.reading import InvalidDescription

    problems: Sequence[BadLine] = ()
    if request.method == "POST":
        text = _sent(request)
        if "save" in request.POST:
            try:
                kept = services.keep_description(text, by=signed_in(request), number=row.number if row else None)
                is_same = row is not None and kept.pk == row.pk
                outcome = "says the same already" if is_same else "is ready for new campaigns"
                messages.success(request, f"{kept} {outcome}.")
                return redirect("own-task", kept.number, kept.version)
            except InvalidDescription as error:
                problems = error.problems
    html, problems = _preview(text) if not problems else ("", problems)
    context = {
        "text": text, "row": row, "html": html, "problems": problems, "longest": LONGEST_DESCRIPTION,
        "versions": selectors.versions_of(row.number) if row else (),
        "used": selectors.campaigns_by_version(),
        "next_version": selectors.versions_of(row.number)[0].version + 1 if row else 1,
    }  # fmt: skip
    is_refused = bool(problems) and "save" in request.POST
    return render(request, "annotation/descriptions/editor.html", context, status=422 if is_refused else 200)


def _sent(request: HttpRequest) -> str:
    """Return the description that was typed, or that of the file that was chosen."""
    file = request.FILES.get("file")
    if file is None or isinstance(file, list):
        return request.POST.get("text", "").replace("\r\n", "\n")
    content: bytes = file.read(4 * LONGEST_DESCRIPTION)
    return content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\x00", "")


@require_POST
@requires(VIEW)
def preview(request: HttpRequest) -> HttpResponse:
    """Return the annotator's page for a description, or what is wrong with it, line by line."""
    html, problems = _preview(request.POST.get("text", ""))
    lines = [{"line": problem.line, "sentence": problem.sentence} for problem in problems]
    return JsonResponse({"html": html, "problems": lines})


def _preview(text: str) -> tuple[str, Sequence[BadLine]]:
    """Return the page of the description's first practice question, or of an item that only names its texts."""
    from annotation.task_types.own.checking import checked_description, example_item, type_of_description
    from annotation.task_types.own.reading import InvalidDescription

    try:
        task = checked_description(text)
    except InvalidDescription as error:
        return "", error.problems
    type_ = type_of_description(task)
    item = example_item(type_)
    question = type_.question(item)
    context: dict[str, Any] = {
        "task": task, "task_type": type_, "task_html": type_.html(item), "question": question,
        "template": template_of(type_, "form"), "form": type_.starting_form(question), "findings": {}, "suffix": "",
        "instructions": [to_html(getattr(task.instructions, name)) for name in PARTS],
    }  # fmt: skip
    return render_to_string("annotation/descriptions/preview.html", context), ()


@requires(VIEW)
def task_file(request: HttpRequest, number: int, version: int) -> HttpResponse:
    """Download a version as it was written."""
    row = get_object_or_404(TaskDescription, number=number, version=version)
    response = HttpResponse(row.text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="own-{number}-{version}.yaml"'
    return response


@requires(VIEW)
def schema(request: HttpRequest) -> HttpResponse:
    """Return the JSON Schema of descriptions: editors check and complete what is typed with it."""
    from annotation.task_types.own.reading import json_schema

    return JsonResponse(dict(json_schema()), json_dumps_params={"indent": 2})
