"""`make smoke`: take one dataset through every stage in an empty folder, as people would. Each step checks its numbers.

With TESA_DATABASE_URL=postgres://… it creates a database on that server instead of using SQLite.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable

from tests.product import Product

INSTANCES, PEOPLE = 12, 3
LIMIT_S = 90  # on an idle machine


def expect(text: str, pattern: str) -> None:
    assert re.search(pattern, text), f"expected {pattern!r} in:\n{text}"


def demo_is_there(product: Product) -> None:
    product.wait_for_demo()
    counts = product.python(
        "from annotation.models import Campaign\n"
        "print(*Campaign.objects.filter(is_demo=True).order_by('pk').values_list('status', flat=True))"
    )
    expect(counts, r"^closed running running closed$")


def draw_a_sample(product: Product) -> None:
    output = product.manage(
        "draw_sample", "Demo newspaper", "--name", "Smoke sample", "-n", str(INSTANCES), "--seed", "7"
    )
    expect(output, rf"{INSTANCES} instances drawn")


def open_a_campaign(product: Product) -> None:
    people, contact = f"--redundancy={PEOPLE}", "--contact=team@tesa.invalid"
    output = product.manage("create_campaign", "Smoke", "Smoke sample", people, contact, "--start")
    expect(output, "Smoke is open")


def answer_it(product: Product) -> None:
    url = f"--url={product.url}"
    output = product.manage("simulate", "Smoke", f"--people={PEOPLE}", "--seed=1", "--steady", url)
    expect(output, rf"{INSTANCES * PEOPLE} answers stored")
    expect(output, "nothing lost, nothing double, no error")


def export_the_answers(product: Product) -> None:
    lines = product.manage("export_annotations", "Smoke", "--format=jsonl").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == INSTANCES * PEOPLE, len(rows)
    assert set(Counter(row["instance"] for row in rows).values()) == {PEOPLE}
    assert set(Counter(row["annotator"] for row in rows).values()) == {INSTANCES}


def freeze_a_release(product: Product) -> None:
    output = product.manage(
        "freeze_release", "Smoke release", "--campaign", "Smoke", "--licence", "CC0-1.0", "--simulated"
    )
    expect(output, r"\d+ instances frozen")
    expect(output, r"content hash [0-9a-f]{64}")


def train_a_model(product: Product) -> None:
    output = product.manage("run_experiment", "Smoke run", "--release", "Smoke release", "--ranker", "logistic-tesa")
    expect(output, "chosen by validation: logistic-tesa")


STEPS: tuple[Callable[[Product], None], ...] = (
    demo_is_there,
    draw_a_sample,
    open_a_campaign,
    answer_it,
    export_the_answers,
    freeze_a_release,
    train_a_model,
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
    print(f"smoke: every step passed, {time.monotonic() - began:.1f} s (an idle machine takes less than {LIMIT_S})")


if __name__ == "__main__":
    main()
