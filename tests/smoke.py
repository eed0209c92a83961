"""The whole way of a dataset, as people would go it, on a fresh folder: `make smoke`. Each step asserts its numbers.

TESA_DATABASE_URL=postgres://… makes it a fresh database of that server instead of SQLite.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable

from tests.product import Product

INSTANCES, PEOPLE = 12, 3
LIMIT_S = 90  # on an idle machine
CAMPAIGN = f"""
from annotation.services import campaigns
from corpus.models import Sample
plan = campaigns.Plan(
    name="Smoke", sample=Sample.objects.get(name="Smoke sample"), redundancy={PEOPLE}, contact="team@tesa.invalid"
)
campaign = campaigns.create_campaign(plan, by=None)
print(*campaigns.make_tasks(campaign))
campaigns.start(campaign.pk, by=None)
"""
COUNT = """
import json
from collections import Counter
from annotation.models import Annotation, Task
mine = Annotation.objects.filter(assignment__campaign__name="Smoke")
print(json.dumps({
    "answers": mine.count(),
    "people": mine.values("assignment__participation").distinct().count(),
    "tasks": dict(Counter(Task.objects.filter(campaign__name="Smoke").values_list("answers", flat=True))),
}))
"""


def expect(text: str, pattern: str) -> None:
    assert re.search(pattern, text), f"expected {pattern!r} in:\n{text}"


def demo_is_there(product: Product) -> None:
    product.wait_for_demo()
    counts = product.python(
        "from annotation.models import Campaign\n"
        "print(*Campaign.objects.filter(is_demo=True).order_by('pk').values_list('status', flat=True))"
    )
    expect(counts, r"^closed running running$")


def draw_a_sample(product: Product) -> None:
    told = product.manage(
        "draw_sample", "Demo newspaper", "--name", "Smoke sample", "-n", str(INSTANCES), "--seed", "7"
    )
    expect(told, rf"{INSTANCES} instances drawn")


def open_a_campaign(product: Product) -> None:
    expect(product.python(CAMPAIGN), rf"\b{INSTANCES}$")


def answer_it(product: Product) -> None:
    url = f"--url={product.url}"
    told = product.manage("simulate", "Smoke", f"--people={PEOPLE}", "--seed=1", "--steady", url)
    expect(told, rf"{INSTANCES * PEOPLE} answers stored")
    expect(told, "nothing lost, nothing double, no error")


def count_the_answers(product: Product) -> None:
    counts = json.loads(product.python(COUNT))
    assert counts == {"answers": INSTANCES * PEOPLE, "people": PEOPLE, "tasks": {str(PEOPLE): INSTANCES}}, counts


STEPS: tuple[Callable[[Product], None], ...] = (
    demo_is_there,
    draw_a_sample,
    open_a_campaign,
    answer_it,
    count_the_answers,
)


def main() -> None:
    began = time.monotonic()
    product = Product()
    try:
        product.start()
        print(f"started              {time.monotonic() - began:5.1f} s")
        for step in STEPS:
            started = time.monotonic()
            step(product)
            print(f"{step.__name__.replace('_', ' '):20} {time.monotonic() - started:5.1f} s", flush=True)
    except BaseException:
        print(product.logs(), file=sys.stderr)
        raise
    finally:
        product.close()
    print(f"smoke: everything fits, {time.monotonic() - began:.1f} s (an idle machine takes less than {LIMIT_S})")


if __name__ == "__main__":
    main()
