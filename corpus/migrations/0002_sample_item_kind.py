"""A sample says what it holds. All that are stored hold instances."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]

    operations = [migrations.AddField("sample", "item_kind", models.CharField(default="instance", max_length=20))]
