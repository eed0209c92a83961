"""A quiz of the campaign's own check tasks: people answer the type's own form, judged by the known answers.

`Participation.quiz_chosen` holds {"answers": [{"task", "form", "is_hit"} …], "met": [tasks of an earlier try]}.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from annotation.models import Participation, Task
from annotation.selectors import annotators
from annotation.selectors.quiz_tasks import QuizPlace, quiz_place
from annotation.services.assigning import lock_participation
from annotation.services.submitting import stored_form
from annotation.stages import QUIZ_TRIES, Stage
from annotation.task_types import type_of
from annotation.task_types.base import Gold
from annotation.task_types.lessons import compared
from kernel.clock import now


@transaction.atomic
def answer_quiz(secret: str, task_id: int, form: Mapping[str, str]) -> bool:
    """Keep the answer to the next task of the quiz; the last one ends the try. False if another task is next.

    People who have not passed after QUIZ_TRIES are screened out.
    """
    person = lock_participation(secret)
    place = quiz_place(person)
    if annotators.stage(person) != Stage.QUIZ or person.quiz_tries >= QUIZ_TRIES:
        return False
    if place.task is None or place.task.pk != task_id:
        return False
    answers = [*place.answers, _judged(person, place.task, stored_form(form))]
    person.quiz_chosen = {"answers": answers, "met": list(place.met)}
    if len(answers) >= place.number_of_tasks:
        _end_try(person, place, sum(answer["is_hit"] for answer in answers))
    person.save(update_fields=["quiz_tries", "quiz_score", "quiz_chosen", "quiz_passed_at"])
    return True


def _judged(person: Participation, task: Task, form: dict[str, str]) -> dict[str, object]:
    result = compared(type_of(person.campaign), task.question, Gold.from_json(task.gold or {"accepted": []}), form)
    return {"task": task.pk, "form": form, "is_hit": result is not None and result[1].is_hit}


def _end_try(person: Participation, place: QuizPlace, score: int) -> None:
    person.quiz_tries += 1
    person.quiz_score = score
    if score >= min(person.campaign.quiz_pass, place.number_of_tasks):
        person.quiz_passed_at = now()
