"""How a person becomes a worker (one person, one worker id), and what they state about themselves."""

from __future__ import annotations

from django.db import transaction

from kernel.errors import InvalidInput
from kernel.models import User
from marketplace.models import Worker


@transaction.atomic
def sign_up(username: str, password: str, email: str = "") -> User:
    """Add a user without a role: they can work on HITs and nothing else."""
    if User.objects.filter(username__iexact=username).exists():
        raise InvalidInput("this name is already in use", field="username")
    return User.objects.create_user(username, email=email, password=password)


@transaction.atomic
def join(user: User, *, country: str = "", subdivision: str = "", is_adult: bool = False) -> Worker:
    """Return the user's worker, with what they state about themselves."""
    values = {"country": country, "subdivision": subdivision, "is_adult": is_adult}
    return Worker.objects.update_or_create(user=user, defaults=values)[0]


def describe(worker: Worker, *, country: str, subdivision: str, is_adult: bool) -> None:
    """Store what a worker now states about themselves."""
    Worker.objects.filter(pk=worker.pk).update(country=country, subdivision=subdivision, is_adult=is_adult)
