"""Names recognized by earlier rules are recognized again by the next search."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_names_of_known_instances")]

    operations = [migrations.AddField("recognition", "rules", models.PositiveSmallIntegerField(default=1))]
