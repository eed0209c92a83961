"""Django's authentication, with each person's permissions cached for a few seconds."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend

from kernel.services import people


class RoleBackend(ModelBackend):
    """Permissions come from roles and from those granted to one person; `people.permissions_of` caches them."""

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        if obj is not None or not user_obj.is_active or user_obj.is_anonymous:
            return set()
        return people.permissions_of(user_obj)
