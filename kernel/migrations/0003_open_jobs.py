"""An index by which every page counts the jobs that wait or run."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('kernel', '0002_workerheartbeat_facts'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['status', 'lock'], name='job_open'),
        ),
    ]
