"""People who are blocked on their marketplace, and whether it knows."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0010_comparing'),
    ]

    operations = [
        migrations.AddField(
            model_name='worker',
            name='block_sent_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='worker',
            name='blocked_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='worker',
            name='blocked_why',
            field=models.TextField(blank=True),
        ),
    ]
