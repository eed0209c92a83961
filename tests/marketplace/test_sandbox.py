"""Faults and time of sandbox accounts."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from marketplace.models import HIT, Worker
from tests.marketplace.market import Market, open_market, refused


def ask(market: Market, *faults: dict[str, Any]) -> None:
    assert market.raw("TesaSandbox.Configure", {"Faults": list(faults)})[0] == 200


@pytest.mark.parametrize(("when", "made"), [("before", 0), ("after", 1)])
def test_a_call_fails_before_or_after_it_was_carried_out(market: Market, when: str, made: int):
    ask(market, {"kind": "error", "operation": "CreateHIT", "when": when})

    with pytest.raises(ClientError) as caught:
        market.create_hit()

    assert caught.value.response["Error"]["Code"] == "ServiceFault"
    assert HIT.objects.count() == made
    market.client.get_account_balance()


def test_throttling_comes_plain_and_wrapped(market: Market):
    ask(market, {"kind": "throttle"})
    with refused("", "ThrottlingException"):
        market.client.get_account_balance()

    ask(market, {"kind": "throttle_wrapped"})
    with refused("ThrottlingException"):
        market.client.get_account_balance()


def test_a_call_hangs_and_a_rate_of_nothing_strikes_nobody(market: Market, monkeypatch: pytest.MonkeyPatch):
    waited: list[float] = []
    monkeypatch.setattr("marketplace.api.endpoint.time.sleep", waited.append)
    ask(market, {"kind": "error", "rate": 0}, {"kind": "hang", "seconds": 3})

    market.client.get_account_balance()

    assert waited == [3]


def test_a_call_that_is_cut_off_leaves_the_caller_in_doubt(market: Market):
    ask(market, {"kind": "reset", "operation": "CreateHIT", "when": "after"})

    with pytest.raises((ClientError, ReadTimeoutError)):  # the test's server hands over no socket to close
        market.create_hit()

    assert HIT.objects.count() == 1


def test_invented_workers_and_money_are_for_sandboxes_only(market: Market, live_server: Any):
    status, answer = market.raw("TesaSandbox.InventWorkers", {"Count": 2})
    assert (status, len(answer["Workers"])) == (200, 2)
    assert Worker.objects.filter(is_invented=True, secret=answer["Workers"][0]["Secret"]).exists()
    assert market.raw("TesaSandbox.Deposit", {"Cents": 5}) == (200, {})
    assert market.cents == (1_000_005, 0)

    real = open_market(live_server.url, is_sandbox=False)

    for operation in ("Configure", "Deposit", "InventWorkers"):
        assert real.raw(f"TesaSandbox.{operation}", {})[1]["TurkErrorCode"].endswith("PermissionDeniedException")


def test_a_sandbox_sets_how_long_new_hits_and_submits_are_unsettled(market: Market):
    assert market.raw("TesaSandbox.Configure", {"FreshSeconds": 0, "VisibleSeconds": 7})[0] == 200
    assert market.raw("TesaSandbox.Configure", {"FreshSeconds": 3601})[0] == 400

    market.requester.refresh_from_db()
    assert (market.requester.fresh_seconds, market.requester.visible_seconds) == (0, 7)
