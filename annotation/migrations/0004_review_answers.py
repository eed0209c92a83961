"""Reviews hold answers of any task type in place of phrases. "Not aggregatable" is a correction to that answer."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

NOTHING_FITS = {"phrases": [], "impossible": True, "reason": ""}
BATCH = 500


def _answer(phrases: Any, otherwise: dict[str, Any]) -> Any:
    """Return the phrases as an answer; where there were none, the answer that was reviewed."""
    if not isinstance(phrases, list):
        return phrases
    return {"phrases": phrases, "impossible": False, "reason": ""} if phrases else otherwise


def as_answers(apps: Any, schema_editor: Any) -> None:
    Annotation, Review = (apps.get_model("annotation", name) for name in ("Annotation", "Review"))  # noqa: N806
    annotations = []
    for row in Annotation.objects.exclude(verdict="").only("pk", "verdict", "corrected").iterator(chunk_size=BATCH):
        if row.verdict == "not_aggregatable":
            row.verdict, row.corrected = "correct", dict(NOTHING_FITS)
        else:
            row.corrected = _answer(row.corrected, NOTHING_FITS)
        annotations.append(row)
    Annotation.objects.bulk_update(annotations, ["verdict", "corrected"], batch_size=BATCH)
    reviews = []
    for row in Review.objects.select_related("annotation").iterator(chunk_size=BATCH):
        row.before, row.after = (_answer(value, row.annotation.answer) for value in (row.before, row.after))
        if row.verdict == "exclude":
            row.after = None
        if row.verdict == "not_aggregatable":
            row.verdict, row.after = "correct", dict(NOTHING_FITS)
        reviews.append(row)
    Review.objects.bulk_update(reviews, ["verdict", "before", "after"], batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_gold_answers")]

    operations = [
        migrations.RenameField("annotation", "phrases", "corrected"),
        migrations.AlterField("review", "before", models.JSONField(null=True)),
        migrations.AlterField("review", "after", models.JSONField(null=True)),
        migrations.AlterField(
            "review",
            "verdict",
            models.CharField(
                choices=[
                    ("accept", "Accept"),
                    ("correct", "Correct"),
                    ("exclude", "Exclude"),
                    ("flag", "Flag"),
                    ("comment", "Remark"),
                    ("undo", "Undo"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunPython(as_answers, migrations.RunPython.noop),
    ]
