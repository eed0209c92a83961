"""What is shown of a question: addresses of Amazon's time in an HTMLQuestion, and hosts of an ExternalQuestion."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import pytest
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kernel.clock import now
from marketplace import questions
from marketplace.errors import MarketError
from marketplace.models import HIT
from marketplace.services import accounts, hits, joining
from tests.make import make_user
from tests.marketplace.market import QUESTION, TYPE

SCRIPT, SUBMIT = "/static/marketplace/external_hit.js", "http://here.example/marketplace/submit/t/mturk/externalSubmit"


def served(html: str) -> str:
    return questions.with_own_addresses(html, script=SCRIPT, submit=SUBMIT)


@pytest.mark.parametrize("scheme", ["https:", "http:", ""])
@pytest.mark.parametrize(
    "place",
    [
        "//s3.amazonaws.com/mturk-public/",
        "//s3-us-west-2.amazonaws.com/mturk-public/",
        "//s3.us-east-1.amazonaws.com/mturk-public/",
        "//mturk-public.s3.amazonaws.com/",
        "//mturk-public.s3.us-east-1.amazonaws.com/",
        "//S3.AmazonAWS.com/mturk-public/",
    ],
)
def test_amazon_s_script_is_replaced_by_ours_wherever_it_was(scheme: str, place: str):
    html = f"<script type='text/javascript' src='{scheme}{place}externalHIT_v1.js'></script>"

    assert served(html) == f"<script type='text/javascript' src='{SCRIPT}'></script>"


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://s3.amazonaws.com/other-bucket/externalHIT_v1.js"></script>',
        '<script src="https://s3.amazonaws.com.evil.example/mturk-public/externalHIT_v1.js"></script>',
        '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>',
        "form.action = turkGetParam('turkSubmitTo') + '/mturk/externalSubmit';",
        'form.action = submitTo+"/mturk/externalSubmit";',
    ],
)
def test_other_addresses_stay(html: str):
    assert served(html) == html


@pytest.mark.parametrize(
    "address",
    [
        "https://www.mturk.com/mturk/externalSubmit",
        "http://www.mturk.com/mturk/externalSubmit",
        "//workersandbox.mturk.com/mturk/externalSubmit",
        "https://worker.mturk.com/mturk/externalSubmit",
        "/mturk/externalSubmit",
    ],
)
def test_forms_that_go_to_amazon_come_to_us(address: str):
    assert served(f"<form method='post' action='{address}'>") == f"<form method='post' action='{SUBMIT}'>"
    assert served(f'$("form").attr("action", "{address}")') == f'$("form").attr("action", "{SUBMIT}")'


def external(url: str) -> str:
    return QUESTION.replace("https://example.org/task?a=1", escape(url))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://Example.ORG:443/a?b=c#d", "https://example.org:443/a?b=c#d"),
        ("https://bücher.example/ä?ö=ü", "https://xn--bcher-kva.example/ä?ö=ü"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),  # as browsers have it; the old rules say fass.example
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://r3---sn.example/", "https://r3---sn.example/"),
        ("http://localhost:8000/task", "http://localhost:8000/task"),
        ("http://[::1]:8000/task", "http://[::1]:8000/task"),
    ],
)
def test_the_host_of_an_address_is_written_in_ascii(url: str, shown: str):
    assert questions.read_question(external(url)).url == shown


@pytest.mark.parametrize(
    "host",
    ["a;b.example", "a.example;script-src", "a,b", "*", "*.example.org", "a b", "'self'", "a_b.example", "-a.example",
     "a.example.", "[2001:db8::1]", "xn--bücher", "\u2488com", "a\u200d.example", "a%20b.example", ":80", "a:99999"],
)  # fmt: skip
def test_a_host_that_no_policy_can_name_is_refused(host: str):
    with pytest.raises(MarketError, match="ExternalURL must be an absolute https address"):
        questions.read_question(external(f"https://{host}/task"))


DIRECTIVES = [
    "default-src", "script-src", "style-src", "img-src", "font-src", "connect-src", "form-action", "frame-ancestors",
    "base-uri", "frame-src",
]  # fmt: skip
AWKWARD = st.sampled_from("aZ0.-_;,*'\" %@[]:/?#\\ßäöü例。\u200d\u00ad１")
HOSTS = st.text(AWKWARD | st.characters(), min_size=1, max_size=20)


@pytest.fixture
def lab(client: Client) -> Any:
    """A requester, and a worker who is signed in."""
    user = make_user("cleo")
    client.force_login(user)
    joining.join(user)
    return accounts.create_requester("Ada's lab")


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scheme=st.sampled_from(["https", "http", "HTTPS"]), host=HOSTS, rest=st.sampled_from(["", "/", "/a;b?c,d *"]))
@example(scheme="https", host="bücher.example", rest="/")
@example(scheme="https", host="a.example;script-src *", rest="/")
@example(scheme="https", host="*", rest="")
@example(scheme="http", host="[::1]:8000", rest="/")
def test_whatever_is_published_the_policy_keeps_its_directives(client, lab, scheme: str, host: str, rest: str):
    question = external(f"{scheme}://{host}{rest}")
    try:
        hit = hits.create_hit(lab, TYPE | {"LifetimeInSeconds": 3600, "Question": question}, now())
    except MarketError:
        return

    answer = client.get(f"/marketplace/groups/{hit.hit_type.group_id}/")

    policy = answer["Content-Security-Policy"]
    assert policy.isascii()
    assert "," not in policy, "a comma begins a second policy"
    rules = [rule.split() for rule in policy.split(";")]
    assert [rule[0] for rule in rules] == DIRECTIVES
    shown = urlsplit(questions.read_question(question).url)
    own = [f"{shown.scheme}://{shown.netloc}"] if "[" not in shown.netloc else []  # a policy cannot name IPv6
    assert rules[-1] == ["frame-src", "'self'", *own]
    HIT.objects.all().delete()


@pytest.mark.django_db
def test_a_hit_that_was_stored_with_such_a_host_says_that_it_cannot_be_shown(client: Client, lab: Any):
    hit = hits.create_hit(lab, TYPE | {"LifetimeInSeconds": 3600, "Question": QUESTION}, now())
    HIT.objects.update(question=external("https://a.example;img-src/"))

    answer = client.get(f"/marketplace/groups/{hit.hit_type.group_id}/")

    assert answer.status_code == 409
    assert "This HIT cannot be shown" in answer.content.decode()
