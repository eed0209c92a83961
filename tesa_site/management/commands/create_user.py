from __future__ import annotations

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from kernel.management.running import TesaCommand
from kernel.roles import Role
from kernel.services import people


class Command(TesaCommand):
    help = "Add a user with a role. Asks for the password, or reads it from the first line of standard input."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", choices=[role.value.lower() for role in Role], default="researcher")
        parser.add_argument("--email", default="")

    def handle(self, *, username: str, role: str, email: str, **options: Any) -> None:
        password = getpass.getpass(f"Password for {username}: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
        try:
            validate_password(password)
            people.create_user(username, role=Role(role.title()), password=password, email=email)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(f"{username}: added as {role}")
