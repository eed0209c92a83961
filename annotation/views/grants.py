"""Grants: the list, the people of one, giving them to participants and taking them away."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.forms.grants import GiveGrantForm, GrantForm
from annotation.models import Campaign, Grant, HeldGrant, Participation
from annotation.selectors import grants as selectors
from annotation.services import grants as services
from annotation.services.market import following
from kernel import jobs
from kernel.errors import InvalidInput
from kernel.values import counted
from kernel.views.access import requires, signed_in

PER_PAGE = 50


@requires("annotation.view_participation")
def grant_list(request: HttpRequest) -> HttpResponse:
    """GET lists grants; POST makes one."""
    form = GrantForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not signed_in(request).has_perm("annotation.change_participation"):
            raise PermissionDenied
        if form.is_valid():
            try:
                grant = services.make_grant(**form.cleaned_data, by=signed_in(request))
            except InvalidInput as refused:
                form.add_error("name", f"{refused.problem[:1].upper()}{refused.problem[1:]}.")
            else:
                messages.success(request, f"{grant} was made. Nobody holds it yet.")
                return redirect("grant", grant.pk)
    context = {"grants": selectors.grants(), "form": form}
    return render(request, "annotation/grants/list.html", context, status=422 if form.errors else 200)


@requires("annotation.view_participation")
def grant_page(request: HttpRequest, grant_id: int) -> HttpResponse:
    grant = get_object_or_404(Grant, pk=grant_id)
    page = Paginator(selectors.people_of(grant), PER_PAGE).get_page(request.GET.get("page"))
    rows = [(held, selectors.participation_of(held)) for held in page]
    return render(request, "annotation/grants/grant.html", {"grant": grant, "page": page, "rows": rows})


@requires("annotation.change_participation")
def take(request: HttpRequest, held_id: int) -> HttpResponse:
    """Ask why a grant is taken away; do it when that was confirmed."""
    held = get_object_or_404(HeldGrant.objects.select_related("grant"), pk=held_id)
    problem = ""
    if request.method == "POST":
        try:
            services.take(held.pk, reason=request.POST.get("reason", ""), by=signed_in(request))
        except InvalidInput as refused:
            problem = f"{refused.problem[:1].upper()}{refused.problem[1:]}."
        else:
            messages.success(request, f"{held.grant} was taken away. They get no more tasks that ask for it.")
            return redirect("grant", held.grant_id)
    context = {"held": held, "person": selectors.participation_of(held), "problem": problem}
    return render(request, "annotation/grants/take.html", context, status=422 if problem else 200)


def give(request: HttpRequest, campaign: Campaign, ids: Sequence[int]) -> HttpResponse:
    """Ask which grant these participants get, and why; give it when that was confirmed."""
    people = list(Participation.objects.filter(campaign=campaign, pk__in=ids, withdrawn_at=None).order_by("number"))
    form = GiveGrantForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and people and form.is_valid():
        grant, by = form.cleaned_data["grant"], signed_in(request)
        values = {"reason": form.cleaned_data["reason"], "expires_at": form.expires_at}
        try:
            number = services.give(grant.pk, [person.pk for person in people], **values, by=by)
        except InvalidInput as refused:
            field = "expires_on" if refused.field == "expires_at" else refused.field
            form.add_error(field, f"{refused.problem[:1].upper()}{refused.problem[1:]}.")
        else:
            if job := following.start(campaign, by=by):
                jobs.nudge(job)
            messages.success(request, f"{grant} was given to {counted(number, 'participant')}.")
            return redirect("grant", grant.pk)
    context = {"campaign": campaign, "people": people, "names": [person.name for person in people], "form": form}
    return render(request, "annotation/grants/give.html", context, status=422 if form.errors else 200)
