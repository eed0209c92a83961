"""The demo's release, frozen from its campaigns and written in every format, has the recorded hash and bytes."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from annotation.models import Release
from annotation.services import demo
from annotation.task_types.aggregation.type import AGGREGATION
from corpus.frozen import FrozenInstance
from kernel import clock
from kernel.progress import Silent
from tests.golden import golden
from tests.golden.visiting import files_of
from tests.make import make_sample_of

pytestmark = pytest.mark.django_db(transaction=True)

MOMENT = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECRET_KEY = "golden " * 10  # pseudonyms are made with it


def freeze_demo() -> Release:
    lines = golden.read("demo_sample.jsonl.xz").decode().splitlines()
    sample = make_sample_of("Demo sample", *(FrozenInstance.from_json(json.loads(line)) for line in lines))
    with clock.at(MOMENT):
        demo.seed_campaigns(sample, by=None, report=Silent().report)
        return demo.seed_release(by=None, report=Silent().report)


def test_the_demo_release_is_frozen_and_exported_to_the_same_bytes(settings, tmp_path):
    settings.SECRET_KEY, settings.VAR = SECRET_KEY, tmp_path / "var"
    release = freeze_demo()

    out = tmp_path / "files"
    out.mkdir()
    for name in AGGREGATION.release.formats:
        call_command("export_release", release.name, format=name, out=out / name, verbosity=0)

    files = {name: data for path in sorted(out.iterdir()) for name, data in files_of(path)}
    digests = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items())
    readable = "\n".join(f"==== {name}\n{data.decode('utf-8-sig')}" for name, data in files.items())
    name = "demo_release"  # the same on every engine
    golden.check(f"{name}.txt.xz", f"content hash {release.content_hash}\n{readable}")
    golden.check(f"{name}.sha256", f"{release.content_hash}  content hash\n{digests}")
