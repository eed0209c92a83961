"""How close an answer to a check task comes to the known ones."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("annotation", "0019_settlement")]

    operations = [migrations.AddField("annotation", "gold_score", models.FloatField(null=True))]
