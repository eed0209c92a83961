"""boto3 with time-outs, without its own retries, and with errors that say whether a call was carried out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from annotation.providers.base import Doubtful, NotSent, Refused
from kernel.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    import boto3

CONNECT_S, READ_S = 5, 20
SERVICE, REGION = "mturk-requester", "us-east-1"
NEWEST = "1.44.0"  # of the versions of botocore that have a model of MTurk
CLOSED = (
    "Amazon Mechanical Turk closed on 30 September 2026, so its addresses are refused. Use this installation's own "
    "marketplace, or set TESA_MTURK_ALLOW_AWS to call Amazon anyway."
)
AMAZON = ("amazonaws.com", "mturk.com", "amazonaws.com.cn")
ONE_AT_A_TIME = Lock()  # boto3 makes clients for one thread at a time
THROTTLES = ("throttl", "toomanyrequests", "requestlimitexceeded")


def knows_mturk() -> bool:
    """Say whether the installed botocore has a model of MTurk, without importing it."""
    spec = find_spec("botocore")
    return any((Path(place) / "data" / "mturk").is_dir() for place in (spec and spec.submodule_search_locations) or ())


def check_endpoint(endpoint: str, *, allow_aws: bool) -> None:
    host = (urlsplit(endpoint).hostname or "").lower().rstrip(".")
    if not allow_aws and any(host == name or host.endswith(f".{name}") for name in AMAZON):
        raise InvalidInput(CLOSED)


@cache
def _session() -> boto3.Session:
    """Return the session of this process: its first client takes 80 ms of reading Amazon's files, each later one 3."""
    import boto3

    return boto3.Session()


class Client:
    """Calls operations of the protocol by name. Raises Refused, NotSent or Doubtful, and nothing of botocore."""

    def __init__(self, endpoint: str, key_id: str, secret: str, *, allow_aws: bool = False) -> None:
        from botocore.config import Config
        from botocore.exceptions import UnknownServiceError

        check_endpoint(endpoint, allow_aws=allow_aws)
        config = Config(retries={"total_max_attempts": 1}, connect_timeout=CONNECT_S, read_timeout=READ_S)
        keys = {"aws_access_key_id": key_id, "aws_secret_access_key": secret}
        try:
            with ONE_AT_A_TIME:
                self.boto = _session().client(  # type: ignore[call-overload]
                    "mturk", region_name=REGION, endpoint_url=endpoint, config=config, **keys
                )
        except UnknownServiceError as error:
            raise Unavailable(f"The installed botocore no longer knows MTurk: install botocore {NEWEST}.") from error
        self.endpoint, self.keys = endpoint, (key_id, secret)
        self.known: dict[str, str] = {}  # ids of HIT types and qualifications that were looked up

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        from botocore import exceptions

        try:
            answer: dict[str, Any] = getattr(self.boto, operation)(**parameters)
        except exceptions.ClientError as error:
            raise error_of(operation, error.response) from error
        except (exceptions.ConnectTimeoutError, exceptions.EndpointConnectionError) as error:
            raise NotSent("The marketplace cannot be reached.") from error
        except exceptions.HTTPClientError as error:
            raise Doubtful(f"The marketplace did not answer {operation}.") from error
        except exceptions.ParamValidationError as error:
            raise Refused("ParamValidation", str(error)) from error
        except exceptions.BotoCoreError as error:
            raise Doubtful(f"The marketplace's answer to {operation} cannot be read.") from error
        return answer

    def sandbox(self, operation: str, **body: Any) -> dict[str, Any]:
        """Call an operation that only sandbox accounts of our own marketplace have, beside the protocol."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
        from botocore.httpsession import URLLib3Session

        headers = {"X-Amz-Target": f"TesaSandbox.{operation}", "Content-Type": "application/x-amz-json-1.1"}
        request = AWSRequest("POST", self.endpoint, headers, data=json.dumps(body).encode())
        SigV4Auth(Credentials(*self.keys), SERVICE, REGION).add_auth(request)
        try:
            answer = URLLib3Session(timeout=READ_S).send(request.prepare())
            read: dict[str, Any] = json.loads(answer.content)
        except Exception as error:
            raise Doubtful(f"The marketplace did not answer {operation}.") from error
        if answer.status_code != 200:
            raise Refused(operation, str(read.get("Message") or read.get("message") or "The sandbox refused."))
        return read

    def pages(self, operation: str, field: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of all pages; the end is an empty page or one without a token."""
        token: dict[str, str] = {}
        while True:
            answer = self.call(operation, MaxResults=100, **token, **parameters)
            yield from answer.get(field, ())
            if not answer.get(field) or not answer.get("NextToken"):
                return
            token = {"NextToken": answer["NextToken"]}


def error_of(operation: str, response: Any) -> Refused | NotSent | Doubtful:
    error = response.get("Error", {})
    code = str(response.get("TurkErrorCode") or error.get("Code", ""))
    message = str(error.get("Message") or response.get("Message") or code)
    if any(word in f"{code} {error.get('Code', '')}".lower() for word in THROTTLES):
        return NotSent("The marketplace asks for fewer calls a second.")
    if response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500) >= 500 or error.get("Code") == "ServiceFault":
        return Doubtful(f"The marketplace failed at {operation}: {message}")
    return Refused(code, message)
