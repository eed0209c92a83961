"""The account pages: sign-in, profile, password, notices, API tokens."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from kernel import selectors
from kernel.errors import InvalidInput
from kernel.models import ApiToken, User
from kernel.services import notices, people, throttling, tokens
from kernel.values import counted
from kernel.views.access import client_address, is_by_script, requires, signed_in
from kernel.views.known_browsers import remember
from tesa_site.forms import ForgottenPasswordForm, NoticesForm, ProfileForm, SignInForm, TokenForm
from tesa_site.notices import KINDS

NEW_KEY = "new_api_token"


@method_decorator(never_cache, "dispatch")
class SignIn(auth_views.LoginView):
    """The sign-in page; for a script (signing_in.js), the same form as a dialog, and who is signed in as JSON."""

    template_name = "account/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if is_by_script(request) and request.user.is_authenticated:  # in another tab
            return self._person()
        return super().dispatch(request, *args, **kwargs)

    def get_template_names(self) -> list[str]:
        return ["account/_signed_out.html" if is_by_script(self.request) else self.template_name]

    def get_form_kwargs(self) -> dict[str, Any]:
        ids = {"auto_id": "signed-out-%s"} if is_by_script(self.request) else {}  # the page below has its own
        return {**super().get_form_kwargs(), **ids}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        if is_by_script(self.request):
            response = self._person()
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        response.status_code = 422 if is_by_script(self.request) else response.status_code
        return response

    def _person(self) -> JsonResponse:
        return JsonResponse({"person": signed_in(self.request).username, "token": get_token(self.request)})


class PasswordChange(auth_views.PasswordChangeView):
    template_name = "account/password_change.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: BaseForm) -> HttpResponse:
        user = signed_in(self.request)
        people.set_password(user, form.cleaned_data["new_password1"], action="change password")
        update_session_auth_hash(self.request, user)  # or they would be signed out here
        messages.success(self.request, "Your password has been changed.")
        return redirect(self.get_success_url())


class PasswordReset(auth_views.PasswordResetView):
    form_class = ForgottenPasswordForm
    template_name = "account/password_reset.html"
    email_template_name = "account/password_reset_mail.txt"
    html_email_template_name = "account/password_reset_mail.html"
    subject_template_name = "account/password_reset_subject.txt"
    success_url = reverse_lazy("password-reset-sent")
    # The link must use the public URL, whatever host name this request used.
    extra_email_context = {"origin": settings.PUBLIC_ORIGIN}

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        if wait := throttling.begin_reset(client_address(self.request)):
            form.add_error(
                None, f"Too many requests from your network address. Try again in {counted(wait, 'minute')}."
            )
            return self.form_invalid(form)
        return super().form_valid(form)


class PasswordResetSent(auth_views.PasswordResetDoneView):
    template_name = "account/password_reset_sent.html"
    extra_context = {"has_mail_server": bool(settings.EMAIL_URL), "most": settings.RESET_MAILS_PER_ACCOUNT}


class PasswordResetConfirm(auth_views.PasswordResetConfirmView):
    template_name = "account/password_reset_confirm.html"
    success_url = reverse_lazy("sign-in")

    def form_valid(self, form: BaseForm) -> HttpResponse:
        user = self.user
        assert isinstance(user, User)  # noqa: S101  (Django shows no form for a link that is not valid)
        people.set_password(user, form.cleaned_data["new_password1"], action="reset password")
        del self.request.session[auth_views.INTERNAL_RESET_SESSION_TOKEN]
        messages.success(self.request, "Your new password is set. Sign in with it.")
        response = redirect(self.get_success_url())
        remember(self.request, response, user.get_username())
        return response


@requires()
def account(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ProfileForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        people.set_profile(user, **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("account")
    notices_form = NoticesForm(user, KINDS)
    context = {
        "form": form,
        "role": people.role_of(user),
        "has_mail_server": bool(settings.EMAIL_URL),
        "notices": notices_form if notices_form.fields else None,
    }
    return render(request, "account/account.html", context, status=422 if form.errors else 200)


@require_POST
@requires()
def set_notices(request: HttpRequest) -> HttpResponse:
    """Turn e-mail notices on and off."""
    form = NoticesForm(signed_in(request), KINDS, request.POST)
    if form.is_valid() and form.chosen() and not signed_in(request).email:
        messages.error(request, "Enter your e-mail address first: nothing was switched on.")
    elif form.is_valid():
        notices.set_switches(signed_in(request), form.chosen(), KINDS)
        messages.success(request, "Saved.")
    return redirect("account")


@never_cache
@requires("kernel.use_tokens")
def api_tokens(request: HttpRequest) -> HttpResponse:
    """List and create tokens. A new key is kept in the session for one page, so that a reload creates no second one."""
    user, form = signed_in(request), TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            _, request.session[NEW_KEY] = tokens.create_token(user, **form.cleaned_data)
            return redirect("tokens")
        except InvalidInput as error:
            form.add_error("name", error.problem)
    context = {"form": form, "key": request.session.pop(NEW_KEY, ""), "tokens": selectors.tokens_of(user)}
    return render(request, "account/tokens.html", context, status=422 if form.errors else 200)


@require_POST
@requires("kernel.use_tokens")
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=token_id, user=signed_in(request))
    tokens.revoke_token(token, by=signed_in(request))
    messages.success(request, f"The token “{token.name}” was revoked.")
    return redirect("tokens")
