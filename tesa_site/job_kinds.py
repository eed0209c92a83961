"""All kinds of jobs: name → "module:attribute" of a tesa_site.kernel.job_kind.JobKind."""

from __future__ import annotations

JOB_KINDS = {
    "ingest": "corpus.jobs.corpora:INGEST",
    "find_instances": "corpus.jobs.corpora:FIND_INSTANCES",
    "find_backgrounds": "corpus.jobs.corpora:FIND_BACKGROUNDS",
    "draw_sample": "corpus.jobs.samples:DRAW_SAMPLE",
    "import_instances": "corpus.jobs.samples:IMPORT_INSTANCES",
    "make_tasks": "annotation.jobs.making:MAKE_TASKS",
    "look_at_people": "annotation.jobs.people:LOOK_AT_PEOPLE",
    "import_mturk_results": "annotation.jobs.importing:IMPORT_MTURK_RESULTS",
    "demo_campaigns": "annotation.jobs.demo:DEMO_CAMPAIGNS",
    "assess_campaign": "annotation.jobs.assessing:ASSESS_CAMPAIGN",
    "run_ranker": "modeling.jobs:RUN_RANKER",
    "demo_models": "modeling.jobs:DEMO_MODELS",
    "freeze_release": "annotation.jobs.releasing:FREEZE_RELEASE",
    "export_release": "annotation.jobs.releasing:EXPORT_RELEASE",
    "delete_corpus": "corpus.jobs.corpora:DELETE_CORPUS",
    "check_worker": "tesa_site.kernel.jobs.check_worker:CHECK_WORKER",
    "send_notices": "tesa_site.notices:SEND_NOTICES",
    "back_up": "tesa_site.kernel.jobs.upkeep:BACK_UP",
    "clean_up": "tesa_site.kernel.jobs.upkeep:CLEAN_UP",
}
