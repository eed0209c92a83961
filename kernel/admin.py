"""Admin lists. Whatever must not be changed by hand is read-only here."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db import models
from django.http import HttpRequest
from django.utils.text import capfirst

from kernel.models import ApiToken, Attempt, AuditEntry, Job, JobLog, User, WorkerHeartbeat
from kernel.services import audit, people, tokens
from kernel.values import Json

AUDITED = {"username", "first_name", "last_name", "email", "is_active"}


class Titled(admin.ModelAdmin[Any]):
    """A list whose heading is the plural name of its model."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        title = capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})


class ReadOnly(Titled):
    """A read-only list."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


@admin.register(User)
class TesaUserAdmin(Titled, UserAdmin[User]):
    """Users, their roles, and the few permissions that are granted to single people."""

    list_display = ("username", "first_name", "last_name", "email", "roles", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Role", {"fields": ("groups", "is_active", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    filter_horizontal = ("groups",)
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("username", "email", "usable_password", "password1", "password2", "groups"),
            },
        ),
    )

    @admin.display(description="role")
    def roles(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.all())

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer only the permissions that can be granted to one person; all others come with a role."""
        if db_field.name != "user_permissions":
            return super().formfield_for_manytomany(db_field, request, **kwargs)
        field = forms.ModelMultipleChoiceField(
            people.personal_permissions(),
            label="Also",
            required=False,
            widget=forms.CheckboxSelectMultiple,
            help_text="Granted to this person alone, whatever their role.",
        )
        field.label_from_instance = lambda obj: str(obj.name)  # type: ignore[method-assign]
        return field

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Keep people from removing their own rights: the last administrator could not come back."""
        own = ("groups", "is_active") if obj is not None and obj == request.user else ()
        return ("last_login", "date_joined", *own)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # their work keeps its author; deactivate the account instead

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        before = {name: form.initial.get(name) for name in form.changed_data if name in AUDITED} if change else None
        super().save_model(request, obj, form, change)
        after = {name: form.cleaned_data.get(name) for name in form.changed_data if name in AUDITED}
        if after:
            assert isinstance(request.user, User)  # noqa: S101  (the admin lets nobody else in)
            audit.record("change person" if change else "add person", obj, by=request.user, before=before, after=after)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        roles, granted = _rights(form.instance) if change else ([], [])
        super().save_related(request, form, formsets, change)
        roles_now, granted_now = _rights(form.instance)
        if (roles, granted) == (roles_now, granted_now):
            return
        assert isinstance(request.user, User)  # noqa: S101
        people.forget_permissions(form.instance)
        if roles != roles_now:
            audit.record("set role", form.instance, by=request.user, before=roles, after=roles_now)
        if granted != granted_now:
            audit.record("set permissions", form.instance, by=request.user, before=granted, after=granted_now)


def _rights(user: User) -> tuple[list[Json], list[Json]]:
    """Return a person's roles and the permissions granted to them alone."""
    roles: list[Json] = sorted(user.groups.values_list("name", flat=True))
    granted: list[Json] = [*people.personal_permissions().filter(user=user).values_list("codename", flat=True)]
    return roles, granted


@admin.register(Job)
class JobAdmin(ReadOnly):
    list_display = ("id", "kind", "subject", "status", "attempt", "queue", "created_by", "created_at", "finished_at")
    list_filter = ("status", "kind", "queue")
    search_fields = ("subject",)
    exclude = ("traceback",)
    list_select_related = ("created_by",)


@admin.register(JobLog)
class JobLogAdmin(ReadOnly):
    list_display = ("at", "job", "attempt", "text")


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnly):
    list_display = ("name", "queues", "version", "started_at", "beat_at")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly):
    list_display = ("name", "user", "start", "scope", "created_at", "expires_at", "last_used_at", "revoked_at")
    exclude = ("key_hash",)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: models.QuerySet[ApiToken]) -> None:
        assert isinstance(request.user, User)  # noqa: S101
        for token in queryset:
            tokens.revoke_token(token, by=request.user)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("kernel.change_apitoken")


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ("at", "kind", "address")
    list_filter = ("kind",)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("at", "actor_name", "action", "subject_name", "reason")
    list_filter = ("action",)
    search_fields = ("actor_name", "subject_name", "reason")
