"""What a task type lets each campaign choose."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("annotation", "0017_market_decisions")]

    operations = [migrations.AddField("campaign", "task_settings", models.JSONField(default=dict))]
