"""What each person was paid in all, so that a list of them need not add up their payments."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery, Sum
from django.db.models.functions import Round


def add_up(apps: Any, schema_editor: Any) -> None:
    payments = apps.get_model("annotation", "Payment").objects.filter(cancelled_at=None)
    of_person = payments.filter(participation=OuterRef("pk")).order_by().values("participation")
    paid = Round(Subquery(of_person.annotate(sum=Sum("amount")).values("sum")), 2)  # SQLite adds floating-point numbers
    people = apps.get_model("annotation", "Participation").objects
    people.filter(pk__in=payments.values("participation")).update(paid=paid)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0012_excluded_people'),
    ]

    operations = [
        migrations.AddField(
            model_name='participation',
            name='paid',
            field=models.DecimalField(decimal_places=2, default=0, max_digits=10),
        ),
        migrations.RunPython(add_up, migrations.RunPython.noop),
    ]
