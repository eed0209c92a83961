"""What people decide about differences with a marketplace."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import kernel.clock


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0016_who_decides_to_spend'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='MarketDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(choices=[('expire', 'Expire'), ('approve', 'Approve'), ('hand over', 'Hand Over'), ('pay', 'Pay'), ('leave', 'Leave')], max_length=10)),
                ('posting_id_there', models.CharField(blank=True, max_length=64)),
                ('submission_id_there', models.CharField(blank=True, max_length=64)),
                ('reason', models.TextField(blank=True)),
                ('decided_at', models.DateTimeField(default=kernel.clock.now)),
                ('done_at', models.DateTimeField(null=True)),
                ('outcome', models.TextField(blank=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='market_decisions', to='annotation.campaign')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('entry', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.ledgerentry')),
                ('placement', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='annotation.placement')),
            ],
            options={
                'indexes': [models.Index(fields=['campaign', 'done_at'], name='market_decisions_open')],
            },
        ),
    ]
