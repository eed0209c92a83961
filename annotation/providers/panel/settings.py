"""A panel's settings: the parameters with which it sends people, and the address that takes them back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from annotation.providers.base import Outcome, wrong_setting

PARAMETER = re.compile(r"[A-Za-z_][\w.-]{0,59}", re.ASCII)
CODE = re.compile(r"[A-Za-z0-9_-]{1,100}")
PLACEHOLDER = re.compile(r"\{(\w*)\}")
FILLED = ("code", "worker", "study", "session")  # what a redirect may hold in braces
MISSING = {
    "worker": "enter the name of the parameter that holds the person's id",
    "codes.completed": "enter the code for people who complete the work",
}
FIELDS = ("preset", "site", "worker", "study", "session", "redirect", "codes", "preview")


@dataclass(frozen=True)
class PanelSettings:
    """Names of address parameters, the way back, and a completion code for each outcome."""

    preset: str = "other"
    site: str = "the panel"
    worker: str = ""  # the parameter with the person's id
    study: str = ""
    session: str = ""
    redirect: str = ""  # https address with {code} (or {worker}) in it; "" = people copy the code
    codes: Mapping[str, str] = field(default_factory=dict)
    preview: tuple[str, ...] = ()  # worker ids that mean "only looking"
    placeholder: str = "{{NAME}}"  # what the panel replaces by parameter NAME; "" = it adds the parameters by itself

    @property
    def needs_code(self) -> bool:
        """Whether people who complete the work need a code: to copy, or in the address that takes them back."""
        return not self.redirect or "{code}" in self.redirect

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(name for name in (self.worker, self.study, self.session) if name)


PRESETS = {
    "prolific": PanelSettings(
        "prolific", "Prolific", "PROLIFIC_PID", "STUDY_ID", "SESSION_ID",
        "https://app.prolific.com/submissions/complete?cc={code}", placeholder="{{%NAME%}}",
    ),
    "connect": PanelSettings(
        "connect", "Connect", "participantId", "projectId", "assignmentId",
        "https://connect.cloudresearch.com/participant/project/{code}/complete", placeholder="",
    ),
    "sona": PanelSettings("sona", "SONA", "survey_code", placeholder="%SURVEY_CODE%"),
    "other": PanelSettings(),
}  # fmt: skip


def panel_settings(values: Mapping[str, Any]) -> PanelSettings:
    """Return the preset's settings, changed by these values of a campaign; raises InvalidInput that names the field."""
    for name in values:
        if name not in FIELDS:
            raise wrong_setting(name, f"is not a setting; the settings are {', '.join(FIELDS)}")
    preset = values.get("preset", "other")
    if preset not in PRESETS:
        raise wrong_setting("preset", f"must be one of {', '.join(PRESETS)}")
    checked: dict[str, Any] = {"codes": _codes(values.get("codes", {})), "preview": _preview(values.get("preview", []))}
    texts = ("site", "worker", "study", "session", "redirect")
    checked |= {name: _text(name, values[name]) for name in texts if name in values}
    settings = replace(PRESETS[preset], **checked)
    _check(settings)
    return settings


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > 500:
        raise wrong_setting(name, "must be a text of at most 500 characters")
    return value.strip()


def _codes(codes: Any) -> dict[str, str]:
    if not isinstance(codes, dict):
        raise wrong_setting("codes", "must be an object with a code for each outcome")
    for outcome, code in codes.items():
        if outcome not in [*Outcome]:
            raise wrong_setting(f"codes.{outcome}", f"is not an outcome; the outcomes are {', '.join(Outcome)}")
        if code != "" and not (isinstance(code, str) and CODE.fullmatch(code)):
            raise wrong_setting(f"codes.{outcome}", "must be letters, digits, - and _, at most 100 of them")
    return {outcome: code for outcome, code in codes.items() if code}


def _preview(ids: Any) -> tuple[str, ...]:
    if not isinstance(ids, list) or not all(isinstance(worker, str) for worker in ids):
        raise wrong_setting("preview", "must be a list of texts")
    return tuple(ids)


def _check(settings: PanelSettings) -> None:
    for name in ("worker", "study", "session"):
        parameter = getattr(settings, name)
        if parameter and not PARAMETER.fullmatch(parameter):
            raise wrong_setting(name, "must be the name of a parameter in the panel's links, such as PROLIFIC_PID")
    if not settings.worker:
        raise wrong_setting("worker", MISSING["worker"])
    if not settings.site:
        raise wrong_setting("site", "enter the panel's name")
    _check_redirect(settings)
    if settings.needs_code and Outcome.COMPLETED not in settings.codes:
        raise wrong_setting("codes.completed", MISSING["codes.completed"])


def _check_redirect(settings: PanelSettings) -> None:
    redirect = settings.redirect
    if not redirect:
        return
    try:
        parts = urlsplit(redirect)
        is_https = parts.scheme == "https" and bool(parts.hostname)
    except ValueError:
        is_https = False
    if not is_https or re.search(r"[\s\\]", redirect):
        raise wrong_setting("redirect", "must be a link that begins with https://")
    if parts.username is not None or re.search(r"[{}]", parts.netloc):
        raise wrong_setting("redirect", "the site's name must not hold braces or an account")
    names = PLACEHOLDER.findall(redirect)
    if unknown := [name for name in names if name not in FILLED]:
        known = ", ".join(f"{{{name}}}" for name in FILLED)
        raise wrong_setting("redirect", f"{{{unknown[0]}}} is unknown; use one of {known}")
    if not {"code", "worker"} & set(names):
        raise wrong_setting("redirect", "must have {code} where the completion code goes (or {worker})")
    if re.search(r"[{}]", PLACEHOLDER.sub("", redirect)):
        raise wrong_setting("redirect", "has a brace that belongs to no placeholder")
