"""A requester with keys and some workers, against the endpoint over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.client import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from marketplace.models import Requester, Worker
from marketplace.services import accounts, people, working

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>https://example.org/task?a=1</ExternalURL><FrameHeight>0</FrameHeight>'
    "</ExternalQuestion>"
)
TYPE: dict[str, Any] = {
    "AssignmentDurationInSeconds": 600,
    "Reward": "0.50",
    "Title": "Name them all",
    "Description": "One phrase for several people",
}
TARGET = "MTurkRequesterServiceV20170117."


@cache
def session() -> boto3.session.Session:
    return boto3.session.Session(region_name="us-east-1")


@dataclass
class Market:
    """An account at the endpoint: its client, its clock, and workers who act as the worker site lets them."""

    url: str
    requester: Requester
    key: str
    secret: str
    clients: list[Any] = field(default_factory=list)

    @cached_property
    def client(self) -> Any:
        return self.connect(self.key, self.secret)

    def connect(self, key: str, secret: str) -> Any:
        """Return a boto3 client with any key; `close` closes it."""
        client = session().client(
            "mturk",
            endpoint_url=self.url,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=20),
        )
        self.clients.append(client)
        return client

    def close(self) -> None:
        """Close the connections, or the server's threads would outlive the database."""
        for client in self.clients:
            client.close()

    def create_hit(self, **parameters: Any) -> dict[str, Any]:
        values = {"LifetimeInSeconds": 3600, "Question": QUESTION, "MaxAssignments": 1} | TYPE | parameters
        return self.client.create_hit(**values)["HIT"]

    def pass_time(self, seconds: int) -> None:
        """Move the account's clock; only sandbox accounts can."""
        self.requester.refresh_from_db()
        accounts.configure_sandbox(
            self.requester.pk, clock_offset_seconds=self.requester.clock_offset_seconds + seconds
        )

    def worker(self) -> Worker:
        return people.invent_workers(1)[0]

    def submitted(self, hit_id: str, worker: Worker | None = None, text: str = "cities") -> Any:
        """Return an assignment of the HIT that a worker accepted and submitted."""
        taken = working.accept(worker or self.worker(), hit_id)
        return working.submit(taken.token, taken.assignment_id, [("phrase", text)])

    @property
    def cents(self) -> tuple[int, int]:
        """Return the balance and what is on hold, in cents."""
        self.requester.refresh_from_db()
        return self.requester.balance_cents, self.requester.on_hold_cents

    def raw(self, operation: str, body: bytes | dict[str, Any], **headers: str) -> tuple[int, dict[str, Any]]:
        """Send a signed request that boto3 would refuse to make; return the status and the answer."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        target = operation if "." in operation else TARGET + operation
        own_headers = {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"}
        request = AWSRequest("POST", self.url, own_headers, data=body)
        SigV4Auth(Credentials(self.key, self.secret), "mturk-requester", "us-east-1").add_auth(request)
        return self.send(body, dict(request.headers.items()) | headers)

    def send(self, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        parts = urlsplit(self.url)
        connection = HTTPConnection(parts.netloc)
        try:
            connection.request("POST", parts.path, body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


def open_market(url: str, *, is_sandbox: bool = True, name: str = "Ada's lab") -> Market:
    """Open an account at a running server; its HITs can be changed and seen at once."""
    requester = accounts.create_requester(name, is_sandbox=is_sandbox)
    Requester.objects.filter(pk=requester.pk).update(fresh_seconds=0, visible_seconds=0)
    key, secret = accounts.create_key(requester.pk)
    return Market(url + "/mturk/", requester, key.key_id, secret)


@contextmanager
def refused(code: str, kind: str = "RequestError", saying: str = "") -> Iterator[None]:
    """Expect an error: its TurkErrorCode (without the prefix), or its kind, and words of its message."""
    with pytest.raises(ClientError) as caught:
        yield
    response: Any = caught.value.response
    assert response["Error"]["Code"] == kind, response
    assert saying in response["Error"]["Message"]
    if kind == "RequestError":
        assert response["TurkErrorCode"] == f"AWS.MechanicalTurk.{code}", response
