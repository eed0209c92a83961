"""An index by which a campaign's excluded people are counted."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0011_blocks'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='participation',
            index=models.Index(fields=['campaign', 'excluded_at'], name='participation_excluded'),
        ),
    ]
