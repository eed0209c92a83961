"""The scores of somebody's answers to check tasks, added up; until now only right answers were counted."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import Case, F, FloatField, OuterRef, Subquery, Sum, Value, When
from django.db.models.functions import Cast, Coalesce, Round

MILLION = 1_000_000.0


def add_up(apps: Any, schema_editor: Any) -> None:
    """Count what is stored; an answer from before scores existed counts as wholly right or wrong."""
    annotation, participation = (apps.get_model("annotation", name) for name in ("Annotation", "Participation"))
    hit = Case(When(is_gold_hit=True, then=Value(1.0)), default=Value(0.0), output_field=FloatField())
    points = Cast(Round(Coalesce(F("gold_score"), hit) * MILLION), models.BigIntegerField())
    judged = annotation.objects.filter(assignment__participation=OuterRef("pk"), is_gold_hit__isnull=False)
    sums = judged.order_by().values("assignment__participation").annotate(sum=Sum(points)).values("sum")
    people = participation.objects.filter(gold_seen__gt=0)
    people.update(gold_points=Coalesce(Subquery(sums, output_field=models.BigIntegerField()), 0))


class Migration(migrations.Migration):

    dependencies = [("annotation", "0025_authors_after_withdrawal")]

    operations = [
        migrations.AddField("participation", "gold_points", models.PositiveBigIntegerField(default=0)),
        migrations.RunPython(add_up, migrations.RunPython.noop, elidable=True),
    ]
