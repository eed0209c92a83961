"""The worker site."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from django.test import Client

from kernel.clock import now
from kernel.models import User
from kernel.roles import Role
from kernel.services import throttling
from marketplace.models import HIT, Assignment, Message, Report, Worker
from marketplace.services import accounts, hits, joining, people, qualifications, reviewing, working
from tests.make import NO_ROW, PASSWORD, make_user
from tests.marketplace.market import QUESTION, TYPE

pytestmark = pytest.mark.django_db
HTML = (
    '<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd">'
    "<HTMLContent><![CDATA[<!DOCTYPE html><p>Name them</p></iframe><script>1</script>"
    '<form action="https://www.mturk.com/mturk/externalSubmit"><input name="a"></form>]]></HTMLContent>'
    "<FrameHeight>450</FrameHeight></HTMLQuestion>"
)


@pytest.fixture
def lab() -> Any:
    return accounts.create_requester("Ada's lab")


@pytest.fixture
def cleo(client: Client) -> Worker:
    """A worker who is signed in."""
    user = User.objects.create_user("cleo")
    client.force_login(user)
    return joining.join(user, country="DE")


def publish(lab: Any, **parameters: Any) -> HIT:
    return hits.create_hit(lab, TYPE | {"LifetimeInSeconds": 3600, "Question": QUESTION} | parameters, now())


def frame_of(page: str) -> dict[str, str]:
    """Return the parameters of the frame's address."""
    src = re.search(r'<iframe.*?src="([^"]+)"', page, re.DOTALL)
    assert src
    return {name: value[0] for name, value in parse_qs(urlsplit(src[1].replace("&amp;", "&")).query).items()}


def test_somebody_signs_up_and_gets_one_worker_id(client, settings):
    form = {"username": "dan", "password": "correct horse battery staple", "country": "US", "is_adult": "on"}

    answer = client.post("/marketplace/join/", form)

    assert (answer.status_code, answer.url) == (302, "/marketplace/")
    worker = Worker.objects.get()
    assert (worker.user.username, worker.country, worker.is_adult) == ("dan", "US", True)
    assert worker.worker_id.startswith("A")
    assert client.get("/").url == "/marketplace/"  # no role, so nothing else to see
    assert client.get("/campaigns/").status_code == 403
    client.post("/marketplace/join/", {"country": "FR"})
    assert Worker.objects.get().worker_id == worker.worker_id
    settings.MARKETPLACE_SIGN_UP = False
    assert Client().post("/marketplace/join/", form | {"username": "eve"}).status_code == 403
    assert client.post("/marketplace/join/", {"country": "Germany"}).status_code == 422


def test_visitors_are_led_to_a_preview_by_signing_in_or_up(client, lab, settings):
    preview = f"/marketplace/groups/{publish(lab).hit_type.group_id}/"

    page = client.get("/marketplace/").content.decode()

    assert f'href="{preview}">Sign in to preview' in page
    assert client.get(preview).url == f"/account/sign-in/?next={preview}"
    assert f'href="/marketplace/join/?next={preview}">Sign up to preview' in page
    form = {"username": "dan", "password": "correct horse battery staple", "next": preview}
    assert "At least 8 characters" in client.get(f"/marketplace/join/?next={preview}").content.decode()
    assert client.post("/marketplace/join/", form).url == preview
    settings.MARKETPLACE_SIGN_UP = False
    assert "Sign up" not in Client().get("/marketplace/").content.decode()


def test_somebody_who_has_not_joined_gets_to_the_preview_over_the_form(client, lab):
    preview = f"/marketplace/groups/{publish(lab).hit_type.group_id}/"
    client.force_login(make_user("ben"))

    assert f'href="{preview}">Preview' in client.get("/marketplace/").content.decode()
    assert client.get(preview).url == f"/marketplace/join/?next={preview}"


def test_a_taken_name_and_a_weak_password_are_refused(client):
    make_user("ben")

    taken = client.post("/marketplace/join/", {"username": "Ben", "password": "correct horse battery staple"})
    weak = client.post("/marketplace/join/", {"username": "eve", "password": "12345"})

    assert (taken.status_code, weak.status_code) == (422, 422)
    assert b"already in use" in taken.content
    assert not Worker.objects.exists()


def test_people_who_sign_up_from_one_address_lock_nobody_out_there(client, settings):
    make_user("ben")
    form = {"password": PASSWORD}
    for number in range(settings.SIGN_UPS_PER_ADDRESS):
        assert Client().post("/marketplace/join/", form | {"username": f"dan{number}"}).status_code == 302

    late = Client().post("/marketplace/join/", form | {"username": "eve"})
    signed_in = client.post("/account/sign-in/", {"username": "ben", "password": PASSWORD})

    assert late.status_code == 422
    assert "Too many people signed up from your network. Try again in 15 minutes." in late.content.decode()
    assert not User.objects.filter(username="eve").exists()
    assert signed_in.status_code == 302


def test_failed_sign_ins_keep_nobody_from_signing_up(client, settings):
    for number in range(settings.SIGN_IN_TRIES_PER_ADDRESS):
        throttling.begin_sign_in(f"name{number}", "127.0.0.1")

    form = {"username": "dan", "password": PASSWORD}

    assert client.post("/marketplace/join/", form).status_code == 302


def test_groups_are_searched_and_sorted(client, cleo, lab):
    publish(lab, Title="Old and dear", Reward="2.00")
    publish(lab, Title="Many cheap ones", Reward="0.05", MaxAssignments=2)
    publish(lab, Title="Many cheap ones", Reward="0.05", MaxAssignments=2)

    def titles(query: str) -> list[str]:
        return re.findall(r"<h2>(.*?)</h2>", client.get(f"/marketplace/?{query}").content.decode())

    assert titles("") == titles("sort=most") == ["Many cheap ones", "Old and dear"]
    assert titles("sort=reward") == ["Old and dear", "Many cheap ones"]
    assert titles("q=DEAR") == ["Old and dear"]
    assert titles("q=nothing") == ["No HITs"]
    assert titles("sort=none&page=x") == ["Many cheap ones", "Old and dear"]
    assert Client().get("/marketplace/").status_code == 200


def test_requirements_are_shown_met_or_not_with_how_to_meet_them(client, cleo, lab):
    values = {"Name": "Trained", "Description": "d", "QualificationTypeStatus": "Active"}
    kind = qualifications.create_type(lab, values | {"AutoGranted": True}, now())
    needed = [{"QualificationTypeId": kind.type_id, "Comparator": "Exists"}]
    in_germany = {"QualificationTypeId": "00000000000000000071", "Comparator": "EqualTo"}
    in_germany |= {"LocaleValues": [{"Country": "DE"}]}
    publish(lab, QualificationRequirements=[*needed, in_germany])
    exclusion = {"Comparator": "DoesNotExist", "ActionsGuarded": "DiscoverPreviewAndAccept"}
    publish(lab, Title="Open", QualificationRequirements=[needed[0] | exclusion])
    publish(lab, Title="Hidden", QualificationRequirements=[needed[0] | {"ActionsGuarded": "DiscoverPreviewAndAccept"}])
    shut = publish(lab, Title="Shut", QualificationRequirements=[needed[0] | {"RequiredToPreview": True}])

    before = client.get("/marketplace/").content.decode()
    assert client.get(f"/marketplace/groups/{shut.hit_type.group_id}/").status_code == 404
    client.post(f"/marketplace/qualifications/{kind.type_id}/")
    after = client.get("/marketplace/").content.decode()

    assert "Only for people with the qualification “Trained”<span" in before
    assert before.count("Request qualification") == 2
    assert "Location is Germany" in before
    assert "without the qualification" not in before, "everybody who sees the group meets it"
    assert "Hidden" not in before
    assert "Hidden" in after
    assert "Request qualification" not in after
    assert client.get(f"/marketplace/groups/{shut.hit_type.group_id}/").status_code == 200


def test_preview_accept_work_submit_and_see_it_on_the_dashboard(client, cleo, lab):
    hit = publish(lab, MaxAssignments=2)
    group = f"/marketplace/groups/{hit.hit_type.group_id}/"

    preview = client.get(group)
    query = frame_of(preview.content.decode())
    assert query == {"a": "1", "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": hit.hit_id}
    assert "frame-src 'self' https://example.org" in preview["Content-Security-Policy"]

    answer = client.post(group + "accept/", {"hit": hit.hit_id}, follow=True)
    query = frame_of(answer.content.decode())
    held = Assignment.objects.get()
    assert query["assignmentId"] == held.assignment_id
    assert (query["hitId"], query["workerId"]) == (hit.hit_id, cleo.worker_id)
    assert client.post(group + "accept/", {"hit": hit.hit_id}).url == f"/marketplace/work/{held.assignment_id}/"
    assert client.post(group + "accept/").url == f"/marketplace/work/{held.assignment_id}/"  # the only one, held
    assert held.assignment_id in client.get("/marketplace/queue/").content.decode()

    submit = urlsplit(query["turkSubmitTo"]).path + "/mturk/externalSubmit"
    form = {"assignmentId": held.assignment_id, "phrase": "a\x0bb", "hitId": "x"}
    for _ in range(2):
        sent = Client(enforce_csrf_checks=True).post(submit, form)
        assert sent.status_code == 200
        assert "frame-ancestors 'self'" in sent["Content-Security-Policy"]
        assert "X-Frame-Options" not in sent

    held.refresh_from_db()
    fields = [tag.text for tag in ElementTree.fromstring(held.answer).iter() if tag.text]
    assert fields == ["phrase", "a\ufffdb"]
    reviewing.approve(lab, held.assignment_id, None, held.visible_at, override=False)
    bonus = {"worker_id": cleo.worker_id, "amount": "1.00", "reason": "quick", "token": None, "request_id": "r"}
    reviewing.send_bonus(lab, held.assignment_id, **bonus, now=held.visible_at)
    dashboard = client.get("/marketplace/dashboard/").content.decode()
    assert "$1.50" in dashboard
    assert "quick" in dashboard
    assert "No HITs left" in client.get(group).content.decode()
    assert client.post(group + "accept/").url == "/marketplace/"


def test_what_a_submit_must_have(client, cleo, lab):
    hit = publish(lab)
    held = working.accept(cleo, hit.hit_id)
    url = f"/marketplace/submit/{held.token}/mturk/externalSubmit"

    assert client.post(url, {"assignmentId": "3OTHER"}).status_code == 403
    assert client.post(url, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}).status_code == 403
    assert client.post("/marketplace/submit/none/mturk/externalSubmit", {"assignmentId": "x"}).status_code == 403
    assert client.get(url).status_code == 405
    many = {f"f{n}": "x" for n in range(10_000)} | {"assignmentId": held.assignment_id}
    assert client.post(url, many).status_code == 413
    some = {f"f{n}": "x" for n in range(900)} | {"assignmentId": held.assignment_id, "big": "y" * 1_100_000}
    assert client.post(url, some).status_code == 422
    for nameless in ({"phrase": "x"}, {"phrase": "x", "assignmentId": ""}):
        sent = client.post(url, nameless)
        assert sent.status_code == 422
        assert "The form has no assignmentId" in sent.content.decode()
    held.refresh_from_db()
    assert held.state == "Accepted"

    client.post(f"/marketplace/work/{held.assignment_id}/return/")
    again = working.accept(joining.join(make_user("ben")), hit.hit_id)
    assert again.assignment_id == held.assignment_id
    stale = client.post(url, {"assignmentId": held.assignment_id, "a": "b"})
    assert stale.status_code == 403
    assert b"not yours any more" in stale.content
    assert client.get(f"/marketplace/work/{held.assignment_id}/").status_code == 404


def test_after_the_deadline_nothing_is_stored(client, cleo, lab):
    held = working.accept(cleo, publish(lab).hit_id)
    past = now()
    Assignment.objects.update(deadline=past, due_at=past)

    assert "other workers can accept the HIT" in client.get(f"/marketplace/work/{held.assignment_id}/").content.decode()
    late = client.post(f"/marketplace/submit/{held.token}/mturk/externalSubmit", {"assignmentId": held.assignment_id})

    assert late.status_code == 409
    assert b"ran out" in late.content
    held.refresh_from_db()
    assert (held.state, held.answer) == ("Free", "")
    assert Worker.objects.get(pk=cleo.pk).returned == 1


def test_a_user_who_is_deleted_leaves_their_work(cleo, lab):
    held = working.accept(cleo, publish(lab).hit_id)

    cleo.user.delete()

    assert Assignment.objects.get(pk=held.pk).worker.user is None


def test_nobody_holds_more_than_25_hits(cleo, lab):
    for _ in range(25):
        working.accept(cleo, publish(lab).hit_id)

    with pytest.raises(Exception, match="You hold 25 HITs"):
        working.accept(cleo, publish(lab).hit_id)


def test_an_html_question_runs_in_an_origin_of_its_own(client, cleo, lab):
    hit = publish(lab, Question=HTML)
    address = f"/marketplace/html/{hit.hit_id}/"

    shown = client.get(address)
    assert shown["Content-Security-Policy"].startswith("sandbox allow-scripts")
    assert "form-action 'none'" in shown["Content-Security-Policy"]
    held = working.accept(cleo, hit.hit_id)
    page = client.get(f"/marketplace/work/{held.assignment_id}/").content.decode()
    assert 'height="450"' in page
    assert page.count("</iframe>") == 1
    assert "allow-same-origin" not in page

    own = client.get(address)
    assert f"/marketplace/submit/{held.token}/mturk/externalSubmit" in own.content.decode()
    assert b"mturk.com" not in own.content
    assert client.get(f"/marketplace/html/{publish(lab).hit_id}/").status_code == 404


def test_messages_contact_report_and_qualifications(client, cleo, lab):
    hit = publish(lab)
    people.write_to(lab, cleo, "Next round", "It starts today.", now())
    assert b"It starts today." in client.get("/marketplace/messages/").content

    client.post(f"/marketplace/contact/{lab.pk}/?about={hit.hit_id}", {"subject": "Why?", "text": "I did it."})
    letter = Message.objects.get(is_from_worker=True)
    assert (letter.text, letter.about) == ("I did it.", hit.hit_id)
    client.post(f"/marketplace/report/{hit.hit_id}/", {"reason": "asks", "text": "my address"})
    assert Report.objects.get().text == "my address"
    client.post("/marketplace/qualifications/", {"country": "FR", "is_adult": "on"})
    assert Worker.objects.get(pk=cleo.pk).country == "FR"
    assert client.get(f"/marketplace/contact/{NO_ROW}/").status_code == 404
    assert client.get("/marketplace/report/3NONE/").status_code == 404


def test_invented_workers_enter_with_their_secret_and_meet_sandboxes_only(client, lab):
    real, sandbox = publish(lab, Title="For people"), accounts.create_requester("Rehearsal", is_sandbox=True)
    publish(sandbox, Title="For the invented")
    (invented,) = people.invent_workers(1)

    assert client.post(f"/marketplace/enter/{invented.secret}/").status_code == 302
    page = client.get("/marketplace/").content.decode()

    assert "For the invented" in page
    assert "For people" not in page
    assert client.get(f"/marketplace/groups/{real.hit_type.group_id}/").status_code == 404
    assert client.post("/marketplace/enter/none/").status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},  # as the sandboxed frame of a question sends it
        {"Origin": "null"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "http://testserver:9000", "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_form_of_another_page_cannot_exchange_somebody_for_an_invented_worker(client, cleo, headers):
    (invented,) = people.invent_workers(1)

    answer = client.post(f"/marketplace/enter/{invented.secret}/", headers=headers)

    assert answer.status_code == 403
    assert "came from another page" in answer.content.decode()
    assert f"Worker {cleo.worker_id}" in client.get("/marketplace/").content.decode()


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}])
def test_a_program_and_our_own_pages_let_an_invented_worker_in(client, cleo, headers):
    (invented,) = people.invent_workers(1)

    assert client.post(f"/marketplace/enter/{invented.secret}/", headers=headers).status_code == 302

    assert f"Worker {invented.worker_id}" in client.get("/marketplace/").content.decode()


def test_an_administrator_opens_an_account_makes_a_key_and_revokes_it(client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    page = client.post("/marketplace/requesters/", {"name": "Lab", "is_sandbox": "on"}).url

    client.post(page + "keys/", {"label": "script"})
    first = client.get(page).content.decode()
    again = client.get(page).content.decode()
    client.post(page + "deposit/", {"amount": "12.50"})
    bad = client.post(page + "sandbox/", {"clock_offset_seconds": 5, "faults": '[{"kind": "fire"}]'})
    client.post(page + "sandbox/", {"clock_offset_seconds": 60, "faults": '[{"kind": "error"}]'})

    assert "Copy the secret now" in first
    assert "Copy the secret now" not in again
    assert bad.status_code == 422
    from marketplace.models import AccessKey, Requester

    lab = Requester.objects.get(name="Lab")
    assert (lab.balance_cents, lab.clock_offset_seconds) == (1_001_250, 60)
    client.post(f"/marketplace/keys/{AccessKey.objects.get().pk}/revoke/")
    assert AccessKey.objects.get().revoked_at


def test_an_administrator_settles_a_report_once(client, cleo, lab):
    people.report(cleo, publish(lab).hit_id, "asks", "my address")
    report = Report.objects.get()
    client.force_login(make_user("ada", Role.ADMINISTRATOR))

    assert client.post(f"/marketplace/reports/{report.pk}/").status_code == 302
    first = Report.objects.get().settled_at
    client.post(f"/marketplace/reports/{report.pk}/")

    assert first is not None
    assert Report.objects.get().settled_at == first
    assert client.post(f"/marketplace/reports/{NO_ROW}/").status_code == 404
