"""People who miss a check task may be shown why."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0027_trust_stops'),
    ]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='shows_reasons',
            field=models.BooleanField(default=False),
        ),
    ]
