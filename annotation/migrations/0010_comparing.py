"""What both sides of a marketplace add up to, and when they were last compared."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0009_ledger'),
    ]

    operations = [
        migrations.CreateModel(
            name='MarketAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=128, unique=True)),
                ('base_cents', models.BigIntegerField()),
                ('seen_cents', models.BigIntegerField(default=0)),
                ('seen_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name='campaign',
            name='compared_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='difference',
            name='bonus_there',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='difference',
            name='entry',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.ledgerentry'),
        ),
        migrations.AddField(
            model_name='difference',
            name='submission_id_there',
            field=models.CharField(blank=True, max_length=64),
        ),
    ]
