"""Submits to a marketplace what is stored here and what a browser did not hand over. Only jobs do this."""

from __future__ import annotations

from contextlib import closing
from urllib.parse import urlsplit

from annotation.models import Campaign, Placement
from annotation.services import marketplaces, placing
from annotation.services.publishing import Done
from annotation.simulation.browser import Browser
from tesa_site.kernel.errors import WrongState


def hand_over_again(campaign: Campaign, placement: Placement, done: Done) -> None:
    """Send the form that the person's browser should have sent. The marketplace takes it once, and only in time."""
    if not placing.is_stored(placement):
        return
    completion = placing.hand_over(placement)
    address = urlsplit(completion.url)
    with closing(Browser(marketplaces.site(campaign, f"{address.scheme}://{address.netloc}"))) as browser:
        status = browser.post(address.path, completion.fields).status
    if status != 200:
        done.note(WrongState("The marketplace does not take the answer any more: the time for it is over there."))
