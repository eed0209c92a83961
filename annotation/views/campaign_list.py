"""The list of campaigns, and the same list as a file."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from annotation.selectors import campaign_list as selectors
from annotation.selectors.campaign_list import CampaignFilters
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_stream

PER_PAGE = 20


@requires("annotation.view_campaign")
def campaign_list(request: HttpRequest) -> HttpResponse:
    filters, user = CampaignFilters.from_query(request.GET), signed_in(request)
    campaigns = selectors.matching(filters, user)
    page = Paginator(campaigns, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **vars(filters),
        "page": page,
        "rows": selectors.rows_of(page, user),
        "states": selectors.states(filters, user),
        "earned": selectors.earned(campaigns),
    }
    return render(request, "annotation/campaigns/list.html", context)


@requires("annotation.view_campaign")
def campaigns_file(request: HttpRequest) -> HttpResponseBase:
    """Return every campaign that the filters let through, not only the page shown."""
    rows = selectors.cells(CampaignFilters.from_query(request.GET), signed_in(request))
    return csv_stream(request, "campaigns.csv", selectors.COLUMNS, rows)
