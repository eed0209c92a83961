"""What the person was shown, where that differs from person to person."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("annotation", "0020_gold_score")]

    operations = [migrations.AddField("annotation", "shown", models.JSONField(default=dict))]
