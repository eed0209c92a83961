"""Instructions: their versions, a preview as annotators see them, and the next version."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotation.forms.instructions import InstructionsForm
from annotation.markup import to_html
from annotation.models import Instructions
from annotation.services import instructions as services
from annotation.services.instructions import PARTS
from annotation.task_types import TASK_TYPES, fixed_types
from kernel.errors import InvalidInput
from kernel.views.access import requires, signed_in


@requires("annotation.view_instructions")
def instructions_list(request: HttpRequest) -> HttpResponse:
    versions = Instructions.objects.select_related("created_by").annotate(used=Count("campaigns"))
    context = {"versions": versions.order_by("name", "-version")}
    return render(request, "annotation/instructions/list.html", context)


@require_POST
@requires("annotation.add_instructions")
def add_ours(request: HttpRequest) -> HttpResponse:
    """Add the instructions that come with the task types to the list, as a campaign made without a choice does."""
    versions = [services.default_instructions(TASK_TYPES[name]) for name in fixed_types()]
    return redirect("instructions", versions[0].pk)


def _preview(texts: dict[str, str]) -> list[tuple[str, str]]:
    return [(part.capitalize(), to_html(texts[part])) for part in PARTS]


@requires("annotation.view_instructions")
def instructions_page(request: HttpRequest, version_id: int) -> HttpResponse:
    version = get_object_or_404(Instructions.objects.select_related("created_by"), pk=version_id)
    context = {
        "version": version,
        "parts": _preview({part: getattr(version, part) for part in PARTS}),
        "campaigns": version.campaigns.order_by("name"),
        "later": Instructions.objects.filter(
            task_type=version.task_type, name=version.name, version__gt=version.version
        ).order_by("-version").first(),
    }  # fmt: skip
    return render(request, "annotation/instructions/version.html", context)


@requires("annotation.add_instructions")
def new_version(request: HttpRequest, version_id: int) -> HttpResponse:
    """Write the next version from an old one: look at it first, then keep it. The old one stays as it is."""
    old = get_object_or_404(Instructions, pk=version_id)
    initial = {name: getattr(old, name) for name in ("name", *PARTS)}
    form = InstructionsForm(request.POST or None, initial=initial)
    parts = None
    if request.method == "POST" and form.is_valid():
        if request.POST.get("action") == "keep":
            try:
                kept = services.save_version(old.task_type, by=signed_in(request), **form.cleaned_data)
                messages.success(request, f"{kept} is ready for new campaigns.")
                return redirect("instructions", kept.pk)
            except InvalidInput as error:
                form.add_error(error.field if error.field in form.fields else None, error.problem)
        else:
            parts = _preview(form.cleaned_data)
    context = {"form": form, "old": old, "parts": parts}
    return render(request, "annotation/instructions/new.html", context, status=422 if form.errors else 200)
