"""The type of a sample's member may be the source of a text or the facet of a row, which are longer than a type of entity.

Going back cuts longer ones.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models.functions import Length, Substr

BEFORE, LONGEST = 12, 60  # characters


def cut(apps: Any, schema_editor: Any) -> None:
    longer = apps.get_model("corpus", "SampledInstance").objects.annotate(length=Length("type"))
    longer.filter(length__gt=BEFORE).update(type=Substr("type", 1, BEFORE))


class Migration(migrations.Migration):
    dependencies = [("corpus", "0005_recognition_rules")]

    operations = [
        migrations.AlterField("sampledinstance", "type", models.CharField(max_length=LONGEST)),
        migrations.RunPython(migrations.RunPython.noop, cut),
    ]
