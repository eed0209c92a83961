"""Which tests run again on PostgreSQL: those that it may answer otherwise than SQLite. They get the mark `sql`.

Each line is a folder, a file or a test under tests/. A test marked `postgresql` needs none. `make test-all` runs every
test that uses the database there.
"""

from __future__ import annotations

AGAIN: dict[str, tuple[str, ...]] = {
    "locks, and what two do at the same moment": (
        "annotation/test_assigning.py",
        "annotation/test_changed_answers.py",
        "annotation/test_invite_door.py",
        "annotation/test_grants.py",
        "annotation/test_late_answers.py",
        "annotation/test_leaving.py",
        "annotation/test_outdated_settlements.py",
        "annotation/test_overtaken.py",
        "annotation/test_people_decisions.py",
        "annotation/test_placing.py",
        "annotation/test_reviewing.py",
        "annotation/test_settling.py",
        "annotation/test_settling_twice.py",
        "annotation/test_stress.py",
        "annotation/test_submitting.py",
        "annotation/test_trust_followed.py",
        "annotation/test_trust_stops.py",
        "marketplace/test_assignments.py",
        "marketplace/test_hits.py",
        "marketplace/test_state_machine.py",
        "modeling/test_runs_in_hand.py",
        "kernel/test_job_sweeping.py",
        "kernel/test_jobs.py",
        "kernel/test_many_jobs.py",
        "tesa_site/test_notices.py",
        "kernel/test_nudges.py",
        "tesa_site/test_outage.py",
        "kernel/test_stalled_queues.py",
        "kernel/test_throttling.py",
        "kernel/test_worker_death.py::test_a_killed_worker_s_job_is_swept_to_lost_and_succeeds_when_retried",
        "kernel/test_worker_death.py::test_a_message_delivered_twice_runs_once",
    ),
    "money: counters, sums and the ledger": (
        "annotation/test_approving.py",
        "annotation/test_bonuses.py",
        "annotation/test_ledger.py",
        "annotation/test_mturk_storm.py",
        "annotation/test_payments.py",
        "annotation/test_reconciling.py",
        "annotation/test_spending.py",
        "annotation/test_topping_up.py",
    ),
    "migrations, triggers, SQL of our own, and whole databases": (
        "annotation/test_release_life.py",
        "golden",
        "kernel/test_backup.py",
        "tesa_site/test_health.py",
        "kernel/test_logs.py",
        "kernel/test_removing.py",
        "kernel/test_rows.py",
        "kernel/test_restore.py",
        "kernel/test_upkeep.py",
    ),
    "many rows written at once, or in the place of others": (
        "annotation/test_agreement_pages.py",
        "annotation/test_campaign_making.py",
        "annotation/test_follow_ups.py",
        "annotation/test_follow_ups_killed.py",
        "annotation/test_follow_up_releases.py",
        "annotation/test_many_answers.py",
        "annotation/test_mturk_results.py",
        "annotation/test_releases.py",
        "corpus/test_background_rows.py",
        "corpus/test_finding.py",
        "corpus/test_reading.py",
        "corpus/test_reading_again.py",
        "corpus/test_reading_processes.py",
        "corpus/test_samples.py",
        "corpus/test_title_lookup.py",
        "modeling/test_experiments.py",
        "kernel/test_bulk.py",
    ),
    "queries on JSON and times, orders, groups and searches": (
        "annotation/test_admin_lists.py",
        "annotation/test_campaign_list.py",
        "annotation/test_campaign_overview.py",
        "annotation/test_campaign_progress.py",
        "annotation/test_descriptions.py",  # it keeps no order of a description's settings
        "annotation/test_lookups.py",  # it searches keys that are bytes
        "annotation/test_own_tasks.py",
        "annotation/test_people_checks.py",
        "annotation/test_releases_of_rows.py",  # it keeps no order of columns
        "annotation/test_votes.py",
        "annotation/test_releases_by_rules.py",  # it answers what types of releases there are by queries on JSON
        "corpus/test_funnel.py",
        "corpus/test_overview.py",
        "tesa_site/test_access.py::test_no_address_writes_when_it_is_only_read",  # visits every page
        "kernel/test_paging.py",
        "tesa_site/test_search.py",
    ),
    "texts and numbers that no column holds": (
        "annotation/test_numbers.py",
        "marketplace/test_bad_input.py",
        "modeling/test_model_numbers.py",
        "tesa_site/test_api_schema.py",
        "tesa_site/test_large_numbers.py::test_a_number_of_any_size_equals_no_id_and_is_above_or_below_all",
        "tesa_site/test_large_numbers.py::test_a_number_that_no_column_holds_finds_nothing_in_the_admin",
        "tesa_site/test_large_numbers.py::test_a_number_that_no_row_can_have_is_answered_like_one_that_no_row_has",
    ),
}
PLACES = frozenset(place for places in AGAIN.values() for place in places)


def runs_again(nodeid: str) -> bool:
    """Return whether the test, its file or a folder around it is listed."""
    test = nodeid.removeprefix("tests/").partition("[")[0]
    file = test.partition("::")[0]
    return not PLACES.isdisjoint({test, file, file.partition("/")[0]})
