"""A limit of trust: people below get no more tasks. Each stop is kept with its evidence."""

from __future__ import annotations


import django.db.models.deletion
import kernel.clock
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0026_gold_points'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='trust_stop',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='campaign',
            name='trust_tests',
            field=models.PositiveSmallIntegerField(default=5),
        ),
        migrations.AddField(
            model_name='participation',
            name='stopped_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='participation',
            name='trust_from',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.CreateModel(
            name='TrustStop',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField(default=kernel.clock.now)),
                ('points', models.PositiveBigIntegerField()),
                ('tests', models.PositiveIntegerField()),
                ('percent', models.PositiveSmallIntegerField()),
                ('undone_at', models.DateTimeField(null=True)),
                ('undone_why', models.TextField(blank=True)),
                ('participation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stops', to='annotation.participation')),
                ('undone_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('undone_at', None)), fields=('participation',), name='one_open_stop')],
            },
        ),
    ]
