"""An invented crowd: seeded, with slips, at the real pages; and a comparison that notices what went wrong."""

from __future__ import annotations

import random
import re
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.template.loader import render_to_string
from django.test import Client

from annotation.models import Annotation, Campaign, Participation, Placement, Posting
from annotation.services import assigning, simulating
from annotation.simulation.browser import Browser, LoadedPage, read_page
from annotation.simulation.comparing import Stored, compare
from annotation.simulation.invented_people import Habit, InventedPerson, crowd
from annotation.simulation.visiting import Log, Shift, work
from annotation.task_types.aggregation.answers import phrases_answer
from annotation.task_types.aggregation.crowd import InstanceReading, Phrasebook, PhraseCrowd, compose
from annotation.task_types.aggregation.type import AGGREGATION
from annotation.task_types.base import InvalidAnswer, template_of
from kernel.errors import WrongState
from kernel.services import rows
from tests.annotation.mturk import HITS, SITE
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_campaign, make_participation

LAWYERS = InstanceReading(
    ("Harriet Stroud", "Felix Ormond"),
    "person",
    "Judge Stroud looked over her glasses at Mr. Ormond.",
    ("Harriet Stroud is a Valmerian lawyer and judge.", "Felix Ormond is a Valmerian lawyer. He defended a captain."),
)


def a_person(habit: Habit = Habit.CAREFUL) -> InventedPerson:
    return replace(crowd(1, 1)[0], habit=habit, skill=1.0, misses=0.0, typo=0.0)


def test_the_same_seed_gives_the_same_people_and_another_seed_others():
    assert crowd(30, 7) == crowd(30, 7)
    assert crowd(30, 7) != crowd(30, 8)
    assert {person.habit for person in crowd(200, 7)} == set(Habit)


def test_a_careful_person_writes_what_the_backgrounds_share():
    answer = compose(a_person(), LAWYERS, Phrasebook(), random.Random(3))

    assert "lawyers" in answer.phrases[0]


def test_a_phrasebook_knows_better_whatever_the_order_of_the_names():
    book = Phrasebook({frozenset(LAWYERS.names): ["people of the court"]})

    assert "people of the court" in compose(a_person(), LAWYERS, book, random.Random(1)).phrases[0].lower()


def test_where_the_phrasebook_says_that_nothing_fits_nothing_is_written():
    book = Phrasebook({frozenset(LAWYERS.names): []})

    assert compose(a_person(), LAWYERS, book, random.Random(1)).form()["impossible"] == "on"


def test_few_see_what_is_hard_to_see_and_all_see_what_is_not():
    def finders(book: Phrasebook) -> int:
        return sum(bool(compose(a_person(), LAWYERS, book, random.Random(seed)).phrases) for seed in range(200))

    names = frozenset(LAWYERS.names)
    assert finders(Phrasebook({names: ["people of the court"]})) == 200
    assert 20 < finders(Phrasebook({names: ["people of the court"]}, {names: 0.2})) < 60


@pytest.mark.parametrize("habit", [Habit.COPIES, Habit.SAME, Habit.REFUSES])
def test_bad_habits_are_there_to_be_found(habit: Habit):
    answers = [compose(a_person(habit), LAWYERS, Phrasebook(), random.Random(seed)) for seed in range(8)]

    if habit == Habit.COPIES:
        assert all(answer.phrases[0] in LAWYERS.passage for answer in answers)
    else:
        assert len(set(answers)) == 1


def test_the_demo_phrases_pass_the_checks():
    book = Phrasebook.read(Path("annotation/demo/phrases.json"))
    refused = []
    for names, phrases in book.known.items():
        question = {"entities": list(names), "entity_type": "person", "discussed": "", "generic": ""}
        for phrase in phrases:
            try:
                AGGREGATION.parse(question, {"phrase_1": phrase})
            except InvalidAnswer as error:
                refused.append((phrase, str(error)))
    assert not [refusal for refusal in refused if "one of them" not in refusal[1]]  # that one may be confirmed


def without_words(html: str) -> str:
    """Return a page with every text on it replaced, as if somebody had written all of it anew."""
    return re.sub(r">[^<]*\w[^<]*<", ">…<", html)


def read_twice(response: Any) -> LoadedPage:
    """Return what is read of a page; its words must make no difference."""
    html = response.content.decode()
    page, other = read_page(html), read_page(without_words(html))
    assert replace(page, html="", heading="") == replace(other, html="", heading="")
    return page


def send(client: Client, person: Participation, assignment: int) -> LoadedPage:
    return read_twice(client.post(f"/task/{person.secret}/answer/{assignment}/", {"phrase_1": "botanists"}))


@pytest.mark.django_db
def test_what_became_of_a_submit_is_read_whatever_the_page_says(client: Client):
    person = make_participation(make_campaign(size=2))
    first = read_twice(client.get(f"/task/{person.secret}/"))

    stored = send(client, person, first.assignment)
    repeated = send(client, person, first.assignment)
    assigning.give_back(person.secret, stored.assignment)
    Campaign.objects.update(status="closed")
    late = send(client, person, stored.assignment)
    again = read_twice(client.get(f"/task/{person.secret}/"))

    outcomes = [page.outcome for page in (first, stored, repeated, late, again)]
    assert outcomes == ["", "stored", "repeated", "late", ""]


@pytest.mark.django_db
def test_a_page_that_says_to_wait_is_known_whatever_it_says(client: Client):
    campaign = make_campaign(size=1, redundancy=1)
    cleo, dan = make_participation(campaign), make_participation(campaign, "dan")
    held = read_twice(client.get(f"/task/{cleo.secret}/"))

    waiting = read_twice(client.get(f"/task/{dan.secret}/"))
    send(client, cleo, held.assignment)
    over = read_twice(client.get(f"/task/{dan.secret}/"))

    assert [page.can_wait for page in (held, waiting, over)] == [False, True, False]


@pytest.mark.django_db
def test_the_page_that_hands_an_answer_over_says_what_became_of_it(client: Client):
    campaign = make_campaign(size=1, provider="mturk", provider_settings=HITS)
    posting = Posting.objects.create(campaign=campaign, task=campaign.tasks.get(), places=1, state="open")
    person = make_participation(campaign)
    placement = Placement.objects.create(
        posting=posting,
        participation=person,
        external_id="X1",
        arrival={"submit_to": SITE, "posting": "H1", "assignment": "X1"},
    )
    first = read_twice(client.get(f"/task/{placement.secret}/"))
    answer = {"phrase_1": "botanists"}

    pages = [read_twice(client.post(f"/task/{placement.secret}/answer/{first.assignment}/", answer)) for _ in range(2)]

    assert [page.outcome for page in pages] == ["stored", "repeated"]
    assert all(page.form_to("/mturk/externalSubmit") for page in pages)


@pytest.mark.django_db
def test_a_real_page_is_read_with_what_is_asked_and_the_way_to_give_it_back(client):
    person = make_participation(make_campaign())

    page = read_page(client.get(f"/task/{person.secret}/").content.decode())

    reading = PhraseCrowd().read_page(page.html)
    assert (reading.names, reading.entity_type) == (("Ida Lind", "Karl Moe"), "person")
    assert page.task
    assert page.form_to(f"/back/{page.assignment}/")


def test_what_is_asked_about_is_read_whatever_the_form_calls_it():
    question = AGGREGATION.question(make_frozen(entity_type="location")) | {"generic": "the two spots"}

    html = render_to_string(template_of(AGGREGATION, "form"), {"question": question, "form": {}})

    assert PhraseCrowd().read_page(html).entity_type == "location"


def submit(assignment: int = 5, outcome: str = "stored", phrase: str = "lawyers") -> dict[str, object]:
    form = {"phrase_1": phrase, "phrase_2": ""}
    return {"person": 1, "event": "submit", "status": 200, "assignment": assignment, "form": form, "outcome": outcome}


QUESTION = AGGREGATION.question(make_frozen())


def stored(assignment: int = 5, task: int = 1, person: int = 1, phrase: str = "lawyers") -> Stored:
    return Stored(assignment, task, person, QUESTION, phrases_answer([phrase]), is_late=False, slots=1)


@pytest.mark.parametrize(
    ("html", "text"), [("\nIt rains. ", "It rains. "), ("\n\nSo", "\nSo"), ("", ""), ("a\n", "a\n")]
)
def test_a_field_of_several_lines_begins_after_its_first_line_break(html: str, text: str):
    page = read_page(f'<form action="/"><textarea name="why">{html}</textarea></form>')

    assert page.forms[0].fields["why"] == text
    assert page.forms[0].typed == {"why"}


def test_all_boxes_of_a_name_that_are_ticked_are_read():
    boxes = [("rain", " checked"), ("wind", ""), ("fog", " checked")]
    inputs = [f'<input type="checkbox" name="topics" value="{value}"{ticked}>' for value, ticked in boxes]

    form = read_page(f'<form action="/">{"".join(inputs)}</form>').forms[0]

    assert (form.fields, form.typed) == ({"topics": "rain fog"}, set())


def test_a_log_that_fits_the_database_has_no_complaint():
    assert compare([submit(), submit(outcome="repeated")], [stored()], AGGREGATION) == []


@pytest.mark.parametrize(
    ("events", "rows", "complaint"),
    [
        ([submit()], [], "and it is not"),
        ([submit()], [stored(phrase="judges")], "was never sent"),
        ([submit(), submit()], [stored()], "both called the first"),
        ([], [stored()], "nobody sent it"),
        ([submit(), submit(6)], [stored(), stored(6)], "answered it 2 times"),
        ([submit(), submit(6)], [stored(), stored(6, person=2)], "1 were asked"),
        ([submit() | {"status": 500}], [stored()], "answered with 500"),
        ([{"person": 1, "event": "reload", "assignment": 5, "kept": False}], [], "gone after a reload"),
    ],
)
def test_what_does_not_fit_is_said(events, rows, complaint):
    assert any(complaint in sentence for sentence in compare(events, rows, AGGREGATION))


class ClosesWithoutAWord(BaseHTTPRequestHandler):
    """Answers one request of a connection and closes it, though it promised to keep it."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_submit_over_an_idle_connection_that_the_server_closed_is_sent_again():
    with ThreadingHTTPServer(("127.0.0.1", 0), ClosesWithoutAWord) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = Browser(f"http://127.0.0.1:{server.server_port}")
        replies = [browser.post("/", {"phrase_1": "x"}) for _ in range(3)]
        browser.close()
        server.shutdown()

    assert [reply.status for reply in replies] == [200, 200, 200]


def test_a_submit_that_a_new_connection_does_not_carry_is_not_sent_twice():
    reply = Browser("http://127.0.0.1:9").post("/", {"phrase_1": "x"})

    assert reply.status == 0


@pytest.mark.django_db(transaction=True)
def test_a_crowd_finishes_a_campaign_through_its_pages(live_server):
    campaign = make_campaign(size=6, redundancy=2)
    places = simulating.places(campaign, people=5, seed=3)
    people = [
        replace(person, double_submit=0.0, draft=0.5, reload=1.0, drop_out=0.0, give_back=0.0) for person in crowd(5, 3)
    ]
    log = Log()

    # One after the other: a database in memory is one connection. All at once is what `make smoke` does.
    for person, place in zip(people, places, strict=True):
        work([(person, f"/task/{place.secret}/")], Shift(live_server.url, seed=3), AGGREGATION, log)

    assert compare(log.events, simulating.stored_of(places), AGGREGATION) == []
    assert Annotation.objects.count() == 12
    assert {"step", "submit", "draft", "reload", "end"} <= {row["event"] for row in log.events}


@pytest.mark.django_db(transaction=True)
def test_invented_people_practise_and_take_the_quiz_and_who_fails_it_gets_no_task(live_server):
    campaign = make_campaign(size=2, redundancy=2, practice=1, quiz_pass=5)
    places = simulating.places(campaign, people=3, seed=3)
    log = Log()

    for place, skill in zip(places, (1.0, 0.0, 1.0), strict=True):
        person = replace(a_person(), skill=skill, double_submit=0.0, drop_out=0.0, give_back=0.0)
        work([(person, f"/task/{place.secret}/")], Shift(live_server.url, seed=3), AGGREGATION, log)

    rows = Participation.objects.order_by("pk").values_list("practised", "quiz_tries", "quiz_score", "answered")
    assert [*rows] == [(1, 1, 5, 2), (1, 2, 0, 0), (1, 1, 5, 2)]
    assert compare(log.events, simulating.stored_of(places), AGGREGATION) == []


@pytest.mark.django_db(transaction=True)
def test_the_command_notices_an_answer_that_got_lost(live_server, monkeypatch):
    campaign = make_campaign(size=2, redundancy=1)

    def insert_and_forget(row):
        insert(row)
        if isinstance(row, Annotation):
            transaction.on_commit(Annotation.objects.filter(pk=row.pk).delete)

    insert = rows.insert
    call_command("simulate", campaign.name, "--people=1", f"--url={live_server.url}")
    again = make_campaign("Again", size=2, redundancy=1)
    monkeypatch.setattr(rows, "insert", insert_and_forget)

    with pytest.raises(CommandError, match="do not fit"):
        call_command("simulate", str(again.pk), "--people=1", f"--url={live_server.url}")


@pytest.mark.django_db(transaction=True)
def test_the_command_says_on_which_page_people_stopped_who_answered_nothing(live_server, capsys):
    campaign = make_campaign(size=1, redundancy=1)

    for seed in (1, 2):  # the second crowd finds nothing to do
        call_command("simulate", campaign.name, "--people=1", f"--seed={seed}", "--steady", f"--url={live_server.url}")

    assert "1 person answered nothing; the last page they saw says “" in capsys.readouterr().out


@pytest.mark.django_db
def test_invented_people_stay_out_of_a_campaign_with_real_ones():
    campaign = make_campaign()
    make_participation(campaign)

    with pytest.raises(WrongState, match="Real people"):
        simulating.places(campaign, people=1, seed=1)

    Campaign.objects.update(status="paused")
    with pytest.raises(WrongState, match="open it first"):
        simulating.places(Campaign.objects.get(), people=1, seed=1)
    assert Participation.objects.count() == 1
