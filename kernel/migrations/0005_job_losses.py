"""How often in a row the worker of a job was lost, so that a job that kills its workers is not started for ever."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('kernel', '0004_attempts_to_sign_up'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='losses',
            field=models.PositiveSmallIntegerField(default=0),
        ),
    ]
