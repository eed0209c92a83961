"""Libraries that take much memory are loaded by the process that uses them, and by none at its start."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.product import ROOT

pytestmark = pytest.mark.processes
HEAVY = {
    "boto3", "datasets", "numpy", "pandas", "pyarrow", "pydantic", "scipy", "sklearn", "spacy", "spacy_lookups_data",
    "torch", "transformers", "vl_convert", "wikipedia",
}  # fmt: skip
STARTS = {
    "web": "import tesa_site.wsgi",
    "worker": "import tesa_site.worker as worker; worker.run = lambda queues: None; sys.argv = ['', '']; worker.main()",
    "scheduler": (
        "from django.core.management import load_command_class as load;"
        "import django; django.setup(); load('tesa_site', 'scheduler')"
    ),
}


@pytest.mark.parametrize("process", STARTS)
def test_no_heavy_library_is_loaded_at_the_start(process: str):
    code = f"import sys; {STARTS[process]}; print(*sorted({HEAVY} & {{*sys.modules}}))"
    environment = {"DJANGO_SETTINGS_MODULE": "tesa_site.settings_test", "PATH": ""}

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
