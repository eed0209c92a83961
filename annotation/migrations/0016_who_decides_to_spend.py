"""Who last decided to spend on a campaign, and when. For those with a budget it is who set the budget."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from kernel.clock import now


def keep_going(apps: Any, schema_editor: Any) -> None:
    """Let open campaigns go on in the name of the person who set their budget."""
    campaigns, entries = apps.get_model("annotation", "Campaign"), apps.get_model("kernel", "AuditEntry")
    for campaign in campaigns.objects.filter(budget_cents__gt=0):
        about = {"action": "set budget", "subject_type": "annotation.campaign", "subject_id": str(campaign.pk)}
        by = entries.objects.filter(**about).order_by("-id").values_list("actor_id", flat=True).first()
        campaigns.objects.filter(pk=campaign.pk).update(spend_at=now(), spend_by_id=by)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0015_participation_sums'),
        ('kernel', '0003_open_jobs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='spend_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='campaign',
            name='spend_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(keep_going, migrations.RunPython.noop),
    ]
