"""A campaign under load: what one task costs, what making and showing one costs, and whether anything is lost.

python -m benchmarks.campaign [--tasks 10000 1000 100000] [--answers 1500] [--people 8]
python -m benchmarks.campaign --before FOLDER                                (TESA_DATABASE_URL=… for PostgreSQL)
python -m benchmarks.campaign --task sentiment likert_grid                  (own tasks, beside TESA's in the same run)
python -m benchmarks.campaign --crowd 100 --minutes 5

One task = a draft, and a submit that answers with the next page. Processor time is that of the web server and the
database together. With --before, the product of another checkout (with a .venv of its own, or a link to one) does the
same in turn with this one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from benchmarks import cpu, load
from benchmarks.home import bare_product
from tests.product import Product

MAKE = """
import resource, sys, time
from annotation.services import campaigns
from benchmarks.passages import make_sample, passage
from tests.make import make_participation
size, people = map(int, sys.argv[-1].split())
sample = make_sample(f"{size} passages", size, map(passage, range(size)))
used, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.monotonic()
plan = campaigns.CampaignPlan(name=f"{size} tasks", sample=sample, contact="team@tesa.invalid")
campaign = campaigns.create_campaign(plan, by=None)
for _ in campaigns.make_tasks(campaign):
    pass
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
print(time.monotonic() - started, time.process_time() - used, grown / 1024)
campaign = campaigns.start(campaign.pk, by=None)
print(*(make_participation(campaign, f"{size} {number}").secret for number in range(people)))
"""
MAKE_OWN = """
import sys
from annotation.services import campaigns
from benchmarks.own_samples import form_for, make_plan
from tests.make import make_participation
name, size, people = sys.argv[-1].split()
plan = make_plan(name, int(size))
campaign = campaigns.create_campaign(plan, by=None)
for _ in campaigns.make_tasks(campaign):
    pass
campaign = campaigns.start(campaign.pk, by=None)
print(form_for(plan))
print(*(make_participation(campaign, f"{name} {number}").secret for number in range(int(people))))
"""
COUNT = """
import sys
from django.db.models import Count
from annotation.models import Annotation, Assignment, Task
mine = Assignment.objects.filter(campaign__name=sys.argv[-1])
answered = mine.filter(status="submitted")
pairs = answered.values("task", "participation").annotate(n=Count("pk")).filter(n__gt=1).count()
full = answered.values("task").annotate(n=Count("participation", distinct=True)).filter(n__gt=3).count()
print(answered.count(), Annotation.objects.filter(assignment__in=mine).count(), pairs, full)
"""


def make(product: Product, size: int, people: int) -> tuple[list[float], list[str]]:
    """Make a campaign; return the seconds, the CPU seconds and the megabytes this took, and its people's secrets."""
    figures, secrets = product.python(MAKE, f"{size} {people}").splitlines()
    return [*map(float, figures.split())], secrets.split()


def metered(product: Product, clients: Sequence[load.Client], answers: int) -> tuple[load.Result, float, float]:
    """Return what was done, and the milliseconds a task of the web server and of the database."""
    meter, is_over = cpu.Meter(product), threading.Event()

    def watch() -> None:
        while not is_over.wait(5):
            meter.read()

    watcher = threading.Thread(target=watch)
    watcher.start()
    done = load.run(product.port, clients, most=answers)
    is_over.set()
    watcher.join()
    web, database = meter.read()
    return done, 1000 * web / max(1, done.answers), 1000 * database / max(1, done.answers)


def measure(product: Product, size: int, people: int, answers: int, cookies: list[str]) -> None:
    """Print what a task of a campaign of `size` tasks costs, also as a ratio to the bare view."""
    (seconds, cpu_seconds, megabytes), secrets = make(product, size, people)
    print(f"{size:,} tasks made: {seconds:.1f} s ({cpu_seconds:.1f} s CPU), {megabytes:.0f} MB more memory")
    annotators = [*map(load.annotator, secrets)]
    load.run(product.port, annotators, most=100)  # warm up
    _, bare, bare_database = metered(product, [load.visitor("/bare/", cookie) for cookie in cookies], answers)
    done, web, database = metered(product, annotators, answers)
    cost, bare = web + database, bare + bare_database
    print(
        f"{size:,} tasks, {people} people: {done.per_second:.1f} tasks/s, {cost:.1f} ms CPU a task "
        f"(web {web:.1f}, database {database:.1f}), {cost / bare:.1f} × a bare view ({bare:.1f} ms), "
        f"p95 {done.p95_ms:.0f} ms, errors {done.errors}"
    )
    check(product, f"{size} tasks", done.answers + 100, done.errors)


def check(product: Product, campaign: str, sent: int, errors: int) -> None:
    """Stop if an answer of a campaign was refused, is not stored, or was given twice or by too many people."""
    stored, annotations, twice, too_many = map(int, product.python(COUNT, campaign).split())
    print(f"  {stored:,} answers stored, {twice} tasks twice to one person, {too_many} to too many people")
    if errors or twice or too_many or stored != annotations or stored < sent:
        sys.exit(
            f"something is wrong: {sent:,} or more were sent, {stored:,} turns and {annotations:,} answers are stored"
        )


def compare(before: Path, people: int, answers: int) -> None:
    """Print what a task costs here and in another checkout; both work in turn, so that a slow moment hits both."""
    with bare_product(people) as (here, _), bare_product(people, before) as (there, _):
        annotators = {}
        for product in (here, there):
            product.wait_for_demo()
            annotators[product] = [*map(load.annotator, make(product, 10_000, people)[1])]
            load.run(product.port, annotators[product], most=100)  # warm up
        done: dict[Product, list[tuple[float, float, float]]] = {here: [], there: []}
        for product in (here, there, there, here, here, there):
            result, web, database = metered(product, annotators[product], answers)
            done[product].append((result.per_second, web + database, result.p95_ms))
            print(
                f"{'now' if product is here else 'before':6} {result}  {web + database:.1f} ms CPU a task", flush=True
            )
    now, then = (
        [statistics.median(column) for column in zip(*done[product], strict=True)] for product in (here, there)
    )
    for name, ours, theirs in zip(("tasks a second", "ms CPU a task", "p95 in ms"), now, then, strict=True):
        print(f"{name}: now {ours:.1f}, before {theirs:.1f}, now / before {ours / theirs:.2f}")


def beside_tesa(product: Product, names: Sequence[str], size: int, people: int, answers: int) -> None:
    """Print what a task of each own task costs, as a ratio to TESA's; all work in turn, three times each."""
    campaigns = {f"{size} tasks": [*map(load.annotator, make(product, size, people)[1])]}
    for name in names:
        form, secrets = product.python(MAKE_OWN, f"{name} {size} {people}").splitlines()
        campaigns[f"{size} {name} tasks"] = [load.annotator(secret, form.encode()) for secret in secrets.split()]
    for annotators in campaigns.values():
        load.run(product.port, annotators, most=100)  # warm up
    done: dict[str, list[tuple[float, float, float]]] = {campaign: [] for campaign in campaigns}
    sent, errors = dict.fromkeys(campaigns, 100), dict.fromkeys(campaigns, 0)
    for order in (list(campaigns), list(campaigns)[::-1], list(campaigns)):
        for campaign in order:
            result, web, database = metered(product, campaigns[campaign], answers)
            done[campaign].append((result.per_second, web + database, result.p95_ms))
            sent[campaign] += result.answers
            errors[campaign] += result.errors
    figures = {
        campaign: [statistics.median(column) for column in zip(*rows, strict=True)] for campaign, rows in done.items()
    }
    tesa = figures[f"{size} tasks"]
    for campaign, (per_second, cost, p95) in figures.items():
        print(
            f"{campaign}, {people} people: {per_second:.1f} tasks/s ({per_second / tesa[0]:.2f} × TESA), "
            f"{cost:.1f} ms CPU a task ({cost / tesa[1]:.2f} × TESA), p95 {p95:.0f} ms ({p95 / tesa[2]:.2f} × TESA)"
        )
        check(product, campaign, sent[campaign], errors[campaign])


def rehearse(product: Product, people: int, minutes: float) -> None:
    """Let an invented crowd work through the pages; its log must agree with the database."""
    make(product, 10_000, 0)
    more = (f"--people={people}", f"--minutes={minutes}", "--pace=fast", f"--url={product.url}")
    print(product.manage("simulate", "10000 tasks", *more))


def show(product: Product) -> None:
    """Print what a first visit to a task's page weighs, and when its text can be read in Chromium."""
    from playwright.sync_api import Request, sync_playwright  # only this part needs a browser

    _, (secret,) = make(product, 50, 1)
    sizes: list[int] = []

    def weigh(request: Request) -> None:
        parts = request.sizes()
        sizes.append(parts["responseBodySize"] + parts["responseHeadersSize"])

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        times = []
        for _ in range(3):
            page = browser.new_context().new_page()
            sizes.clear()
            page.on("requestfinished", weigh)
            page.goto(f"{product.url}/task/{secret}/", wait_until="load")
            page.wait_for_timeout(300)
            times.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        browser.close()
    print(f"a task's page: {sum(sizes) / 1000:.1f} KB in {len(sizes)} requests, readable after {min(times):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, nargs="+", default=[10_000, 1_000, 100_000])
    parser.add_argument("--answers", type=int, default=1500, help="answers measured for each size")
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--task", nargs="+", default=[], help="instead, own tasks of the library beside TESA's")
    parser.add_argument("--crowd", type=int, default=0, help="instead, let simulated people work at a real pace")
    parser.add_argument("--minutes", type=float, default=5)
    options = parser.parse_args()
    if options.before:
        compare(options.before, options.people, options.answers)
        return
    with bare_product(options.people) as (product, cookies):
        product.wait_for_demo()
        if options.crowd:
            rehearse(product, options.crowd, options.minutes)
            return
        if options.task:
            beside_tesa(product, options.task, options.tasks[0], options.people, options.answers)
            return
        for size in options.tasks:
            measure(product, size, options.people, options.answers, cookies)
        show(product)


if __name__ == "__main__":
    main()
