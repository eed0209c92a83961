"""Gold holds accepted answers with a reason, whatever the task type, in place of phrases."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def as_answers(apps: Any, schema_editor: Any) -> None:
    Task = apps.get_model("annotation", "Task")  # noqa: N806 - a model
    for task in Task.objects.exclude(gold=None).only("pk", "gold").iterator():
        if "accepted" in task.gold:
            continue
        accepted = [{"phrases": [phrase], "impossible": False, "reason": ""} for phrase in task.gold.get("phrases", ())]
        if task.gold.get("impossible"):
            accepted = [{"phrases": [], "impossible": True, "reason": ""}]
        task.gold = {"accepted": accepted, "reason": ""}
        task.save(update_fields=["gold"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_practice_answers")]

    operations = [migrations.RunPython(as_answers, migrations.RunPython.noop)]
