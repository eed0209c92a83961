"""Who may call: every call is signed with a key of the account."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from marketplace import buckets
from marketplace.models import AccessKey, Requester
from marketplace.services import accounts
from tests.marketplace.market import Market

UNSIGNED = {"X-Amz-Target": "MTurkRequesterServiceV20170117.GetAccountBalance"}


def kind_of(client: Any) -> str:
    with pytest.raises(ClientError) as caught:
        client.get_account_balance()
    return str(caught.value.response["Error"]["Code"])


def test_an_unknown_key_a_wrong_secret_and_a_revoked_key_are_refused(market: Market):
    assert kind_of(market.connect("AKIAUNKNOWN", market.secret)) == "UnrecognizedClientException"
    assert kind_of(market.connect(market.key, "wrong")) == "InvalidSignatureException"

    accounts.revoke_key(AccessKey.objects.get(key_id=market.key).pk)

    assert kind_of(market.client) == "UnrecognizedClientException"


def test_an_account_may_have_several_keys(market: Market):
    key, secret = accounts.create_key(market.requester.pk, "the second")

    assert market.connect(key.key_id, secret).get_account_balance()["AvailableBalance"] == "10000.00"
    assert secret not in str(AccessKey.objects.values())


def test_the_installations_own_keys_work_and_preparing_twice_changes_nothing(market: Market, settings: Any):
    accounts.ensure_own_accounts()
    accounts.ensure_own_accounts()

    own = market.connect(settings.MTURK_ACCESS_KEY_ID, settings.MTURK_SECRET_ACCESS_KEY)
    rehearsal = market.connect(settings.MTURK_SANDBOX_ACCESS_KEY_ID, settings.MTURK_SANDBOX_SECRET_ACCESS_KEY)

    assert own.get_account_balance()["AvailableBalance"] == "10000.00"
    assert rehearsal.get_account_balance()["AvailableBalance"] == "10000.00"
    assert Requester.objects.exclude(own=None).count() == 2


def test_requests_without_a_whole_signature(market: Market):
    status, answer = market.send(b"{}", UNSIGNED)
    assert (status, answer["__type"]) == (403, "MissingAuthenticationTokenException")

    status, answer = market.send(b"{}", UNSIGNED | {"Authorization": "AWS4-HMAC-SHA256 Credential=AKIA"})
    assert (status, answer["__type"]) == (400, "IncompleteSignatureException")

    old = {"X-Amz-Date": "20200101T000000Z"}
    assert market.raw("GetAccountBalance", {}, **old)[1]["__type"] == "InvalidSignatureException"
    other_target = {"X-Amz-Target": UNSIGNED["X-Amz-Target"].replace("GetAccountBalance", "ListHITs")}
    assert market.raw("GetAccountBalance", {}, **other_target)[1]["__type"] == "InvalidSignatureException"
    hashed = {"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"}
    assert market.raw("GetAccountBalance", {}, **hashed)[1]["__type"] == "InvalidSignatureException"
    assert market.raw("GetAccountBalance", {}, Authorization="Bearer x")[1]["__type"] == "IncompleteSignatureException"


def test_a_changed_body_does_not_fit_its_signature(market: Market):
    signed: dict[str, str] = {}
    send, market.send = market.send, lambda body, headers: (signed.update(headers), (0, {}))[1]  # type: ignore[method-assign]
    market.raw("ListHITs", {"MaxResults": 1})

    status, answer = send(b'{"MaxResults": 2}', signed)

    assert (status, answer["__type"]) == (403, "InvalidSignatureException")
    assert send(b'{"MaxResults": 1}', signed)[0] == 200


def test_a_key_that_calls_too_often_is_throttled(market: Market, settings: Any):
    settings.MTURK_CALLS_PER_SECOND = 1
    answers = [market.raw("GetAccountBalance", {})[1] for _ in range(8)]

    assert [answer.get("__type") for answer in answers].count("ThrottlingException") >= 1
    assert "AvailableBalance" in answers[0]


def test_a_bucket_refills(monkeypatch: pytest.MonkeyPatch):
    clock = [0.0]
    monkeypatch.setattr("marketplace.buckets.time.monotonic", lambda: clock[0])

    assert [buckets.take("a key", 1) for _ in range(3)] == [True, True, False]
    clock[0] = 1.0
    assert [buckets.take("a key", 1) for _ in range(2)] == [True, False]


def test_plain_http_is_refused_where_tls_is_on_except_for_the_endpoints_host(market: Market, settings: Any):
    settings.SECURE_SSL_REDIRECT = True
    assert market.raw("GetAccountBalance", {})[0] == 403

    settings.MTURK_PLAIN_HOSTS = [market.url.split("/")[2]]
    assert market.raw("GetAccountBalance", {})[0] == 200


def test_only_post_is_answered(client: Any, db: None):
    assert client.get("/mturk/").status_code == 405
    assert client.get("/mturk").status_code == 405
