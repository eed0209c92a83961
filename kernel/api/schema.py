"""Sign-in and errors in the OpenAPI description."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from kernel.api.access import BearerToken, Session


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = BearerToken
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = Session
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "tesa_session"}


ERROR_SCHEMA = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "fields"],
            "properties": {
                "code": {"type": "string", "description": "Stable: programs may decide by it."},
                "message": {"type": "string", "description": "One sentence for people."},
                "fields": {"type": "object", "additionalProperties": True},
            },
        }
    },
}
READING_ERRORS = {
    "400": "Not understood",
    "401": "Not signed in",
    "403": "Not for this role or token",
    "404": "Not found",
}
CHANGING_ERRORS = READING_ERRORS | {
    "409": "Not in this state",
    "415": "Not JSON",
    "422": "Some fields cannot be used",
}


def describe_errors(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Add the error response to every operation of the OpenAPI description."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas["Error"] = ERROR_SCHEMA
    for name, schema in schemas.items():
        if name.endswith("Input"):
            schema["additionalProperties"] = False  # unknown fields are refused
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path in result["paths"].values():
        for method, operation in path.items():
            for status, description in (READING_ERRORS if method == "get" else CHANGING_ERRORS).items():
                operation["responses"].setdefault(status, {"description": description, "content": content})
    return result
