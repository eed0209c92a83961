"""Tasks offered on a marketplace, and each time somebody accepts one. Such turns may be several at a time."""

from __future__ import annotations

import annotation.models.campaigns
import annotation.models.placements
import django.db.models.deletion
import kernel.clock
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0007_participation_number'),
    ]

    operations = [
        migrations.CreateModel(
            name='Placement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('secret', models.CharField(default=annotation.models.placements.new_placement_secret, max_length=32, unique=True)),
                ('external_id', models.CharField(max_length=64)),
                ('nth', models.PositiveSmallIntegerField(default=1)),
                ('arrival', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('opened', 'Opened'), ('answered', 'Answered'), ('handed over', 'Handed Over'), ('submitted', 'Submitted'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('returned', 'Returned'), ('abandoned', 'Abandoned')], default='opened', max_length=12)),
                ('outcome', models.CharField(blank=True, max_length=20)),
                ('opened_at', models.DateTimeField(default=kernel.clock.now)),
                ('answered_at', models.DateTimeField(null=True)),
                ('submitted_at', models.DateTimeField(null=True)),
                ('approve_by', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('feedback', models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name='Posting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=annotation.models.campaigns.new_secret, max_length=32, unique=True)),
                ('external_id', models.CharField(blank=True, max_length=64)),
                ('type_id', models.CharField(blank=True, max_length=64)),
                ('places', models.PositiveSmallIntegerField()),
                ('released', models.PositiveSmallIntegerField(default=0)),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('open', 'Open'), ('expired', 'Expired'), ('refused', 'Refused')], default='planned', max_length=10)),
                ('created_at', models.DateTimeField(default=kernel.clock.now)),
                ('expires_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='one_open_turn_per_person',
        ),
        migrations.AddField(
            model_name='assignment',
            name='is_placed',
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('is_placed', False), ('status', 'taken')), fields=('participation',), name='one_open_turn_per_person'),
        ),
        migrations.AddField(
            model_name='placement',
            name='assignment',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='placements', to='annotation.assignment'),
        ),
        migrations.AddField(
            model_name='placement',
            name='participation',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='annotation.participation'),
        ),
        migrations.AddField(
            model_name='posting',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='postings', to='annotation.campaign'),
        ),
        migrations.AddField(
            model_name='posting',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='postings', to='annotation.task'),
        ),
        migrations.AddField(
            model_name='placement',
            name='posting',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='annotation.posting'),
        ),
        migrations.AddIndex(
            model_name='posting',
            index=models.Index(fields=['campaign', 'state'], name='posting_by_state'),
        ),
        migrations.AddConstraint(
            model_name='posting',
            constraint=models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('external_id',), name='posting_once'),
        ),
        migrations.AddConstraint(
            model_name='posting',
            constraint=models.CheckConstraint(condition=models.Q(('released__lte', models.F('places'))), name='posting_releases_its_places'),
        ),
        migrations.AddIndex(
            model_name='placement',
            index=models.Index(fields=['posting', 'state'], name='placement_by_state'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.UniqueConstraint(fields=('external_id', 'participation', 'nth'), name='placement_once'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ('returned', 'abandoned')), _negated=True), fields=('external_id',), name='placement_of_one_person'),
        ),
    ]
