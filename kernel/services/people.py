"""Users and their roles."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.contrib.auth.models import Group, Permission
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet

from kernel.errors import InvalidInput
from kernel.models import User
from kernel.roles import PERMISSIONS, PERSONAL_PERMISSIONS, Role
from kernel.services import audit

PERMISSION_SECONDS = 5


def sync_roles() -> None:
    """Give the three groups exactly the permissions in `roles.PERMISSIONS`."""
    by_name = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.select_related("content_type")
    }
    for role, names in PERMISSIONS.items():
        group, _ = Group.objects.get_or_create(name=role.value)
        # A permission of an app that is not migrated yet is added after that app's migration.
        group.permissions.set([by_name[name] for name in sorted(names) if name in by_name])


@transaction.atomic
def create_user(
    username: str,
    *,
    role: Role,
    password: str | None = None,
    email: str = "",
    by: User | None = None,
    is_demo: bool = False,
) -> User:
    """Add a user. Without a password, they set one through "Forgot your password?"."""
    if User.objects.filter(username__iexact=username).exists():
        raise InvalidInput(f"the name {username!r} is already in use", field="username")
    try:
        User.username_validator(username)
        if email:
            validate_email(email)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), field="username or email") from error
    user = User.objects.create_user(username, email=email, password=password, is_demo=is_demo)
    set_role(user, role, by=by)
    return user


@transaction.atomic
def set_role(user: User, role: Role, *, by: User | None) -> None:
    """Give a person exactly this role."""
    before = role_of(user)
    user.groups.set([Group.objects.get(name=role.value)])
    forget_permissions(user)
    audit.record("set role", user, by=by, before=before, after=role.value)


def set_profile(user: User, *, first_name: str, last_name: str, email: str) -> None:
    """Store what a person says about themselves."""
    user.first_name, user.last_name, user.email = first_name, last_name, email
    user.save(update_fields=["first_name", "last_name", "email"])


@transaction.atomic
def set_password(user: User, password: str, *, action: str) -> None:
    """Store the password that somebody chose for themselves; `action` says in the audit log how it came to that."""
    user.set_password(password)
    user.save(update_fields=["password"])
    audit.record(action, user, by=user)


def permissions_of(user: User) -> set[str]:
    """Return the permissions from a person's role and those granted to them alone.

    They are cached for PERMISSION_SECONDS, and kept with this very object: a page asks for them some thirty times.
    """
    kept: set[str] | None = vars(user).get("_permissions")
    if kept is None:
        kept = vars(user)["_permissions"] = _cached_permissions(user)
    return kept


def _cached_permissions(user: User) -> set[str]:
    key = _permissions_key(user)
    permissions: set[str] | None = cache.get(key)
    if permissions is None:
        permissions = _names(Permission.objects.filter(group__user=user))
        permissions |= _names(Permission.objects.filter(user=user)) & PERSONAL_PERMISSIONS
        cache.set(key, permissions, PERMISSION_SECONDS)
    return permissions


def _names(permissions: QuerySet[Permission]) -> set[str]:
    rows = permissions.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in rows}


def personal_permissions() -> QuerySet[Permission]:
    """Return the permissions that an administrator may grant to a single person."""
    names = [name.partition(".")[::2] for name in PERSONAL_PERMISSIONS]
    wanted = [Q(content_type__app_label=app, codename=codename) for app, codename in names]
    return Permission.objects.filter(reduce(or_, wanted)).order_by("codename")


def forget_permissions(user: User) -> None:
    """Make a change of role take effect at once in this process; others follow within PERMISSION_SECONDS."""
    cache.delete(_permissions_key(user))
    vars(user).pop("_permissions", None)


def _permissions_key(user: User) -> str:
    return f"permissions.{user.pk}"


def role_of(user: User) -> str | None:
    """Return the highest role a person has."""
    names = set(user.groups.values_list("name", flat=True))
    return next((role.value for role in Role if role.value in names), None)
