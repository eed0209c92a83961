"""Forms of the pages that belong to no single app."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.core.exceptions import ValidationError

from tesa_site.access import client_address
from tesa_site.kernel.models import ApiToken, User
from tesa_site.kernel.services import people
from tesa_site.kernel.services.jobs import MOST_SECONDS


class SignInForm(AuthenticationForm):
    """Django's, slowed down for whoever guesses."""

    error_messages = {
        "invalid_login": "That name and password do not go together. Capital letters count in both.",
        "inactive": "This account has been switched off.",
    }

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username", "")
        address = client_address(self.request) if self.request else None
        if wait := people.sign_in_wait_minutes(name, address):
            raise ValidationError(f"Too many failed sign-ins. Try again in {wait} minute{'s' if wait > 1 else ''}.")
        try:
            cleaned = super().clean()
        except ValidationError:
            people.record_failed_sign_in(name, address)
            raise
        if self.get_user() is not None:  # a blank password passes without having been checked
            people.forget_failed_sign_ins(name, address)
        return cleaned


class ForgottenPasswordForm(PasswordResetForm):
    """Django's, for people too who were added without a password and set their first one this way."""

    def get_users(self, email: str) -> Iterator[User]:
        return User.objects.filter(email__iexact=email, is_active=True).exclude(email="").iterator()


class ProfileForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ("first_name", "last_name", "email")
        help_texts = {"email": "Where a link goes when you forget your password."}


class TokenForm(forms.ModelForm[ApiToken]):
    class Meta:
        model = ApiToken
        fields = ("name",)
        help_texts = {"name": "What will use it, e.g. “notebook on my laptop”."}


class CheckWorkerForm(forms.Form):
    queue = forms.ChoiceField(choices=[(queue, queue) for queue in settings.QUEUES])
    seconds = forms.IntegerField(min_value=1, max_value=MOST_SECONDS, initial=10, label="For how many seconds")
