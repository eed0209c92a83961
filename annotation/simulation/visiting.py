"""Simulated people at the real pages, from consent to the last task: one thread for each, with a person's slips.

What they did is logged in their own words, one JSON object a line, apart from the application it tests.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, TextIO

from annotation.simulation.browser import Browser, LoadedForm, LoadedPage, Reply, read_page
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import TaskType
from annotation.task_types.lessons import Lessons, is_right, lessons_of

LOOKS = 4  # how often somebody looks again when others hold the last tasks
MOST_STEPS = 100  # pages before the first task
KNOWN_TRIES = 10  # at an answer that a practice question knows
LESSON = re.compile(r"/(?:consent|instructions|practice/\d+|quiz)/$")
SIGNALS = '{{"active_ms": {active}, "keys": {keys}, "pastes": 0, "pasted": 0, "blurs": 0}}'


@dataclass
class Log:
    """Events in the order they happened; `file` gets each as it happens."""

    file: TextIO | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, person: int, event: str, **more: Any) -> None:
        row = {"time": round(time.time(), 3), "person": person, "event": event, **more}
        with self._lock:
            self.events.append(row)
            if self.file:
                self.file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def of(self, event: str) -> list[dict[str, Any]]:
        return [row for row in self.events if row["event"] == event]


@dataclass
class InventedVisit:
    """`pause(seconds)` waits as long as a person would, or not at all."""

    person: InventedPerson
    home: str  # this person's own address, as a path
    url: str
    type_: TaskType
    log: Log
    pause: Callable[[float], None]
    is_over: Callable[[], bool]
    seed: int = 0
    lessons: Lessons | None = None  # the campaign's; None: those of the type
    tasks: int = 0
    browser: Browser = field(init=False)
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.browser = Browser(self.url)
        self.practised: set[str] = set()  # addresses of practice questions that were answered
        self.rng = random.Random(self.seed * 1_000_003 + self.person.number)  # noqa: S311 - a rehearsal

    def chance(self, chance: float) -> bool:
        return self.rng.random() < chance

    def note(self, event: str, reply: Reply | None = None, **more: object) -> None:
        details: dict[str, object] = {} if reply is None else {"status": reply.status}
        if reply is not None and reply.status in (0, 500):
            details["text"] = reply.text[:200]
        self.log.write(self.person.number, event, **details, **more)

    def run(self) -> None:
        with closing(self.browser):
            page = self.first_task()
            looks = 0
            while not self.is_over():
                if page.task:
                    looks, next_page = 0, self.one_task(page, page.task)
                    if next_page is None:
                        return
                    page = next_page
                elif page.can_wait and looks < LOOKS:
                    looks += 1
                    self.pause(60)
                    time.sleep(0.5)
                    page = self._home()
                else:
                    self.note("end", heading=page.heading, tasks=self.tasks)
                    return

    def _home(self) -> LoadedPage:
        reply = self.browser.get(self.home)
        self.note("look", reply)
        return read_page(reply.text)

    def first_task(self) -> LoadedPage:
        """Consent, read the instructions, practise and take the quiz, as far as the campaign asks for it."""
        page = self._home()
        for _ in range(MOST_STEPS):
            step = next((form for form in page.forms if LESSON.search(form.action)), None)
            if page.task or step is None:
                break
            self.pause(self.person.seconds)
            reply = self.browser.post(step.action, {**step.fields, **self._lesson(page, step)})
            self.note("step", reply, heading=page.heading)
            page = self._home()  # a lesson is answered with what we think of it
        return page

    def _lesson(self, page: LoadedPage, step: LoadedForm) -> dict[str, str]:
        """Return what this person says at a step before the first task; a quiz is answered with their skill."""
        if "/practice/" in step.action:
            return self._practice(page, step.action)
        if not step.action.endswith("/quiz/"):
            return {"signals": "on"}
        if "task" in step.fields:  # the quiz is made of check tasks
            return self._invented(page)
        chosen = {}
        for number, question in enumerate(self._lessons.quiz):
            wrong = [choice for choice in range(len(question.choices)) if choice != question.right]
            knows = self.chance(self.person.skill**0.5)  # choosing is easier than writing
            choice = question.right if knows else self.rng.choice(wrong)
            chosen[f"question_{number}"] = str(choice)
        return chosen

    @property
    def _lessons(self) -> Lessons:
        return self.lessons or lessons_of(self.type_, None)

    def _practice(self, page: LoadedPage, address: str) -> dict[str, str]:
        """Return what this person thinks; the second time they give the answer that they were shown."""
        if address not in self.practised:
            self.practised.add(address)
            return self._invented(page)
        lesson = self._lessons.practice[int(address.rstrip("/").rpartition("/")[2])]
        known = self.type_.form(self.type_.question(lesson.item), lesson.gold.accepted[0])
        forms = (known, *({**self._invented(page), **known} for _ in range(KNOWN_TRIES)))
        return next((form for form in forms if is_right(self.type_, lesson, form)), known)

    def one_task(self, page: LoadedPage, task: LoadedForm) -> LoadedPage | None:
        """Answer what is on the page; returns the next page, or None when the person has left for good."""
        assignment = page.assignment
        self.pause(self.person.seconds * self.rng.uniform(0.4, 0.8))
        if self.chance(self.person.drop_out):
            self.note("drop out", assignment=assignment)
            return None
        back = page.form_to(f"/back/{assignment}/")
        if back and self.chance(self.person.give_back):
            reply = self.browser.post(back.action, {})
            self.note("give back", reply, assignment=assignment)
            return read_page(reply.text)
        invented = self._invented(page)
        form = {**task.fields, **invented}
        if self.chance(self.person.draft):
            self._draft(task, form, invented, assignment)
        self.pause(self.person.seconds * self.rng.uniform(0.2, 0.5))
        return self._submit(task, form, assignment)

    def _invented(self, page: LoadedPage) -> dict[str, str]:
        crowd = self.type_.crowd
        return crowd.invent(crowd.read_page(page.html), self.person, self.rng)

    def _draft(self, task: LoadedForm, form: dict[str, str], invented: dict[str, str], assignment: int) -> None:
        """Save half of the text that is being written; a person who then reloads finds it again."""
        long = [name for name, text in invented.items() if name in task.typed and " " in text]
        name = next(iter([*long, *invented]))
        text = form[name]
        half = {**form, name: text[: len(text) // 2] if long else text}
        reply = self.browser.post(task.attributes["data-draft"], half)
        self.note("draft", reply, assignment=assignment)
        if reply.status == 200 and self.chance(max(0.3, self.person.reload)):
            page = self._home()
            kept = page.task.fields.get(name, "") if page.task else None
            is_same = kept == half[name] if long else {*(kept or "").split()} == {*text.split()}
            is_kept = page.assignment != assignment or is_same  # else its time was over
            self.note("reload", assignment=assignment, kept=is_kept)

    def _submit(self, task: LoadedForm, form: dict[str, str], assignment: int) -> LoadedPage:
        active = int(self.person.seconds * 700)
        form = {**form, "signals": SIGNALS.format(active=active, keys=sum(map(len, form.values())))}
        if self.chance(self.person.double_submit):
            other = threading.Thread(target=self._click_again, args=(task, form, assignment))
            other.start()
            page = self._send(self.browser, task, form, assignment)
            other.join()
        else:
            page = self._send(self.browser, task, form, assignment)
        if page.task and page.assignment == assignment:  # the checks have something to say
            page = self._think_again(page.task, form, assignment)
        self.tasks += 1
        return page

    def _click_again(self, task: LoadedForm, form: dict[str, str], assignment: int) -> None:
        with closing(Browser(self.url)) as browser:
            self._send(browser, task, form, assignment)

    def _send(self, browser: Browser, task: LoadedForm, form: dict[str, str], assignment: int) -> LoadedPage:
        reply = browser.post(task.action, form)
        page = read_page(reply.text)
        self.note("submit", reply, assignment=assignment, form=form, outcome=page.outcome)
        if reply.status == 0:  # no word came back: look what became of it
            return self._home()
        return page

    def _think_again(self, task: LoadedForm, form: dict[str, str], assignment: int) -> LoadedPage:
        """Confirm what was asked about, or say that nothing fits."""
        confirmed = {"confirmed": task.fields.get("confirmed", "")}
        again = self._send(self.browser, task, {**form, **confirmed}, assignment)
        nothing = self.type_.nothing_fits
        if again.assignment != assignment or nothing is None:
            return again
        return self._send(self.browser, task, {**form, **self.type_.form({}, nothing.answer)}, assignment)


@dataclass(frozen=True)
class Shift:
    """How a crowd works: where, for how long, whether its people take their time, and what they learn from first."""

    url: str
    seed: int
    minutes: float | None = None
    is_real_pace: bool = False
    lessons: Lessons | None = None


def work(people: Sequence[tuple[InventedPerson, str]], shift: Shift, type_: TaskType, log: Log) -> None:
    """Let (person, home address) work until there is nothing left for anybody, or the time is over."""
    ends = None if shift.minutes is None else time.monotonic() + 60 * shift.minutes

    def is_over() -> bool:
        return ends is not None and time.monotonic() >= ends

    def pause(seconds: float) -> None:
        if shift.is_real_pace:
            left = seconds if ends is None else min(seconds, ends - time.monotonic())
            time.sleep(max(0.0, left))

    def visit(person: InventedPerson, home: str) -> None:
        try:
            InventedVisit(person, home, shift.url, type_, log, pause, is_over, shift.seed, shift.lessons).run()
        except Exception as error:  # a thread that ends without a word would look like a person who is done
            log.write(person.number, "failed", status=0, text=repr(error))

    threads = [threading.Thread(target=visit, args=(person, home), daemon=True) for person, home in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
