"""An index by which a campaign's progress is counted without reading its tasks."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0013_participation_paid'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='task',
            name='task_answers',
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(fields=['campaign', 'is_gold', 'answers', 'free', 'slots'], name='task_progress'),
        ),
    ]
