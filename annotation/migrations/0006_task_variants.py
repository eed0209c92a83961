"""A task is unique by campaign, member and variant, and keys in releases have room for the variant."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_imported_answers"), ("corpus", "0002_sample_item_kind")]

    operations = [
        migrations.AddField("task", "variant", models.CharField(blank=True, default="", max_length=30)),
        migrations.RemoveConstraint("task", "task_once_per_member"),
        migrations.AddConstraint(
            "task",
            models.UniqueConstraint(fields=["campaign", "member", "variant"], name="task_once_per_member_and_variant"),
        ),
        migrations.AlterField("releaseitem", "key", models.CharField(max_length=100)),
        migrations.AlterField("releasediscard", "key", models.CharField(max_length=100)),
    ]
