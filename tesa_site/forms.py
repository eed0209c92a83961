"""Forms of the account and jobs pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.core.exceptions import ValidationError
from django.http import QueryDict

from kernel.models import ApiToken, User
from kernel.notice_kind import NoticeKind
from kernel.services import notices, throttling
from kernel.services.jobs import MOST_SECONDS
from kernel.services.tokens import DEFAULT_DAYS
from kernel.values import counted
from kernel.views.access import client_address
from kernel.views.known_browsers import is_known


class SignInForm(AuthenticationForm):
    """Django's form with a limit on attempts. An attempt is counted before its password is checked."""

    error_messages = {
        "invalid_login": "The username or the password is wrong. Both are case-sensitive.",
        "inactive": "This account has been switched off.",
    }

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username", ""), self.cleaned_data.get("password", "")
        if not (name and password):
            return super().clean()  # it checks no password
        address = client_address(self.request) if self.request else None
        known = is_known(self.request, name)
        if wait := throttling.begin_sign_in(name, address, is_known=known):
            raise ValidationError(f"Too many failed sign-ins. Try again in {counted(wait, 'minute')}.")
        cleaned = super().clean()
        throttling.end_sign_in(name, address, is_known=known)
        return cleaned


class ForgottenPasswordForm(PasswordResetForm):
    """Django's form, also for people without a password, with a limit on mails to one account."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["email"].label = "E-mail"

    def get_users(self, email: str) -> Iterator[User]:
        users = User.objects.filter(email__iexact=email, is_active=True).exclude(email="")
        return (user for user in users if throttling.begin_reset_mail(user))


class ProfileForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ("first_name", "last_name", "email")
        labels = {"email": "E-mail"}
        help_texts = {"email": "For your notices, and for a link if you forget your password."}


class NoticesForm(forms.Form):
    """Switches for the events this user may get e-mails about."""

    def __init__(self, user: User, kinds: Mapping[str, NoticeKind], data: QueryDict | None = None) -> None:
        super().__init__(data)
        on = set(user.notice_switches.values_list("kind", flat=True))
        for name, kind in notices.kinds_for(user, kinds).items():
            self.fields[name] = forms.BooleanField(label=kind.label, required=False, initial=name in on)

    def chosen(self) -> set[str]:
        return {name for name, is_on in self.cleaned_data.items() if is_on}


class TokenForm(forms.ModelForm[ApiToken]):
    days = forms.TypedChoiceField(
        choices=[("30", "30 days"), ("90", "90 days"), ("365", "One year"), ("", "Until I revoke it")],
        coerce=int,
        empty_value=None,
        required=False,
        initial=str(DEFAULT_DAYS),
        label="Works for",
    )

    class Meta:
        model = ApiToken
        fields = ("name", "scope")
        labels = {"scope": "Access"}
        help_texts = {"name": "What will use it, e.g. “notebook on my laptop”."}


class CheckWorkerForm(forms.Form):
    queue = forms.ChoiceField(choices=[(queue, queue) for queue in settings.QUEUES])
    seconds = forms.IntegerField(min_value=1, max_value=MOST_SECONDS, initial=10, label="Duration")
