"""Money on a marketplace: the ledger, the budget; rejections; what two sides say differently."""

from __future__ import annotations

import django.db.models.deletion
import kernel.clock
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0008_placements'),
        ('corpus', '0002_sample_item_kind'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Difference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('evidence', models.TextField()),
                ('posting_id_there', models.CharField(blank=True, max_length=64)),
                ('found_at', models.DateTimeField(default=kernel.clock.now)),
            ],
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('posting', 'Posting'), ('release', 'Release'), ('reward', 'Reward'), ('bonus', 'Bonus')], max_length=10)),
                ('amount_cents', models.BigIntegerField()),
                ('fee_cents', models.BigIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('reason', models.TextField(blank=True)),
                ('token', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=kernel.clock.now)),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('sending', 'Sending'), ('done', 'Done'), ('refused', 'Refused'), ('doubtful', 'Doubtful')], default='planned', max_length=10)),
            ],
        ),
        migrations.CreateModel(
            name='LedgerEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('sending', 'Sending'), ('done', 'Done'), ('refused', 'Refused'), ('doubtful', 'Doubtful')], max_length=10)),
                ('note', models.TextField(blank=True)),
                ('at', models.DateTimeField(default=kernel.clock.now)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Rejection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('asked_at', models.DateTimeField(default=kernel.clock.now)),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('overturned_at', models.DateTimeField(null=True)),
                ('overturned_why', models.TextField(blank=True)),
            ],
        ),
        migrations.AlterModelOptions(
            name='campaign',
            options={'ordering': ['-id'], 'permissions': [('spend', 'Can publish on marketplaces, pay there and reject work')]},
        ),
        migrations.AddField(
            model_name='campaign',
            name='budget_cents',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='campaign',
            name='reserved_cents',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='participation',
            name='kept_out_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='placement',
            name='approved_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('reserved_cents__lte', models.F('budget_cents'))), name='campaign_budget'),
        ),
        migrations.AddField(
            model_name='difference',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='differences', to='annotation.campaign'),
        ),
        migrations.AddField(
            model_name='difference',
            name='placement',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.placement'),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='annotation.campaign'),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='decided_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='placement',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='annotation.placement'),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='posting',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='annotation.posting'),
        ),
        migrations.AddField(
            model_name='ledgerevent',
            name='entry',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='annotation.ledgerentry'),
        ),
        migrations.AddField(
            model_name='rejection',
            name='asked_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='rejection',
            name='confirmed_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='rejection',
            name='overturned_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='rejection',
            name='placement',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='rejection', to='annotation.placement'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['campaign', 'state'], name='ledger_by_state'),
        ),
    ]
