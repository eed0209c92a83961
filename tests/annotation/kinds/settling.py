"""A task that has answers of which reviewers can make its own."""

from __future__ import annotations

from pathlib import Path

from annotation.models import Participation, Task
from annotation.services import assigning, submitting
from tests.annotation.kinds.registering import make_sample_of_texts
from tests.make import make_campaign, make_participation

IDA, ARDEN = "0 8 person", "25 30 place"
BOTH = {"spans": f"{IDA}\n{ARDEN}"}
FIRST = "Text 0"


def make_spans_task(folder: Path, answers: dict[str, str] | None = None) -> Task:
    """Return a task that two people answered, unless others are named: ann marked Ida Lind, bob marked Arden."""
    answers = answers or {"ann": IDA, "bob": ARDEN}
    sample = make_sample_of_texts(folder)
    campaign = make_campaign("Names", sample=sample, task_type="spans", redundancy=len(answers))
    for name, spans in answers.items():
        answer_all(make_participation(campaign, name), spans)
    return Task.objects.get(question__title=FIRST)


def answer_all(person: Participation, spans: str) -> None:
    """Let this person mark these spans in the first text, and nothing in the others that are free."""
    while turn := assigning.take_turn(person.secret).assignment:
        is_first = Task.objects.get(pk=turn.task_id).question["title"] == FIRST
        submitting.submit(person.secret, turn.pk, {"spans": spans if is_first else ""})
