"""Sign-ups are counted apart from sign-ins. Changes no column: only the names of the kinds."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('kernel', '0003_open_jobs'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attempt',
            name='kind',
            field=models.CharField(choices=[('sign in', 'sign-in'), ('sign up', 'sign-up'), ('reset request', 'request for a password mail'), ('reset mail', 'password mail')], max_length=20),
        ),
    ]
