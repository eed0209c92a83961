"""The part of the campaign form that is about a provider's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.module_loading import import_string

from annotation.providers import PROVIDERS
from annotation.providers.base import Settings


class NeededText(forms.CharField):
    """A text that the chosen provider needs; a browser cannot ask for it, because the field is hidden otherwise."""

    is_needed = True

    def __init__(self, *, problem: str, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self.problem = problem  # a sentence for people who leave it empty
        self.widget.attrs["aria-required"] = "true"


class ProviderForm(forms.Form):
    """A provider's settings. Its fields join those of the campaign form, so their names must differ from all others."""

    title: ClassVar[str]
    shown: ClassVar[int] = 2  # fields at once; the others are under "More settings"
    field_of: ClassVar[Mapping[str, str]]  # setting, by the path that errors name → field

    @classmethod
    def missing(cls, cleaned: Mapping[str, Any]) -> dict[str, str]:
        """Return a sentence for each field that must be filled in and is not; all are shown at once."""
        needed = {name: field.problem for name, field in cls.base_fields.items() if isinstance(field, NeededText)}
        return {name: problem for name, problem in needed.items() if not cleaned.get(name)}

    @staticmethod
    def initial_of(settings: Settings) -> dict[str, Any]:
        """Return the fields' contents for these settings, which may be empty."""
        raise NotImplementedError

    @staticmethod
    def settings_of(cleaned: Mapping[str, Any], before: Settings) -> dict[str, Any]:
        """Return the settings for these contents; settings in `before` that the form does not ask for stay."""
        raise NotImplementedError


def provider_forms() -> dict[str, type[ProviderForm]]:
    """Return the forms of all providers that have settings, by the provider's name."""
    paths = {name: PROVIDERS[name].settings_form for name in PROVIDERS}
    return {name: import_string(path) for name, path in paths.items() if path}
