"""An index from which what people did and earned is added up."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0014_task_progress'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='participation',
            index=models.Index(fields=['campaign', 'worker', 'earned', 'paid', 'answered', 'active_ms', 'withdrawn_at', 'imported'], name='participation_sums'),
        ),
    ]
