"""Who gets which task. Exact under many processes: a slot is taken by an UPDATE, a turn by a unique row.

Order: finish what is begun (fewest free slots first), then the campaign's seeded order; gold at seeded turns. Nobody
gets two tasks of one overlap group, nor, in a follow-up, a task about what they gave in an earlier stage. A turn that
is not used in time returns its slot; its owner may go on with it when they come back before somebody else was given it.

Locks are taken in one order, or PostgreSQL would end one of two who wait for each other:
1. the campaign, without its key (others' new rows point to it);
2. the participation; 3. its own turn, and others' only where nobody holds them (SKIP LOCKED);
4. tasks. A transaction that has locked one never waits for a turn, and waits for further tasks only in the order of
their ids (`lock_tasks`). The next task may have any id, so a transaction that has already locked one skips tasks that
others have locked; if it finds nothing, it looks again in a transaction without locks (`Turn.is_sure`). A wait for a
slot that is then gone leaves its task locked: `_take_or_let_go` releases it before waiting for the next;
5. annotations and the review's items, only under their task's lock: so a verdict, a correction by the author and the
scoring of one task come one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.models import Assignment, AssignmentStatus, CampaignStatus, FollowUpAuthor, Participation, Task
from annotation.selectors import annotators, turns
from annotation.selectors.follow_ups import mark_of, wrote
from annotation.selectors.grants import holds_what_is_asked
from annotation.selectors.quiz_tasks import met_in_quiz
from annotation.stages import is_gold_turn
from kernel.clock import now
from kernel.errors import WrongState
from kernel.services import rows
from kernel.values import batches

EXPIRE_CHUNK = 200
WITHDRAWN = "You have withdrawn from this campaign: nothing more is stored."
LOCK_CHUNK = 500
OPEN = f"""
    SELECT id FROM {Task._meta.db_table} AS task
    WHERE campaign_id = %s AND is_gold = %s AND free > 0 AND NOT EXISTS (
        SELECT 1 FROM {Assignment._meta.db_table} AS turn WHERE participation_id = %s AND turn."group" = task."group"
    )"""  # noqa: S608 - names of our own tables
NOT_WRITTEN = f"""
    AND NOT EXISTS (
        SELECT 1 FROM {FollowUpAuthor._meta.db_table} AS author
        JOIN {Participation._meta.db_table} AS earlier ON earlier.id = author.participation_id
        WHERE author.member_id = task.member_id AND (earlier.worker_id = %s OR author.mark = %s)
    )"""  # noqa: S608
IN_ORDER = "\n    ORDER BY free, position LIMIT 1"
TAKE = f"""
    UPDATE {Task._meta.db_table} SET free = free - 1 WHERE free > 0 AND id = {{id}}
    RETURNING id, "group", is_gold, question, html"""  # noqa: S608
SKIP_LOCKED = {"sqlite": "", "postgresql": " FOR UPDATE OF task SKIP LOCKED"}


class Idle(StrEnum):
    """Why there is no task for a person."""

    DONE = "done"  # every task has its people, or this person has done all they may
    WAIT = "wait"  # others hold the last tasks: some may come back
    LIMIT = "limit"  # the campaign's most for one person
    PAUSED = "paused"
    CLOSED = "closed"
    EXCLUDED = "excluded"
    NOT_GRANTED = "not granted"  # a grant that the campaign asks for was taken away, or has expired
    STOPPED = "stopped"  # their trust is below the campaign's limit
    FINISHED = "finished"  # went back to the provider
    SEEN = "seen"  # a marketplace gave them a text that they know from another task
    HANDED_OVER = "handed over"  # answered; the marketplace decides what comes next


@dataclass(frozen=True)
class Turn:
    """A task in hand, or why there is none."""

    assignment: Assignment | None
    idle: Idle | None = None
    is_sure: bool = True  # False: others were in the way, and it must be looked for again in a new transaction


def lock_participation(secret: str) -> Participation:
    """Return the row behind a secret, locked until the transaction ends, with its campaign."""
    rows = Participation.objects.select_related("campaign").select_for_update(of=("self",))
    person = annotators.came_by(rows.get(**annotators.owner_of(secret)), secret)
    if person.withdrawn_at:
        raise WrongState(WITHDRAWN)
    return person


def lock_turn(secret: str, assignment_id: int) -> Assignment:
    """Return one turn of the person behind a secret; both rows are locked, the person's first."""
    turn = turns.locked(secret, assignment_id)
    if turn.participation.withdrawn_at:
        raise WrongState(WITHDRAWN)
    return turn


def lock_tasks(ids: Iterable[int]) -> list[int]:
    """Lock these tasks and return their ids, upwards; take all that a transaction needs at once."""
    ordered = sorted(ids)
    for some in batches(ordered, LOCK_CHUNK):
        rows = Task.objects.filter(pk__in=some).order_by("pk")
        list(rows.select_for_update(no_key=True).values_list("pk", flat=True))
    return ordered


def take_turn(secret: str) -> Turn:
    """Return the task this person has in hand, or give them the next one."""
    while not (turn := _take_turn(secret)).is_sure:
        pass  # each round has ended an expired turn, so the loop ends
    return turn


@transaction.atomic
def _take_turn(secret: str) -> Turn:
    person = lock_participation(secret)
    given_before = person.given
    turn = next_turn(person, last_turn(person))
    if person.given != given_before:
        person.save(update_fields=["given", "last_seen_at"])
    return turn


@transaction.atomic
def take_task(secret: str, task_id: int) -> Turn:
    """Give this person the task that a marketplace let them accept. If no slot is free, the task gets one more."""
    person = lock_participation(secret)
    turns = Assignment.objects.select_related("task").select_for_update(of=("self",))
    mine = turns.filter(participation=person, task_id=task_id).first()
    if mine and mine.status == AssignmentStatus.TAKEN:
        return Turn(mine)
    if refusal := _placed_refusal(person, task_id, mine):
        return Turn(None, refusal)
    hold_slot(task_id)
    moment = now()
    if mine is None:
        turn = _give(Task.objects.get(pk=task_id), person, moment, is_placed=True)
        person.save(update_fields=["given", "last_seen_at"])
        return Turn(turn)
    mine.status, mine.ended_at, mine.taken_at, mine.is_placed = AssignmentStatus.TAKEN, None, moment, True
    mine.expires_at = moment + timedelta(seconds=person.campaign.time_limit_s)
    mine.save(update_fields=["status", "ended_at", "taken_at", "is_placed", "expires_at"])
    return Turn(mine)


def _placed_refusal(person: Participation, task_id: int, mine: Assignment | None) -> Idle | None:
    """Return why a task cannot be given although the marketplace let this person accept it.

    A pause refuses nobody: what was accepted before it can be finished.
    """
    campaign = person.campaign
    if person.excluded_at:
        return Idle.EXCLUDED
    if person.stopped_at:
        return Idle.STOPPED
    if not holds_what_is_asked(campaign, person.worker_id):
        return Idle.NOT_GRANTED
    in_hand = person.assignments.filter(status=AssignmentStatus.TAKEN).count()
    if campaign.per_person and person.answered + in_hand >= campaign.per_person:
        return Idle.LIMIT
    if mine is not None:
        return None if mine.status in (AssignmentStatus.EXPIRED, AssignmentStatus.RETURNED) else Idle.SEEN
    return None if _not_mine(person).filter(pk=task_id).exists() else Idle.SEEN


def hold_slot(task_id: int) -> None:
    """Take a slot of this task; if none is free, it gets one more. Gold has no slots."""
    task = Task.objects.filter(pk=task_id, is_gold=False)
    if not task.filter(free__gt=0).update(free=F("free") - 1):
        task.update(slots=F("slots") + 1)


def last_turn(person: Participation) -> Assignment | None:
    return Assignment.objects.select_related("task").filter(participation=person).order_by("-pk").first()


def next_turn(person: Participation, last: Assignment | None, *, holds_task: bool = False) -> Turn:
    """As `take_turn`, for a locked row and its last turn; the caller saves the row, and looks again if it is not sure.

    `holds_task`: the transaction has changed a task already, so that it may wait for no other.
    """
    moment = now()
    if last and last.status == AssignmentStatus.TAKEN and last.expires_at > moment:
        return Turn(last)
    if last and last.status in (AssignmentStatus.TAKEN, AssignmentStatus.EXPIRED) and holds_task:
        return Turn(None, Idle.WAIT, is_sure=False)
    if last and last.status == AssignmentStatus.TAKEN:
        holds_task = _expire(last, moment)
    if refusal := _refusal(person):
        return Turn(None, refusal)
    if last and last.status in (AssignmentStatus.TAKEN, AssignmentStatus.EXPIRED) and _resume(last, person, moment):
        return Turn(last)
    task = _gold_task(person) or _claim(person, may_wait=not holds_task)
    if task is None and not holds_task and expire_turns(campaign_id=person.campaign_id):
        holds_task = True
        task = _claim(person, may_wait=False)
    if task is None:
        return Turn(None, Idle.WAIT if _others_hold_tasks(person) else Idle.DONE, is_sure=not holds_task)
    return Turn(_give(task, person, moment))


def _resume(last: Assignment, person: Participation, moment: datetime) -> bool:
    """Give people who come back the task they had, unless somebody else has it by now."""
    if last.task.is_gold or _take_or_let_go("%s", last.task_id) is None:
        return False
    last.status, last.ended_at = AssignmentStatus.TAKEN, None
    last.expires_at = moment + timedelta(seconds=person.campaign.time_limit_s)
    last.save(update_fields=["status", "ended_at", "expires_at"])
    return True


def _refusal(person: Participation) -> Idle | None:
    campaign = person.campaign
    if person.finished_at:
        return Idle.FINISHED
    if person.excluded_at:
        return Idle.EXCLUDED
    if person.stopped_at:
        return Idle.STOPPED
    if not holds_what_is_asked(campaign, person.worker_id):
        return Idle.NOT_GRANTED
    if campaign.status != CampaignStatus.RUNNING:
        return Idle.PAUSED if campaign.status == CampaignStatus.PAUSED else Idle.CLOSED
    if campaign.per_person and person.answered >= campaign.per_person:
        return Idle.LIMIT
    return None


def _not_mine(person: Participation) -> QuerySet[Task]:
    mine = Assignment.objects.filter(participation=person, group=OuterRef("group"))
    tasks = Task.objects.filter(~Exists(mine), campaign_id=person.campaign_id)
    if person.campaign.quiz_gold:
        tasks = tasks.exclude(pk__in=met_in_quiz(person))
    return tasks.filter(~wrote(person)) if person.campaign.keeps_authors_out else tasks


def _gold_task(person: Participation) -> Task | None:
    campaign = person.campaign
    if not is_gold_turn(person.given, every=campaign.gold_every, seed=campaign.seed, person=person.worker_id):
        return None
    return _not_mine(person).filter(is_gold=True, gold__isnull=False).order_by("position").first()


def _claim(person: Participation, *, may_wait: bool) -> Task | None:
    """Take a slot of the best task that is not this person's, or return None.

    One statement by hand, because this is where the time of a submit goes: finding, taking and reading the task.
    Others may hold the last tasks for a moment: with `may_wait` it waits for them, one at a time.
    """
    keeps_out = person.campaign.keeps_authors_out
    open_ = f"{OPEN}{NOT_WRITTEN if keeps_out else ''}{IN_ORDER}"
    best = open_ + SKIP_LOCKED[connection.vendor]
    wanted = (person.campaign_id, False, person.pk, *((person.worker_id, mark_of(person)) if keeps_out else ()))
    if not may_wait:
        return _take(f"({best})", *wanted)
    if task := _take_or_let_go(f"({best})", *wanted):
        return task
    while connection.vendor == "postgresql":  # SQLite has one writer: nobody can be in the way
        with connection.cursor() as cursor:
            cursor.execute(open_, wanted)
            row = cursor.fetchone()
        if row is None:
            break
        if task := _take_or_let_go("%s", row[0]):
            return task
    return None


def _take(which: str, *values: Any) -> Task | None:
    """Take a slot of one task, if it has any."""
    return next(iter(Task.objects.raw(TAKE.format(id=which), list(values))), None)


def _take_or_let_go(which: str, *values: Any) -> Task | None:
    """As `_take`, but hold no task without a slot.

    PostgreSQL locks a task that has just lost its last slot as well. The savepoint gives such a lock back, so that the
    transaction may wait for another task.
    """
    with transaction.atomic():
        task = _take(which, *values)
        if task is None:
            transaction.set_rollback(True)
    return task


def _give(task: Task, person: Participation, moment: datetime, *, is_placed: bool = False) -> Assignment:
    assignment = Assignment(
        campaign_id=person.campaign_id,
        task=task,
        participation=person,
        group=task.group,
        taken_at=moment,
        expires_at=moment + timedelta(seconds=person.campaign.time_limit_s),
        is_placed=is_placed,
    )
    rows.insert(assignment)
    person.given += 1
    person.last_seen_at = moment
    return assignment


def _others_hold_tasks(person: Participation) -> bool:
    held = Assignment.objects.filter(task=OuterRef("pk"), status=AssignmentStatus.TAKEN)
    return _not_mine(person).filter(Exists(held), is_gold=False, free=0).exists()


def _expire(assignment: Assignment, moment: datetime) -> bool:
    """End a turn that ran out of time and return its slot; False when somebody else has ended it."""
    return end_turn(assignment, AssignmentStatus.EXPIRED, moment, expires_at__lte=moment)


def end_turn(turn: Assignment, status: AssignmentStatus, moment: datetime, **still: Any) -> bool:
    """End a turn and return its slot; False if it is no longer in hand (or no longer as `still` says)."""
    taken = Assignment.objects.filter(pk=turn.pk, status=AssignmentStatus.TAKEN, **still)
    if not taken.update(status=status, ended_at=moment):
        return False
    return_slot(turn.task_id)
    return True


def return_slot(task_id: int) -> None:
    """Let somebody else have the slot; gold has no slots to return."""
    Task.objects.filter(pk=task_id, is_gold=False).update(free=F("free") + 1)


def expire_turns(*, campaign_id: int | None = None) -> int:
    """End the turns whose time is over, a chunk of them; returns how many."""
    moment = now()
    over = Assignment.objects.filter(status=AssignmentStatus.TAKEN, expires_at__lte=moment)
    if campaign_id is not None:
        over = over.filter(campaign_id=campaign_id)
    with transaction.atomic():
        # Rows that another process is ending are skipped, and tasks change in one order, so there is no deadlock.
        some = over.select_for_update(skip_locked=True).order_by("expires_at")[:EXPIRE_CHUNK]
        return sum(_expire(turn, moment) for turn in sorted(some, key=lambda turn: turn.task_id))


@transaction.atomic
def give_back(secret: str, assignment_id: int) -> bool:
    """Return a task unanswered; False if this person no longer holds it."""
    return return_turn(lock_participation(secret), assignment_id)


def return_turn(person: Participation, assignment_id: int | None = None) -> bool:
    """Return the open turns of a locked person (only that one, if given); False if there is none."""
    turns = Assignment.objects.filter(participation=person, status=AssignmentStatus.TAKEN).order_by("task_id")
    if assignment_id is not None:
        turns = turns.filter(pk=assignment_id)
    return sum(end_turn(turn, AssignmentStatus.RETURNED, now()) for turn in turns) > 0  # several only on a marketplace
