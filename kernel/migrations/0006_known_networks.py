"""Networks from which an account was used are kept for a month. Changes no column: only the names of the kinds."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('kernel', '0005_job_losses'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attempt',
            name='kind',
            field=models.CharField(choices=[('sign in', 'sign-in'), ('sign up', 'sign-up'), ('reset request', 'request for a password mail'), ('reset mail', 'password mail'), ('signed in', 'network of a person who was signed in')], max_length=20),
        ),
    ]
