"""Visits the pages of a golden database and writes what they say: `python -m tests.golden.visiting OUT`.

It runs in a process of its own, on the database that TESA_DATABASE_URL or TESA_VAR names, which it migrates
first. There is one file for each kind of page; in it, each page is a heading and its visible text.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)  # a day after the last thing that happened in the databases
UNSEEN = {"script", "style", "svg", "head", "header", "footer", "template"}
INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup", "time", "u"}
REQUEST = re.compile(r"(?<=name this request: )\w+")  # another one at each visit
FORMATS = ("jsonl", "csv", "annotations", "published", "huggingface", "mturk", "standoff")
EXPORTS = "exports.sha256"
FILES = (
    "admin_lists.txt", "agreement.txt", "annotators.txt", "api.txt", "campaigns.txt", EXPORTS, "payments.txt",
    "people.txt", "release_preview.txt", "releases.txt", "review.txt", "review_items.txt",
)  # fmt: skip


class Text(HTMLParser):
    """Collects the visible text of a page, a line for each block, with what its fields hold."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNSEEN:
            self.unseen.append(tag)
        if tag not in INLINE:
            self.parts.append("\n")
        attributes = {name: value or "" for name, value in attrs}
        name, is_on = attributes.get("name", ""), "checked" in attributes or "selected" in attributes
        if tag == "input" and attributes.get("type") not in ("hidden", "submit") and (attributes.get("value") or is_on):
            self.parts.append(f"[{name}={attributes.get('value', 'on')}{' *' if is_on else ''}]")
        elif tag == "option" and is_on:
            self.parts.append("* ")

    def handle_endtag(self, tag: str) -> None:
        if self.unseen and tag == self.unseen[-1]:
            self.unseen.pop()
        if tag not in INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(re.sub(r"\s+", " ", data))


def visible(html: str) -> str:
    reader = Text()
    reader.feed(html)
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)


class Visitor:
    """Keeps the texts of the pages it has been to, by kind."""

    def __init__(self, username: str = "") -> None:
        from django.test import Client

        from kernel.models import User

        self.client = Client(SERVER_NAME="localhost")
        self.texts: dict[str, list[str]] = {}
        if username:
            self.client.force_login(User.objects.get(username=username))

    def visit(self, kind: str, address: str, heading: str = "") -> None:
        answer = self.client.get(address)
        body = b"".join(answer) if answer.streaming else answer.content
        text = body.decode("utf-8-sig")
        if "html" in answer["Content-Type"]:
            text = visible(text)
        elif "json" in answer["Content-Type"] and "\n" not in text.strip():
            text = json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False)
        where = f" to {answer['Location']}" if answer.status_code in (301, 302) else ""
        text = REQUEST.sub("…", text.replace("\r\n", "\n").strip())
        self.texts.setdefault(kind, []).append(f"==== {heading or address} {answer.status_code}{where}\n{text}\n")


def visit_researchers_pages(ada: Visitor) -> None:
    from annotation.models import Annotation, Campaign, Participation, Release, Task

    for kind, address in {"campaigns": "/campaigns/", "review": "/admin/review/"}.items():
        ada.visit(kind, address)
    for campaign in Campaign.objects.order_by("pk"):
        pk = campaign.pk
        ada.visit("campaigns", f"/campaigns/{pk}/")
        for page in ("answers/", "gold/", "try/0/", "plots/"):
            ada.visit("campaigns", f"/campaigns/{pk}/{page}")
        for page in ("", "participants.csv"):
            ada.visit("people", f"/campaigns/{pk}/people/{page}")
        for page in ("payments/", "payments/payments.csv"):
            ada.visit("payments", f"/campaigns/{pk}/{page}")
        ada.visit("agreement", f"/campaigns/{pk}/agreement/")
        for plot in ("worker", "type", "day", "instance"):
            ada.visit("agreement", f"/agreement/{pk}/{plot}.csv")
        for page in ("cleaning/", "", "tasks/"):
            ada.visit("review", f"/admin/review/{pk}/{page}")
        if not campaign.is_demo:
            for person in Participation.objects.filter(campaign=campaign).order_by("pk"):
                ada.visit("people", f"/campaigns/people/{person.pk}/")
            answered = Annotation.objects.filter(assignment__campaign=campaign).values("assignment__task")
            for task in Task.objects.filter(pk__in=answered, is_gold=False).order_by("pk"):
                ada.visit("review_items", f"/admin/review/{pk}/?task={task.pk}")
        ada.visit("api", f"/api/v1/campaigns/{pk}/")
        if campaign.name == "Golden study":
            ada.visit("api", f"/api/v1/review/{pk}/?page_size=10")
    ada.visit("releases", "/releases/")
    campaigns = "&".join(f"campaigns={pk}" for pk in Campaign.objects.order_by("pk").values_list("pk", flat=True))
    for cleaning, more in (("tesa", "&use_reviews=on&simulated=on"), ("paper", "")):
        recipe = f"cleaning={cleaning}&least_assignments=1&least_answered=1&{campaigns}{more}"
        ada.visit("release_preview", f"/releases/new/?{recipe}")
    releases = list(Release.objects.order_by("pk"))
    for release in releases:
        ada.visit("releases", f"/releases/{release.pk}/")
        for page in ("items/", "items/0/", "items/7/", "discarded/", "statistics.csv"):
            ada.visit("releases", f"/releases/{release.pk}/{page}")
        ada.visit("api", f"/api/v1/releases/{release.pk}/")
    ada.visit("releases", f"/releases/compare/?before={releases[1].pk}&after={releases[2].pk}")


def visit_admin_lists(ada: Visitor) -> None:
    for model in ("annotation", "review", "assignment", "campaign", "release"):
        ada.visit("admin_lists", f"/admin/annotation/{model}/")


def visit_annotators_pages() -> Visitor:
    """Look at the pages of everybody, who are known by their secrets; some visits take a task."""
    from annotation.models import Assignment, Participation

    anybody = Visitor()
    people = Participation.objects.filter(campaign__name__in=("Golden study", "Golden panel")).order_by("pk")
    anybody.visit("annotators", f"/task/{people[0].secret}/instructions/", "instructions")
    for person in people:
        for page in ("mine/", ""):
            anybody.visit("annotators", f"/task/{person.secret}/{page}", f"person {person.pk}: {page or 'next'}")
    for turn in Assignment.objects.filter(campaign__name="Golden panel", status="submitted").order_by("pk")[:2]:
        address = f"/task/{turn.participation.secret}/mine/{turn.pk}/"
        anybody.visit("annotators", address, f"person {turn.participation_id}: correct {turn.pk}")
    return anybody


def read_parquet(path: Path) -> bytes:
    """Return a parquet file's columns and rows as text: its bytes name the version of the library that wrote it."""
    from pyarrow import parquet

    table = parquet.read_table(path)
    return "\n".join([str(table.schema), *(json.dumps(row, ensure_ascii=False) for row in table.to_pylist())]).encode()


def files_of(out: Path) -> Iterator[tuple[str, bytes]]:
    """Yield an export's file, or those in its folder, with their names."""
    for path in [out] if out.is_file() else sorted(path for path in out.rglob("*") if path.is_file()):
        yield str(path.relative_to(out.parent)), read_parquet(path) if path.suffix == ".parquet" else path.read_bytes()


def exports() -> Iterator[str]:
    """Yield a line for each file that can be made of the database: its SHA-256 and which it is."""
    from django.core.management import call_command

    from annotation.models import Campaign, Release

    with TemporaryDirectory() as folder:
        for release in Release.objects.exclude(content_hash="").order_by("pk"):
            yield f"{release.content_hash}  {release}: content hash\n"
            stored = dict(release.exports.values_list("format", "sha256"))
            for name in FORMATS:
                out = Path(folder) / f"{release.pk} {name}"
                options: dict[str, Any] = {"format": name, "release_version": release.version, "out": out}
                call_command("export_release", release.name, **options, stdout=StringIO())
                for file, data in files_of(out):
                    digest = hashlib.sha256(data).hexdigest()
                    as_stored = "" if stored.get(name) != digest else ", as stored"
                    yield f"{digest}  {release}: {file.partition(' ')[2]}{as_stored}\n"
        for campaign in Campaign.objects.order_by("pk"):
            for name in ("csv", "jsonl"):
                out = Path(folder) / f"{campaign.pk}.{name}"
                call_command("export_annotations", campaign.name, format=name, output=out, stdout=StringIO())
                yield f"{hashlib.sha256(out.read_bytes()).hexdigest()}  {campaign}: annotations.{name}\n"


def visit_everything(out: Path) -> None:
    from django.contrib.auth.models import Permission

    from kernel import clock
    from kernel.models import User

    User.objects.get(username="ada").user_permissions.add(Permission.objects.get(codename="pay"))
    with clock.at(NOW):
        (out / EXPORTS).write_text("".join(exports()), encoding="utf-8")
        ada = Visitor("ada")
        visit_researchers_pages(ada)
        visit_admin_lists(ada)
        for kind, texts in (ada.texts | visit_annotators_pages().texts).items():
            (out / f"{kind}.txt").write_text("\n".join(texts), encoding="utf-8")


def main(out: Path) -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    visit_everything(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
