"""MTurk result files: read as they really are, one bad row at a time, and imported once."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Annotation, Assignment, Participation, Review, Task, Worker
from annotation.providers.mturk.results import read_results
from annotation.providers.results import BadRow, Result, ResultRejection
from annotation.selectors.participants import person_of
from annotation.selectors.progress import real_wage
from annotation.selectors.release_answers import campaign_facts
from annotation.services import importing, reviewing
from annotation.task_types.aggregation.answers import no_phrase, phrases_answer
from annotation.task_types.aggregation.result_columns import COLUMNS
from kernel.csv_files import csv_lines
from kernel.errors import InvalidInput
from kernel.models import Job
from tests.make import make_answer, make_campaign, make_participation, make_user

HEADER = (
    "HITId,WorkerId,WorkTimeInSeconds,Input.id_,Answer.box_impossible.on,Answer.utterance_1,"
    "Answer.utterance_2,Approve,Reject"
)


def read(lines) -> list[Result | BadRow]:
    return list(read_results(lines, COLUMNS))


def test_rows_two_columns_shorter_than_the_header_are_read():
    rows = read([HEADER, "H1,A1,42,key,false,French politicians,"])

    assert rows == [Result(2, "key", "A1", 42, phrases_answer(["French politicians"]))]


@pytest.mark.parametrize("mark", [True, False])
def test_a_file_of_our_own_gives_the_answers_as_they_were_typed(mark):
    typed = ("=cmd() botanists", "x;=1+1", "'-quoted", 'a,"-b')
    rows = [("key", f"A{number}", answer) for number, answer in enumerate(typed)]
    lines = csv_lines(["Input.id_", "WorkerId", "Answer.utterance_1"], rows, mark=mark)

    assert [row.answer["phrases"] for row in read(lines)] == [[phrase] for phrase in typed]


def test_columns_stand_in_any_order_and_a_mark_at_the_start_is_no_part_of_them():
    rows = read(["\ufeffAnswer.utterance_1,Input.id_,WorkerId", '"one, two",key,A1'])

    assert rows == [Result(2, "key", "A1", 0, phrases_answer(["one, two"]))]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("H1,,42,key,false,a", "has no WorkerId"),
        ("H1,A1,42,,false,a", "has no Input.id_"),
        ("H1,A1,soon,key,false,a", "not a number of seconds"),
        ("H1,A1,-3,key,false,a", "not a number of seconds"),
        ("H1,A1,00000000000099999999999999,key,false,a", "not a number of seconds"),
        (f"H1,A1,{'0' * 5000}3,key,false,a", "not a number of seconds"),
        ("H1,A1,3,key,perhaps,a", "neither true nor false"),
        ("H1,A1,3,key,false,a,b,,,,", "11 cells for 9 columns"),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_the_rest_goes_on(row, reason):
    rows = read([HEADER, row, "H1,A1,42,key,true"])

    assert isinstance(rows[0], BadRow)
    assert rows[0].line == 2
    assert reason in rows[0].reason
    assert isinstance(rows[1], Result)
    assert rows[1].answer == no_phrase()


def test_a_line_number_counts_lines_of_the_file_not_rows():
    rows = read([HEADER, 'H1,A1,1,key,false,"two\n', 'lines"\n', "H1,,1,key,false,a"])

    assert [row.line for row in rows] == [2, 4]


def test_another_file_is_refused_with_every_column_it_lacks():
    needed = r"the columns Input\.id_, WorkerId and Answer\.utterance_1 are missing"
    with pytest.raises(InvalidInput, match=rf"line 1: this is no MTurk result file: {needed}"):
        read(["a,b,c"])
    with pytest.raises(InvalidInput, match=r"line 1"):
        read([])


def test_a_file_of_another_hit_is_called_that_with_every_column_it_lacks_and_what_it_has():
    with pytest.raises(InvalidInput) as refused:
        read(["HITId,AssignmentId,WorkerId,Input.image,Answer.label,Approve,Reject"])

    assert refused.value.problem == (
        "these are results of another HIT: the columns Input.id_ and Answer.utterance_1 are missing; "
        "it has Input.image and Answer.label"
    )
    with pytest.raises(InvalidInput, match="another HIT: the column WorkerId is missing"):
        read(["HITId,Input.id_,Answer.utterance_1"])


TIMES = (
    "WorkerId,Input.id_,Answer.utterance_1,AcceptTime,SubmitTime,AssignmentStatus,RejectionTime,"
    "RequesterFeedback,Reject"
)


def read_one(*cells: str) -> Result | BadRow:
    (row,) = read([TIMES, ",".join(("A1", "key", "a", *cells))])
    return row


@pytest.mark.parametrize(
    "text",
    ["Mon Nov 05 08:21:36 PST 2018", "2018-11-05T16:21:36Z", "2018-11-05 08:21:36-08:00", "2018-11-05T16:21:36"],
)
def test_the_times_of_the_site_and_of_the_api_are_read(text):
    row = read_one("", text)

    assert isinstance(row, Result)
    assert row.submitted == datetime(2018, 11, 5, 16, 21, 36, tzinfo=UTC)
    assert row.accepted is None


@pytest.mark.parametrize("text", ["soon", "Mon Nov 05 08:21:36 XYZ 2018", "0001-01-01T00:00:00+14:00", "9999-12-31"])
def test_what_is_no_time_is_named(text):
    assert read_one("", text) == BadRow(2, f"SubmitTime is {text!r}, not a time")


@pytest.mark.parametrize(
    ("cells", "rejection"),
    [
        (("", "", "Approved", "", "Thanks", ""), None),
        (
            ("", "", "Rejected", "2018-11-06T00:00:00Z", "Copied", ""),
            ResultRejection("Copied", datetime(2018, 11, 6, tzinfo=UTC)),
        ),
        (("", "", "Rejected", "", "", ""), ResultRejection("")),
        (("", "", "Submitted", "", "", "Too short"), ResultRejection("Too short")),
        (("", "", "Submitted", "", "", "x"), ResultRejection("")),
    ],
)
def test_a_rejection_is_read_with_its_reason(cells, rejection):
    row = read_one(*cells)

    assert isinstance(row, Result)
    assert row.rejection == rejection


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)


@given(st.lists(st.lists(cells, max_size=11), max_size=10))
def test_whatever_a_file_says_every_row_is_a_result_or_named(rows):
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(HEADER.split(","))
    writer.writerows(rows)
    file.seek(0)

    for row in read(file):
        assert row.line >= 2
        if isinstance(row, Result):
            assert row.id
            assert row.worker
            assert all(phrase.strip() for phrase in row.answer["phrases"])


# ---- Importing ------------------------------------------------------------------------------------


def lines(campaign) -> list[str]:
    first, second = (task.member for task in campaign.tasks.select_related("member").order_by("position"))
    return [
        HEADER,
        f"H1,A1,42,{first.key},false,French politicians,politicians",
        f"H1,A2,30,{first.key},,,",
        f"H2,A1,12,{second.value['article_id']},true,well,",
        "H3,A1,12,elsewhere,false,a",
    ]


@pytest.mark.django_db
def test_results_become_answers_of_workers_and_a_second_time_adds_nothing():
    campaign = make_campaign(size=2, redundancy=1, is_running=False)

    for round_ in range(2):
        *_, done = importing.import_results(campaign, "mturk", lines(campaign), by=None)
        assert (done.added, done.known, len(done.bad)) == ((3, 0, 1), (0, 3, 1))[round_]

    answers = list(Annotation.objects.order_by("pk").values_list("answer", "seconds"))
    assert answers == [
        ({"phrases": ["French politicians", "politicians"], "impossible": False, "reason": ""}, 42),
        ({"phrases": [], "impossible": True, "reason": ""}, 30),
        ({"phrases": [], "impossible": True, "reason": "well"}, 12),
    ]
    assert set(Worker.objects.values_list("provider", "external_id")) == {("mturk", "A1"), ("mturk", "A2")}
    assert list(Task.objects.order_by("position").values_list("slots", "free", "answers")) == [(2, 0, 2), (1, 0, 1)]
    assert sorted(Participation.objects.values_list("answered", "imported")) == [(1, 1), (2, 2)]
    assert done.bad[0].line == 5


@pytest.mark.django_db
def test_the_migration_marks_as_imported_what_was_imported_before_it():
    campaign = make_campaign(size=2)
    make_answer(make_participation(campaign))
    simulated = [TIMES, f"sim-0a1b2c3d4e5f,{campaign.tasks.first().member.key},painters"]
    [*_] = importing.import_results(campaign, "mturk", lines(campaign), by=None)
    [*_] = importing.import_results(campaign, "mturk", simulated, by=None)
    imported = list(Participation.objects.order_by("pk").values_list("imported", flat=True))
    assert sorted(imported) == [0, 1, 1, 2]
    Assignment.objects.update(is_imported=False)
    Participation.objects.update(imported=0)

    import_module("annotation.migrations.0005_imported_answers").mark_imported(apps, None)

    assert list(Participation.objects.order_by("pk").values_list("imported", flat=True)) == imported
    assert Assignment.objects.filter(is_imported=True).count() == sum(imported)


@pytest.mark.django_db
def test_an_imported_answer_keeps_its_times_and_its_rejection():
    campaign = make_campaign(size=1, redundancy=2, is_running=False)
    key = campaign.tasks.get().member.key
    day = "2018-11-05T16"
    rows = [
        TIMES,
        f"A1,{key},painters,{day}:20:00Z,{day}:21:00Z,Approved,,,",
        f"A2,{key},painters too,{day}:20:00Z,{day}:22:00Z,Rejected,2018-11-06T09:00:00Z,Copied from the title,",
    ]

    [*_] = importing.import_results(campaign, "mturk", rows, by=None)

    first, second = Annotation.objects.select_related("assignment").order_by("pk")
    assert first.created_at == first.assignment.ended_at == datetime(2018, 11, 5, 16, 21, tzinfo=UTC)
    assert first.assignment.taken_at == datetime(2018, 11, 5, 16, 20, tzinfo=UTC)
    assert (first.verdict, second.verdict) == ("", "flag")
    flag = Review.objects.get()
    assert (flag.annotation, flag.reviewer_name, flag.why) == (
        second, "MTurk requester", "Rejected on MTurk: Copied from the title",
    )  # fmt: skip
    assert flag.created_at == datetime(2018, 11, 6, 9, tzinfo=UTC)
    reviewing.decide(second.pk, reviewing.Opinion("accept"), by=make_user("ben"))
    assert Annotation.objects.get(pk=second.pk).verdict == "accept"


@pytest.mark.django_db
def test_simulated_participants_of_an_exported_release_stay_simulated():
    campaign = make_campaign(size=1, is_running=False)
    key = campaign.tasks.get().member.key

    [*_] = importing.import_results(campaign, "mturk", [TIMES, f"sim-0a1b2c3d4e5f,{key},painters"], by=None)

    assert Worker.objects.get().is_simulated


@pytest.mark.django_db
def test_the_page_refuses_a_file_of_another_hit_before_a_job_is_started(client, settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path
    client.force_login(make_user("ben"))
    campaign = make_campaign(size=1, is_running=False)
    file = SimpleUploadedFile("results.csv", b"HITId,WorkerId,Answer.label\nH1,A1,cat\n")

    answer = client.post(f"/campaigns/{campaign.pk}/answers/import/", {"file": file})

    assert answer.status_code == 422
    assert "results of another HIT: the columns Input.id_ and Answer.utterance_1 are missing" in answer.content.decode()
    assert not Job.objects.filter(kind="import_mturk_results").exists()
    assert not list(tmp_path.rglob("*.csv"))


@pytest.mark.django_db
def test_what_was_paid_elsewhere_is_no_part_of_the_real_wage():
    campaign = make_campaign(size=2, reward=Decimal("0.10"))
    person = make_participation(campaign)
    make_answer(person)
    Participation.objects.update(active_ms=36_000)

    [*_] = importing.import_results(campaign, "mturk", lines(campaign), by=None)

    assert real_wage(campaign) == Decimal("10.00")
    assert campaign_facts(campaign)["hourly_wage"] == "10.00"
    wages = {row.worker.provider: person_of(campaign, row).wage for row in Participation.objects.all()}
    assert wages["mturk"] is None
    assert wages[person.worker.provider] == Decimal("10.00")


@pytest.mark.django_db
def test_two_tasks_of_one_group_by_one_person_are_both_kept():
    campaign = make_campaign(size=2, is_running=False)
    Task.objects.update(group="one")
    keys = [task.member.key for task in campaign.tasks.all()]

    *_, done = importing.import_results(campaign, "mturk", [HEADER, *(f"H,A1,1,{key},,a" for key in keys)], by=None)

    assert done.added == Assignment.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_the_command_imports_and_names_what_it_could_not_use(tmp_path, capsys):
    campaign = make_campaign(size=2, is_running=False)
    file = tmp_path / "results.csv"
    file.write_text("\n".join(lines(campaign)))

    call_command("import_mturk_results", str(file), campaign="Phrases")

    assert "3 answers were added; 0 were there already; 1 row was not usable." in capsys.readouterr().out
    assert file.exists()
    with pytest.raises(CommandError, match="there is no campaign"):
        call_command("import_mturk_results", str(file), campaign="Other")
