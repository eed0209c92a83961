"""A task's own answer, made by reviewers."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import kernel.clock


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0018_task_settings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Settlement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reviewer_name", models.CharField(max_length=150)),
                ("why", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=kernel.clock.now)),
                ("answer", models.JSONField(null=True)),
                ("made_of", models.JSONField(default=list)),
                ("reviewer", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("task", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="settlements", to="annotation.task")),
                ("undoes", models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="undone_by", to="annotation.settlement")),
            ],
            options={"ordering": ["id"]},
        ),
    ]
