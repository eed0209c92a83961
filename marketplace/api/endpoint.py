"""POST /mturk/: signed, checked, answered as boto3 expects."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt

from kernel.clock import now
from marketplace import buckets, faults, signing, validation, wire
from marketplace.api import OPERATIONS, sandbox
from marketplace.api.calls import Call
from marketplace.errors import MarketError, refused, service_fault
from marketplace.models import AccessKey, Requester
from marketplace.services import accounts, settling

logger = logging.getLogger(__name__)
MOST_BYTES = 1_000_000


@csrf_exempt  # no cookie is read here: the signature is the credential
def endpoint(request: HttpRequest) -> JsonResponse:
    """Answer one call of the requester protocol."""
    request_id = str(uuid.uuid4())
    try:
        status, body = 200, _answer(request, request_id)
    except MarketError as error:
        status, body = error.status, error.body()
    except Exception:
        logger.exception("a call of the requester protocol failed request_id=%s", request_id)
        status, body = 500, service_fault("The service failed; nothing is known about the outcome.").body()
    response = JsonResponse(dict(body), status=status, content_type=wire.CONTENT_TYPE)
    response["x-amzn-RequestId"] = request_id
    return response


def _answer(request: HttpRequest, request_id: str) -> Mapping[str, Any]:
    _check_transport(request)
    body = _read(request)
    requester = _caller(request, body)
    target = request.headers.get("X-Amz-Target", "")
    if target.startswith(sandbox.PREFIX):
        return sandbox.answer(requester, target, wire.read_body(body))
    operation = wire.operation_named(target)
    fault = faults.drawn(faults.read_faults(requester.faults), operation.name) if requester.faults else None
    if fault and not fault.is_after:
        _strike(request, fault)
    moment = accounts.time_of(requester)
    call = Call(requester, operation.name, validation.checked(operation, wire.read_body(body)), request_id, moment)
    settling.settle(requester, moment)
    answer = wire.encode(operation.output_shape, OPERATIONS[operation.name](call))
    if fault and fault.is_after:
        _strike(request, fault)
    return dict(answer)


def _check_transport(request: HttpRequest) -> None:
    """Refuse plain HTTP where pages are redirected to TLS, except on the hosts of TESA_MTURK_ENDPOINT."""
    if (
        settings.SECURE_SSL_REDIRECT
        and not request.is_secure()
        and request.get_host() not in settings.MTURK_PLAIN_HOSTS
    ):
        raise refused("InvalidTransportException", "Use https for this address.", 403)
    if request.method != "POST":
        raise refused("MethodNotAllowedException", "Send calls of the MTurk protocol by POST.", 405)


def _read(request: HttpRequest) -> bytes:
    too_large = refused("RequestEntityTooLargeException", f"The body has more than {MOST_BYTES:,} bytes.", 413)
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
            raise too_large
        body = request.body
    except RequestDataTooBig:
        raise too_large from None
    except (ValueError, UnreadablePostError):
        raise refused("SerializationException", "The body could not be read.") from None
    return body


def _caller(request: HttpRequest, body: bytes) -> Requester:
    """Return the account whose key signed the request; take one call from the key's limit."""
    headers = {name.lower(): " ".join(value.split()) for name, value in request.headers.items()}
    claim = signing.read_claim(headers, now())
    key = AccessKey.objects.select_related("requester").filter(key_id=claim.key, revoked_at=None).first()
    if key is None:
        raise signing.unknown_key()
    scheme = "https" if request.is_secure() else "http"
    url = f"{scheme}://{request.headers.get('Host', '')}{request.get_full_path()}"
    signing.verify(claim, accounts.secret_of(key), method=request.method or "", url=url, headers=headers, body=body)
    if not buckets.take(key.key_id, settings.MTURK_CALLS_PER_SECOND):
        raise refused("ThrottlingException", "Rate exceeded")
    return key.requester


def _strike(request: HttpRequest, fault: faults.Fault) -> None:
    """Do what a fault says: wait, close the connection, or raise its error."""
    if fault.kind == "hang":
        time.sleep(fault.seconds)
    if fault.kind == "reset" and (connection := _connection(request)):
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
    if fault.kind != "hang":
        raise faults.error_of(fault)


def _connection(request: HttpRequest) -> socket.socket | None:
    """Return the socket of the request, as the web server (gunicorn) hands it over."""
    connection = request.META.get("gunicorn.socket")
    return connection if isinstance(connection, socket.socket) else None
