"""What all pages of a worker share. The secret in the address is the credential: no session, so no CSRF token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render as render_template
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from annotation.markup import to_html
from annotation.models import Annotation, Assignment, Campaign, Invite, Participation
from annotation.pricing import hourly_wage
from annotation.providers import PROVIDERS
from annotation.providers.base import Completion, Embeds
from annotation.services import finishing
from annotation.services.assigning import Idle
from annotation.services.market import marketplaces
from annotation.task_types.base import FieldRemark
from kernel.errors import TesaError
from kernel.security import content_security_policy

View = Callable[..., HttpResponse]
GONE = (
    Participation.DoesNotExist,
    Assignment.DoesNotExist,
    Annotation.DoesNotExist,
    Campaign.DoesNotExist,
    Invite.DoesNotExist,
)


def worker_page(view: View) -> View:
    """Keep the address, which is a key, out of caches and referrers. Our errors become a page of their own."""

    @csrf_exempt
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            # A visit may take a task. HEAD comes from link checkers, so the view does not run.
            response = HttpResponse() if request.method == "HEAD" else view(request, *args, **kwargs)
        except GONE as error:
            raise Http404 from error
        except TesaError as error:
            response = sorry(request, error, **kwargs)
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        return response

    return page


def render(request: HttpRequest, template: str, context: dict[str, Any], status: int | None = None) -> HttpResponse:
    """Render a worker's page with the security headers that the campaign's provider needs."""
    response = render_template(request, template, context, status=status)
    campaign: Campaign | None = context.get("campaign")
    provider: object = PROVIDERS[campaign.provider] if campaign else None
    if campaign and isinstance(provider, Embeds):
        settings = marketplaces.settings_of(campaign)
        ancestors, targets = provider.frame_ancestors(settings), provider.form_targets(settings)
        policy = content_security_policy(form_targets=targets, frame_ancestors=ancestors)
        response.headers["Content-Security-Policy"] = policy
        response.xframe_options_exempt = bool(ancestors)  # that header cannot name origins
    return response


def sorry(
    request: HttpRequest,
    error: TesaError,
    *,
    secret: str = "",
    campaign: Campaign | None = None,
    completion: Completion | None = None,
    **_: object,
) -> HttpResponse:
    """Return a page that says in one sentence what cannot be done, with a way back if there is one."""
    context = {
        "heading": getattr(error, "heading", "That is not possible"),
        "why": error.message,
        "secret": secret,
        "campaign": campaign,
        "completion": completion,
    }
    return render(request, "annotation/work/sorry.html", context, status=error.status)


@dataclass(frozen=True)
class Steps:
    """Where the pages before the first task lead; an address is made only for a page that shows it."""

    secret: str

    @property
    def home(self) -> str:
        return reverse("work", args=[self.secret])

    again = home

    @property
    def consent(self) -> str:
        return reverse("work-consent", args=[self.secret])

    @property
    def instructions(self) -> str:
        return reverse("work-instructions", args=[self.secret])

    @property
    def quiz(self) -> str:
        return reverse("work-quiz", args=[self.secret])

    @property
    def leave(self) -> str:
        return reverse("work-leave", args=[self.secret])

    def practice(self, number: int) -> str:
        return reverse("work-practice", args=[self.secret, number])

    def checks(self, number: int) -> str:
        return reverse("work-practice-checks", args=[self.secret, number])


def frame(person: Participation, idle: Idle | None = None) -> dict[str, Any]:
    """Return the context that all pages of a person share."""
    can_finish, is_partial = finishing.can_finish(person), finishing.is_partial(person, idle)
    is_complete = can_finish and not is_partial
    return {
        "person": person,
        "at": Steps(person.secret),
        "campaign": person.campaign,
        "provider": PROVIDERS[person.campaign.provider],
        "can_finish": can_finish,
        "is_partial": is_partial,
        "wage": hourly_wage(person.earned, person.active_ms / 1000) if person.earned else None,
        "promise": signing.dumps(person.answered, salt=_promise_to(person.secret)) if is_complete else "",
    }


def _promise_to(secret: str) -> str:
    return f"{secret} is complete"


def promised(request: HttpRequest, secret: str) -> int | None:
    """Return the number of answers with which the page of this form called the visit complete, or None."""
    try:
        return int(signing.loads(request.POST.get("promise", ""), salt=_promise_to(secret)))
    except signing.BadSignature:
        return None


def instructions_parts(campaign: Campaign) -> list[dict[str, str]]:
    names = (("summary", "In short"), ("details", "In detail"), ("examples", "Examples"))
    texts = campaign.instructions
    return [{"label": label, "id": name, "html": to_html(getattr(texts, name))} for name, label in names]


def by_field(remarks: tuple[FieldRemark, ...]) -> dict[str, list[str]]:
    whys: dict[str, list[str]] = {}
    for objection in remarks:
        whys.setdefault(objection.field, []).append(objection.remark.why)
    return whys
