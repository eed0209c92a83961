"""People of a campaign are numbered in the order in which they joined it."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models


def number_people(apps: Any, schema_editor: Any) -> None:
    Campaign = apps.get_model("annotation", "Campaign")  # noqa: N806 - a model
    Participation = apps.get_model("annotation", "Participation")  # noqa: N806 - a model
    for campaign in Campaign.objects.only("pk").iterator():
        people = list(Participation.objects.filter(campaign=campaign).only("pk").order_by("pk"))
        for number, person in enumerate(people, 1):
            person.number = number
        Participation.objects.bulk_update(people, ["number"], batch_size=200)
        Campaign.objects.filter(pk=campaign.pk).update(joined=len(people))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_task_variants")]

    operations = [
        migrations.AddField("campaign", "joined", models.PositiveIntegerField(default=0)),
        migrations.AddField("participation", "number", models.PositiveIntegerField(default=0), preserve_default=False),
        migrations.RunPython(number_people, migrations.RunPython.noop),
        migrations.AddConstraint(
            "participation", models.UniqueConstraint(fields=["campaign", "number"], name="participation_number")
        ),
    ]
