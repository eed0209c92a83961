"""What pages, dataset card and datasheet say about a release of aggregations."""

from __future__ import annotations

from annotation.task_types.releases import ReleaseWords

WORDS = ReleaseWords(
    item="Entities",
    cleanings="“paper” follows the published dataset's rules, faults included.",
    nothing_fits="not aggregatable",
    top="Most frequent aggregations",
    histograms="Shares of instances by number of entities, of different aggregations and of answers, "
    "beside the published dataset",
    published_note="the published dataset's were counted with an earlier set of rules",
    description="Phrases that name several entities at once.",
    tables="Two tables: `instances` (one line for each instance, with its aggregations and annotations) and "
    "`annotations` (one line\nfor each person's annotation).",
    composition="Each instance is a set of two to six entities of one type with a passage of a news article that "
    "mentions them all, what\nis told of each entity, and phrases that name them together.",
    agreement="On one question: did the annotator find a phrase, or none? Instances that were left out in the end "
    "because too few\npeople found a phrase are included.",
    measured="answered or not aggregatable, before instances are left out",
    reviewed="Of the annotations of the release, reviewers accepted {accept:,}, put their own words in the place of "
    "{correct:,} and found {not_aggregatable:,} not aggregatable; `verdict` says which. What somebody looked at and "
    "accepted stays even where a cleaning rule would discard it.",
    hub_tasks=("text-generation", "text-ranking"),
)
