"""A text in which several people marked names, for tests of what reviewers see of it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from annotation.models import Task
from annotation.selectors.descriptions import chosen_task
from annotation.services import assigning, submitting
from tests.annotation.describing import make_description
from tests.make import make_campaign, make_participation, make_texts

TEXT = "Mira Holt left Arden. She met Ilse Brand of the Harbour Bank of Dun."
NAMES = """\
name: Names
items: text
parts:
  - name: names
    kind: spans
    ask: Mark the names.
    text: text
    labels: [{id: person, label: Person}, {id: place, label: Place}, {id: company, label: Company}]
    none: The text has none
instructions: {summary: Mark., details: Mark all., examples: + Marked.}
"""
Mark = tuple[int, int, str]
MIRA, ILSE, ARDEN = (0, 9, "person"), (30, 40, "person"), (15, 20, "place")
BANK_OF_DUN, BANK, DUN = (48, 67, "company"), (48, 60, "company"), (64, 67, "place")
FIRST: Sequence[Mark] = (MIRA, ARDEN, BANK_OF_DUN)  # two differences from the second: Ilse Brand, and the bank
SECOND: Sequence[Mark] = (MIRA, ARDEN, ILSE, BANK, DUN)


def as_answer(marks: Sequence[Mark]) -> list[dict[str, object]]:
    return [{"start": start, "end": end, "label": label} for start, end, label in marks]


def make_marked_task(*answers: Sequence[Mark], text: str = TEXT) -> Task:
    """Return a task with these marks, each of another person; without any, they ticked the box for none."""
    row = make_description(NAMES)
    sample = make_texts(row.key, size=1, text=text)
    task_type, settings = chosen_task(row.key)
    campaign = make_campaign(
        row.key,
        sample=sample,
        task_type=task_type,
        task_settings=settings,
        redundancy=len(answers),
    )
    for number, marks in enumerate(answers):
        person = make_participation(campaign, f"{row.key} {number}")
        turn = assigning.take_turn(person.secret).assignment
        assert turn is not None
        form = {"a.names": json.dumps(as_answer(marks))} if marks else {"a.names.none": "yes"}
        submitting.submit(person.secret, turn.pk, form)
    return campaign.tasks.get()
