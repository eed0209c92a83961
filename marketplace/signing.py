"""Signatures (AWS version 4): botocore's own signer makes them again, and the two are compared."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from marketplace.errors import MarketError, refused

SERVICE = "mturk-requester"
SKEW = timedelta(minutes=5)
MUST_SIGN = {"host", "x-amz-date", "x-amz-target"}
HEADER = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[A-Z0-9]{4,64})/(?P<day>\d{8})/(?P<region>[a-z0-9-]{1,32})"
    r"/(?P<service>[a-z-]{1,32})/aws4_request,\s*SignedHeaders=(?P<headers>[a-z0-9;-]{1,1000}),\s*Signature=(?P<signature>[0-9a-f]{64})"
)


@dataclass(frozen=True)
class Claim:
    """What an Authorization header says; nothing of it is proven yet."""

    key: str
    region: str
    headers: tuple[str, ...]
    signature: str
    moment: datetime


def read_claim(headers: Mapping[str, str], now: datetime) -> Claim:
    """Return who says they sent the request; raise if it is unsigned, malformed or too old.

    Header names are in lower case.
    """
    authorization = headers.get("authorization", "")
    if not authorization:
        raise refused("MissingAuthenticationTokenException", "The request is not signed.", 403)
    match = HEADER.fullmatch(authorization)
    if not match:
        raise refused("IncompleteSignatureException", "The Authorization header is not a complete version 4 signature.")
    signed = tuple(match["headers"].split(";"))
    if missing := MUST_SIGN - set(signed):
        raise _wrong(f"These headers must be signed: {', '.join(sorted(missing))}.")
    try:
        moment = datetime.strptime(headers.get("x-amz-date", ""), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise refused("IncompleteSignatureException", "X-Amz-Date is missing or malformed.") from None
    if match["service"] != SERVICE or match["day"] != moment.strftime("%Y%m%d"):
        raise _wrong(f"The credential must be scoped to {SERVICE} and the day of the request.")
    if abs(moment - now) > SKEW:
        raise _wrong(f"Signature expired: {moment:%Y%m%dT%H%M%SZ} is more than 5 minutes from {now:%Y%m%dT%H%M%SZ}.")
    return Claim(match["key"], match["region"], signed, match["signature"], moment)


def verify(claim: Claim, secret: str, *, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
    """Raise unless the signature was made with this secret for exactly this request."""
    stated = headers.get("x-amz-content-sha256")
    if stated is not None and stated != hashlib.sha256(body).hexdigest():
        raise _wrong("X-Amz-Content-SHA256 is not the hash of the body.")
    request = AWSRequest(method, url, {name: headers.get(name, "") for name in claim.headers}, data=body)
    request.context["timestamp"] = claim.moment.strftime("%Y%m%dT%H%M%SZ")
    signer = SigV4Auth(Credentials(claim.key, secret), SERVICE, claim.region)
    expected = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    if not hmac.compare_digest(expected, claim.signature):
        raise _wrong("The signature does not match: check the secret access key and the address.")


def unknown_key() -> MarketError:
    return refused("UnrecognizedClientException", "The access key is unknown or was revoked.", 403)


def _wrong(message: str) -> MarketError:
    return refused("InvalidSignatureException", message, 403)
