"""All kinds of jobs: name → "module:attribute" of a kernel.job_kind.JobKind."""

from __future__ import annotations

JOB_KINDS = {
    "ingest": "corpus.jobs.corpora:INGEST",
    "find_instances": "corpus.jobs.corpora:FIND_INSTANCES",
    "find_backgrounds": "corpus.jobs.corpora:FIND_BACKGROUNDS",
    "draw_sample": "corpus.jobs.samples:DRAW_SAMPLE",
    "import_instances": "corpus.jobs.samples:IMPORT_INSTANCES",
    "make_tasks": "annotation.jobs:MAKE_TASKS",
    "make_follow_up": "annotation.jobs:MAKE_FOLLOW_UP",
    "look_at_people": "annotation.jobs:LOOK_AT_PEOPLE",
    "import_mturk_results": "annotation.jobs:IMPORT_RESULTS",
    "follow_marketplace": "annotation.jobs:FOLLOW_MARKETPLACE",
    "rehearse_campaign": "annotation.jobs:REHEARSE_CAMPAIGN",
    "expire_everything": "annotation.jobs:EXPIRE_EVERYTHING",
    "demo_campaigns": "annotation.jobs:DEMO_CAMPAIGNS",
    "assess_campaign": "annotation.jobs:ASSESS_CAMPAIGN",
    "run_ranker": "modeling.jobs:RUN_RANKER",
    "run_neural_ranker": "modeling.jobs:RUN_NEURAL_RANKER",
    "try_run": "modeling.jobs:TRY_RUN",
    "demo_models": "modeling.jobs:DEMO_MODELS",
    "freeze_release": "annotation.jobs:FREEZE_RELEASE",
    "export_release": "annotation.jobs:EXPORT_RELEASE",
    "delete_corpus": "corpus.jobs.corpora:DELETE_CORPUS",
    "check_worker": "kernel.jobs.check_worker:CHECK_WORKER",
    "send_notices": "tesa_site.notices:SEND_NOTICES",
    "back_up": "kernel.jobs.upkeep:BACK_UP",
    "clean_up": "kernel.jobs.upkeep:CLEAN_UP",
}
