"""The three roles and their permissions. `sync_roles` writes them to Django's groups."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    ADMINISTRATOR = "Administrator"
    RESEARCHER = "Researcher"
    ANNOTATOR = "Annotator"


ANNOTATOR_PERMISSIONS = frozenset({"kernel.use_tokens", "annotation.add_annotation"})

RESEARCHER_PERMISSIONS = ANNOTATOR_PERMISSIONS | {
    "kernel.access_admin",
    "kernel.run_job",
    "kernel.view_job",
    "kernel.view_joblog",
    "kernel.view_workerheartbeat",
    "kernel.view_pipeline",
    "annotation.add_campaign",
    "annotation.add_instructions",
    "annotation.add_taskdescription",
    "annotation.change_campaign",
    "annotation.change_participation",
    "annotation.delete_campaign",
    "annotation.view_annotation",
    "annotation.view_assignment",
    "annotation.view_campaign",
    "annotation.view_instructions",
    "annotation.view_participation",
    "annotation.view_taskdescription",
    "annotation.view_worker",
    "annotation.add_review",
    "annotation.view_agreementreport",
    "annotation.view_review",
    "annotation.view_reviewitem",
    "annotation.add_release",
    "annotation.delete_release",
    "annotation.view_release",
    "annotation.view_releaseexport",
    "annotation.view_releaseitem",
    "corpus.add_background",
    "corpus.add_corpus",
    "corpus.add_sample",
    "corpus.change_background",
    "corpus.change_entity",
    "corpus.delete_corpus",
    "corpus.delete_sample",
    "corpus.view_article",
    "corpus.view_background",
    "corpus.view_corpus",
    "corpus.view_entity",
    "corpus.view_entitycorrection",
    "corpus.view_instance",
    "corpus.view_readproblem",
    "corpus.view_readunit",
    "corpus.view_sample",
    "corpus.view_sampledinstance",
    "modeling.add_errornote",
    "modeling.add_experiment",
    "modeling.change_experiment",
    "modeling.delete_experiment",
    "modeling.delete_split",
    "modeling.train_run",
    "modeling.view_errornote",
    "modeling.view_experiment",
    "modeling.view_run",
    "modeling.view_split",
}

ADMINISTRATOR_PERMISSIONS = RESEARCHER_PERMISSIONS | {
    "annotation.view_external_id",
    "marketplace.change_worker",
    "marketplace.manage_requesters",
    "marketplace.view_assignment",
    "marketplace.view_hit",
    "marketplace.view_movement",
    "marketplace.view_worker",
    "kernel.operate",
    "kernel.add_user",
    "kernel.change_user",
    "kernel.view_user",
    "auth.view_group",
    "kernel.view_apitoken",
    "kernel.change_apitoken",
    "kernel.view_auditentry",
    "kernel.view_attempt",
}

PERMISSIONS: dict[Role, frozenset[str]] = {
    Role.ADMINISTRATOR: ADMINISTRATOR_PERMISSIONS,
    Role.RESEARCHER: RESEARCHER_PERMISSIONS,
    Role.ANNOTATOR: ANNOTATOR_PERMISSIONS,
}

# An administrator grants these to single people; no role includes them.
PERSONAL_PERMISSIONS = frozenset({"annotation.pay", "annotation.spend"})
