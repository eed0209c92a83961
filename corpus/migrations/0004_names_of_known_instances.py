"""Instances found before: an article with tags gave its tags, any other what a pipeline recognized in it.

In batches without a transaction around all of them: an interrupted migration continues when it is run again.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations

BATCH = 1000  # instances


def fill(apps: Any, schema_editor: Any) -> None:
    instances = apps.get_model("corpus", "Instance").objects
    articles = apps.get_model("corpus", "Article").objects
    last = 0
    while batch := dict(instances.filter(id__gt=last).order_by("id").values_list("id", "article_id")[:BATCH]):
        untagged = set(articles.filter(pk__in={*batch.values()}, tags=[]).values_list("pk", flat=True))
        recognized = [pk for pk, article in batch.items() if article in untagged]
        instances.filter(pk__in=recognized).update(names_from="recognition")
        instances.filter(pk__in=batch.keys() - {*recognized}).update(names_from="tags")
        last = max(batch)
    for finding in apps.get_model("corpus", "Finding").objects.iterator():
        finding.recognized_instances = instances.filter(corpus=finding.corpus_id, names_from="recognition").count()
        finding.save(update_fields=["recognized_instances"])


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("corpus", "0003_names_from")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
