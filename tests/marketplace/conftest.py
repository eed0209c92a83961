from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.marketplace.market import Market, open_market


@pytest.fixture
def market(transactional_db: None, live_server: Any) -> Iterator[Market]:
    """A sandbox account at the endpoint, in a thread of this process."""
    opened = open_market(live_server.url)
    yield opened
    opened.close()


@pytest.fixture
def other(market: Market, live_server: Any) -> Iterator[Market]:
    """Another requester."""
    opened = open_market(live_server.url, name="Ben's lab")
    yield opened
    opened.close()
