"""A corpus may say where its names come from, and every instance says where its names came from."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_sample_item_kind")]

    operations = [
        migrations.AddField("corpus", "names_from", models.CharField(blank=True, default="", max_length=20)),
        migrations.AddField("instance", "names_from", models.CharField(blank=True, default="", max_length=12)),
        migrations.AddField(
            "finding", "names_from", models.CharField(default="tags_or_recognition", max_length=20)
        ),
        migrations.AddField("finding", "recognized_instances", models.PositiveIntegerField(default=0)),
    ]
