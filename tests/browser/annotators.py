"""People in campaigns of the running product, each with an address of their own."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page

from tests.product import Product

Places = dict[str, dict[str, Any]]  # for each name: the address of their task, their campaign and its slug
STAND_IN = "https://panel.tesa.invalid/complete"
PANEL = {
    "provider": "panel",
    "provider_settings": {
        "site": "the panel",
        "worker": "pid",
        "redirect": STAND_IN + "?cc={code}",
        "codes": {"completed": "DONE1"},
    },
}
MAKE = """
import json, sys
from annotation.models import Participation
from tests.make import make_campaign, make_participation
made = {}
for name, (fields, is_ready) in json.loads(sys.argv[1]).items():
    campaign = make_campaign(f"Phrases of {name}", **fields)
    person = make_participation(campaign, name, is_ready=is_ready)
    made[name] = {"address": f"/task/{person.secret}/", "campaign": campaign.pk, "slug": campaign.slug}
print(json.dumps(made))
"""


def make_places(product: Product, wanted: dict[str, tuple[dict[str, Any], bool]]) -> Places:
    """Return for each name a place in a campaign of its own: (its fields, whether it is ready for the first task)."""
    output = product.python(MAKE, json.dumps(wanted))
    return dict(json.loads(output))


def phrase(page: Page) -> Locator:
    """Return the field for the phrase."""
    return page.get_by_label("One phrase for all of them")
