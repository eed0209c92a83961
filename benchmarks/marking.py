"""Marks in a long text: how soon the page is there and a key is painted in Chromium, and what 200 KB cost the server.

python -m benchmarks.marking [--visits 5] [--rounds 5] [--paragraph 200]

Marks stand in threes, each inside the next; a paragraph has this many words (0: the text is one paragraph). Figures are
ratios to a text of 100 words with 9 marks in the same run. Seconds of the clock end with the second frame behind a key
or behind the scripts; the processor time is that of the page's main thread until then.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from random import Random
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

from annotation.parts.span_tokens import tokens_of
from tests.product import Product

LABELS = ("person", "place", "organization", "event")
KEYS = (
    "ArrowRight", "Shift+ArrowRight", "p", "l", "Control+z", "Control+y", ".", ",", "Delete", "ArrowDown",
    "End", "ArrowLeft", "o", "Home",
)  # fmt: skip
TRACED = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
PAUSE_MS = 1000
NESTED = ((0, 5), (1, 4), (2, 2))  # the first and last word of three marks inside each other
TEXT = (
    "the river of a town that was not far from Arden Hill when Mira Holt of the Harbour Bank came to see her brother "
    "who had left Dun in May and lived by the Senn they spoke about bread boats and the University of Arden"
)
TASK = """
name: Names
parts:
  - {name: names, kind: spans, ask: Mark the names., text: text, overlap: nested,
     labels: [{id: person, key: p}, {id: place, key: l}, {id: organization, key: o}, event]}
instructions: {summary: Mark., details: Mark all., examples: + Marked.}
"""
MAKE = """
import json, sys, tempfile
from pathlib import Path
from annotation.selectors.descriptions import chosen_task
from annotation.services import campaigns
from annotation.services.campaigns import CampaignPlan
from annotation.services.descriptions import keep_description
from corpus.services import importing, samples
from corpus.services.importing import ImportOrder
from tests.make import make_participation
described, texts = sys.argv[1], json.load(open(sys.argv[2]))
task_type, task_settings = chosen_task(keep_description(described, by=None).key)
secrets = {}
for name, text in texts.items():
    path = Path(tempfile.mkdtemp()) / "texts.jsonl"
    path.write_text(json.dumps({"title": name, "text": text}))
    sample = importing.import_items(ImportOrder(path, name, "text"), by=None, report=lambda *_: None).sample
    settings = {"task_type": task_type, "task_settings": task_settings, "contact": "team@tesa.invalid"}
    campaign = campaigns.create_campaign(CampaignPlan(name=name, sample=sample, **settings), by=None)
    for _ in campaigns.make_tasks(campaign):
        pass
    secrets[name] = make_participation(campaigns.start(campaign.pk, by=None), name).secret
print(json.dumps(secrets))
"""
WATCH = """
const frame = () => new Promise(requestAnimationFrame);
const twoFrames = async () => {
  await frame();
  await frame();
  return performance.now();
};
addEventListener("DOMContentLoaded", () => { window.ready = twoFrames(); });
document.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
addEventListener("keydown", () => { window.painted = twoFrames().then((moment) => moment - window.pressed); });
"""


@dataclass(frozen=True)
class Size:
    """A text with marks, and the milliseconds that it may take."""

    words: int
    marks: int
    key_ms: float | None = None
    ready_ms: float | None = None

    @property
    def name(self) -> str:
        return f"{self.words:,} words, {self.marks:,} marks"


SIZES = (Size(100, 9), Size(2_000, 500, 50, 500), Size(5_000, 1_500, 100))
LARGEST = "50,000 characters of four bytes, 2,000 marks"


@dataclass(frozen=True)
class Pressed:
    """What became of a key: the milliseconds until it was painted, and those of the processor until then."""

    key: str
    painted: float
    used: float


def text_of(words: int, paragraph: int) -> str:
    known = TEXT.split()
    drawn = [Random(number).choice(known) for number in range(words)]
    step = paragraph or words
    return "\n\n".join(" ".join(drawn[at : at + step]) for at in range(0, words, step))


def marks_in(text: str, count: int, every: int) -> list[dict[str, object]]:
    """Return marks inside each other, evenly over the text."""
    tokens, marks = tokens_of(text, "words"), []
    for number in range(count):
        first, last = NESTED[number % len(NESTED)]
        at = number // len(NESTED) * every
        label = LABELS[number % len(LABELS)]
        marks.append({"start": tokens[at + first].start, "end": tokens[at + last].end, "label": label})
    return marks


def keep_draft(address: str, marks: Sequence[Mapping[str, object]]) -> float:
    """Save marks as a draft of the task at this address; return the seconds that took."""
    with urlopen(address) as answer:
        page = answer.read().decode()
    draft = page.partition('data-draft="')[2].partition('"')[0]
    started = time.monotonic()
    with urlopen(address.partition("/task/")[0] + draft, urlencode({"a.names": json.dumps(marks)}).encode()) as answer:
        kept = json.load(answer)
    assert kept["saved"], kept
    assert not kept["findings"], kept
    return time.monotonic() - started


@contextmanager
def metered(browser: Browser, page: Page) -> Iterator[list[float]]:
    """Put the processor time of the page's main thread into a list: milliseconds, tracing included."""
    used: list[float] = []
    browser.start_tracing(page=page, categories=TRACED)
    yield used
    events = json.loads(browser.stop_tracing())["traceEvents"]
    mains = {(own["pid"], own["tid"]) for own in events if own["name"] == "EventDispatch"}  # of this page alone
    tasks = (own for own in events if own["name"] == "RunTask" and (own["pid"], own["tid"]) in mains)
    used.append(sum(own.get("tdur", 0) for own in tasks) / 1000)


def visit(browser: Browser, address: str) -> tuple[Page, float, float]:
    """Open the page in a browser that was never here; return it with the milliseconds until it was ready, and used."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.add_init_script(WATCH)
    with metered(browser, page) as used:
        page.goto(address)
        page.wait_for_function("window.ready")
        ready = page.evaluate("window.ready")
    page.wait_for_load_state("networkidle")
    return page, ready, used[0]


def press_keys(browser: Browser, page: Page, rounds: int) -> list[Pressed]:
    page.locator("[data-canvas]").focus()
    pressed = []
    for _ in range(rounds):
        for key in KEYS:
            page.wait_for_timeout(PAUSE_MS)  # the draft is saved
            with metered(browser, page) as used:
                page.keyboard.press(key)
                painted = page.evaluate("window.painted")
            pressed.append(Pressed(key, painted, used[0]))
    return pressed


def measure_page(browser: Browser, address: str, size: Size, visits: int, rounds: int, small: list[float]) -> bool:
    """Print the figures of a page, as ratios to `small`, which the first page fills; tell whether all are met."""
    ready, used = [], []
    for _ in range(visits):
        page, milliseconds, cpu = visit(browser, address)
        ready.append(milliseconds)
        used.append(cpu)
        if len(ready) < visits:
            page.context.close()
    keys = press_keys(browser, page, rounds)
    page.context.close()
    painted = [statistics.median(own.painted for own in keys if own.key == key) for key in KEYS]
    spent = [statistics.median(own.used for own in keys if own.key == key) for key in KEYS]
    figures = [
        statistics.median(ready), statistics.median(used), statistics.median(painted), max(painted),
        statistics.median(spent), max(spent),
    ]  # fmt: skip
    small[:] = small or figures
    shown = [f"{own:.0f} ms ({own / least:.1f} ×)" for own, least in zip(figures, small, strict=True)]
    print(f"{size.name}: ready after {shown[0]}, {shown[1]} CPU")
    slowest, dearest = KEYS[painted.index(max(painted))], KEYS[spent.index(max(spent))]
    print(f"  key to paint: median {shown[2]}, slowest {slowest} {shown[3]}")
    print(f"  CPU of a key: median {shown[4]}, most {dearest} {shown[5]}")
    is_soon = size.ready_ms is None or figures[0] < size.ready_ms
    return is_soon and (size.key_ms is None or figures[3] < size.key_ms)


def measure_largest(address: str, small: str, text: str) -> None:
    """Print what the longest text that an item may have costs the server."""
    seconds = {}
    for name, own in (("small", small), ("largest", address)):
        started = time.monotonic()
        with urlopen(own) as answer:
            size = len(answer.read())
        seconds[name] = time.monotonic() - started
    drafted = keep_draft(address, marks_in(text, 2_000, 24))
    started = time.monotonic()
    with urlopen(address) as answer:
        again = len(answer.read())
    marked = time.monotonic() - started
    print(
        f"{LARGEST} ({len(text.encode()) / 1000:.0f} KB): page {seconds['largest']:.2f} s "
        f"({seconds['largest'] / seconds['small']:.0f} × the small one), {size / 1e6:.1f} MB; draft {drafted:.2f} s; "
        f"page with the marks {marked:.2f} s, {again / 1e6:.1f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--paragraph", type=int, default=200)
    options = parser.parse_args()
    texts = {size.name: text_of(size.words, options.paragraph) for size in SIZES}
    texts[LARGEST] = "𠀀" * 50_000
    with closing(Product().start()) as product, sync_playwright() as playwright:
        product.wait_for_demo()
        path = product.var / "texts.json"
        path.write_text(json.dumps(texts))
        secrets = json.loads(product.python(MAKE, TASK, str(path)).splitlines()[-1])
        addresses = {name: f"{product.url}/task/{secret}/" for name, secret in secrets.items()}
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        small: list[float] = []
        met = []
        for size in SIZES:
            keep_draft(addresses[size.name], marks_in(texts[size.name], size.marks, size.words * 3 // size.marks - 1))
            measured = measure_page(browser, addresses[size.name], size, options.visits, options.rounds, small)
            met.append(measured)
        browser.close()
        measure_largest(addresses[LARGEST], addresses[SIZES[0].name], texts[LARGEST])
    if not all(met):
        sys.exit("a page took longer than it should")


if __name__ == "__main__":
    main()
