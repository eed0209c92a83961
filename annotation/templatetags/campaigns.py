"""What the header and the tabs of a campaign show."""

from __future__ import annotations

from decimal import Decimal

from django import template
from django.template import RequestContext

from annotation.models import Campaign, FollowUp
from annotation.providers import PROVIDERS
from annotation.providers.base import Marketplace
from annotation.selectors import progress, review_queue
from annotation.services.market import spending
from annotation.services.market.ledger import dollars
from kernel.templatetags.tesa import counted, money

register = template.Library()


@register.simple_tag
def way_in(campaign: Campaign) -> str:
    """Return the id of the part of the campaign's page that says how people come in."""
    return PROVIDERS[campaign.provider].ask[0]


@register.simple_tag(takes_context=True)
def tab_counts(context: RequestContext, campaign: Campaign) -> dict[str, int]:
    """Count the participants, and the tasks that wait for the viewer's review, if the page has not done so.

    `is_follow_up` is 1 where the campaign asks about answers of another.
    """
    user, counted = context["request"].user, progress.progress_of(campaign)
    waiting = int(context.get("waiting_for_you") or 0)
    if "waiting_for_you" not in context and user.has_perm("annotation.add_review"):
        review = context.get("review")  # counted on the campaign's first page
        open_tasks = review.open_tasks if review else sum(review_queue.open_tasks([campaign]).values())
        waiting = open_tasks - review_queue.open_but_decided_by(campaign, user)
    asks_about_answers = FollowUp.objects.filter(sample=campaign.sample_id, parent__isnull=False).exists()
    return {
        "participants": counted.people + counted.simulated,
        "to_review": waiting,
        "is_follow_up": int(asks_about_answers),
    }


@register.simple_tag(takes_context=True)
def may_spend(context: RequestContext, campaign: Campaign) -> bool:
    """Say whether the viewer may decide what leads to spending on this campaign."""
    return spending.may_decide(campaign, context["request"].user)


@register.filter
def is_marketplace(provider: str) -> bool:
    """Say whether people accept tasks of this provider one at a time."""
    return isinstance(PROVIDERS[provider], Marketplace)


ACTIVITY = {
    "pastes": "paste",
    "pasted": "letter pasted,letters pasted",
    "blurs": "time away,times away",
    "keys": "key",
}


@register.filter
def activity(signals: dict[str, int] | None) -> list[str]:
    """Return what was recorded while somebody answered, in words: 1 paste, 60 keys."""
    return [counted(signals[name], words) for name, words in ACTIVITY.items() if name in (signals or {}) and signals]


register.filter("cents", dollars)  # an amount in cents as units of its currency, as in 12.40


@register.filter
def cents_in(amount: int, currency: str) -> str:
    """Return an amount in cents with its currency, as in $12.40."""
    return money(Decimal(amount) / 100, currency)
