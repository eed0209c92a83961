"""Experiments, runs and splits, under /models/."""

from __future__ import annotations

from django.urls import path, re_path

from modeling.views import experiments, instances, paper, phrases, runs, splits, train, training, trials

urlpatterns = [
    path("", experiments.experiment_list, name="experiments"),
    path("new/", train.new_experiment, name="experiment-new"),
    path("machines/", train.machine_list, name="machines"),
    path("<int:experiment_id>/", experiments.experiment_page, name="experiment"),
    re_path(
        r"^(?P<experiment_id>\d{1,18})/results\.(?P<format>tex|md|csv)$", experiments.results_file, name="results-file"
    ),
    re_path(
        r"^(?P<experiment_id>\d{1,18})/(?P<name>methods|training-size|breakdown)\.(?P<format>svg|csv)$",
        experiments.experiment_plot,
        name="experiment-plot",
    ),
    path("<int:experiment_id>/runs/", experiments.experiment_page, {"tab": "experiment_runs"}, name="experiment-runs"),
    path(
        "<int:experiment_id>/setup/", experiments.experiment_page, {"tab": "experiment_setup"}, name="experiment-setup"
    ),
    path("<int:experiment_id>/paper/", paper.paper_tables, name="experiment-paper"),
    path("<int:experiment_id>/errors/", experiments.errors, name="experiment-errors"),
    path("<int:experiment_id>/instances/", instances.instance_list, name="experiment-instances"),
    path("<int:experiment_id>/open-test/", experiments.open_test, name="experiment-open-test"),
    path("<int:experiment_id>/cancel/", experiments.cancel, name="experiment-cancel"),
    path("<int:experiment_id>/resume/", experiments.resume, name="experiment-resume"),
    path("<int:experiment_id>/leave-out/", experiments.leave_out, name="experiment-leave-out"),
    path("<int:experiment_id>/delete/", experiments.delete, name="experiment-delete"),
    path("<int:experiment_id>/instances/<slug:key>/", instances.instance_page, name="model-instance"),
    path("<int:experiment_id>/instances/<slug:key>/note/", instances.add_note, name="note-add"),
    path("runs/<int:run_id>/", runs.run_page, name="run"),
    path("runs/<int:run_id>/errors/", runs.errors, name="run-errors"),
    path("runs/<int:run_id>/phrases/", phrases.run_phrases, name="run-phrases"),
    path("runs/<int:run_id>/try/", trials.new_trial, name="run-try"),
    path("trials/<int:trial_id>/", trials.trial_page, name="trial"),
    path("runs/<int:run_id>/files/<str:name>", runs.run_file, name="run-file"),
    path("runs/<int:run_id>/model/<str:name>", training.weight_file, name="run-weights"),
    path("runs/<int:run_id>/stop/", training.stop, name="run-stop"),
    path("runs/<int:run_id>/resume/", training.resume, name="run-resume"),
    re_path(
        r"^runs/(?P<run_id>\d{1,18})/(?P<name>learning-curve|weights|training)\.(?P<format>svg|csv)$",
        runs.run_plot,
        name="run-plot",
    ),
    path("compare/", runs.compare, name="compare"),
    re_path(r"^compare/differences\.(?P<format>svg|csv)$", runs.compare_plot, name="compare-plot"),
    path("splits/<int:split_id>/", splits.split_page, name="split"),
    path("splits/<int:split_id>/delete/", splits.delete, name="split-delete"),
    path("splits/<int:split_id>/huggingface.zip", splits.split_folder, name="split-folder"),
    re_path(r"^tasks/(?P<task_set_id>\d{1,18})/(?P<format>jsonl|csv|fairseq)$", splits.task_file, name="task-file"),
]
