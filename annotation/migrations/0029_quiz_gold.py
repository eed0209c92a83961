"""A quiz may be made of the campaign's own check tasks."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0028_shows_reasons'),
    ]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='quiz_gold',
            field=models.PositiveSmallIntegerField(default=0),
        ),
    ]
