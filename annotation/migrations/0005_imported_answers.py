"""Being imported from a file becomes a property of an answer; so far it was read off the worker's provider."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import F, Q


def mark_imported(apps: Any, schema_editor: Any) -> None:
    """Simulated participants were imported if they answered without having agreed here."""
    Participation = apps.get_model("annotation", "Participation")  # noqa: N806 - a model
    Assignment = apps.get_model("annotation", "Assignment")  # noqa: N806 - a model
    simulated = Q(worker__provider="simulation", consented_at=None, answered__gt=0)
    people = list(Participation.objects.filter(Q(worker__provider="mturk") | simulated).values_list("pk", flat=True))
    for start in range(0, len(people), 500):
        some = people[start : start + 500]
        Assignment.objects.filter(participation__in=some).update(is_imported=True)
        Participation.objects.filter(pk__in=some).update(imported=F("answered"))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_review_answers")]

    operations = [
        migrations.AddField("assignment", "is_imported", models.BooleanField(default=False)),
        migrations.AddField("participation", "imported", models.PositiveIntegerField(default=0)),
        migrations.RunPython(mark_imported, migrations.RunPython.noop),
    ]
