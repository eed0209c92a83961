"""Submits to a marketplace what is stored here and what a browser did not hand over. Only jobs do this."""

from __future__ import annotations

from contextlib import closing
from urllib.parse import urlsplit

from annotation.models import Campaign, Placement, PlacementState
from annotation.providers.base import NotSent, Refused
from annotation.services.market import marketplaces, placing
from annotation.simulation.browser import Browser

TOO_LATE = (403, 404, 409, 410)  # what a marketplace answers when the acceptance has ended


def hand_over_again(campaign: Campaign, placement: Placement) -> None:
    """Send the form that the person's browser should have sent. The marketplace takes it once, and only in time.

    Raises Refused when the time is over there: the placement is theirs no more. Raises NotSent when no answer came.
    """
    if not placing.is_stored(placement):
        return
    completion = placing.hand_over(placement)
    address = urlsplit(completion.url)
    with closing(Browser(marketplaces.site(campaign, f"{address.scheme}://{address.netloc}"))) as browser:
        status = browser.post(address.path, completion.fields).status
    if status in TOO_LATE:
        placing.end(placement, PlacementState.RETURNED)
        raise Refused("TooLate", "The marketplace does not take the answer any more: the time for it is over there.")
    if status != 200:
        raise NotSent("The marketplace did not take the answer. It will be sent again.")
