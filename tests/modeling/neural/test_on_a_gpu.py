"""What only a GPU can show. Left out without one; run by hand: `make test-neural PYTEST_ARGS="-m gpu"`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from modeling.machine import TOLERANCE
from modeling.rankers.neural.work_folder import FINISHED, STUCK
from tests.modeling.neural.torch_values import COMMAND, run_command, toy_folder
from tests.product import wait_for

pytestmark = [pytest.mark.neural, pytest.mark.gpu, pytest.mark.processes]
SETTINGS = {"sizes": (48, 8, 8), "epochs": 8, "max_sentences": 8, "checkpoint_minutes": 1e-9, "device": "cuda"}


@pytest.mark.parametrize(("ranker", "more"), [("cross-encoder", {}), ("seq2seq", {"generate": "nothing"})])
def test_a_run_killed_on_a_gpu_continues_to_the_scores_of_one_that_nobody_disturbed(tmp_path, ranker, more):
    whole = toy_folder(tmp_path / "whole", ranker, **SETTINGS, **more)
    assert run_command(whole).returncode == FINISHED
    torn = toy_folder(tmp_path / "torn", ranker, **SETTINGS, **more)
    child = subprocess.Popen([*COMMAND, str(torn.path)])
    wait_for(lambda: len([*torn.path.glob("checkpoints/step-*")]) > 1 or child.poll() is not None, seconds=120)
    child.kill()
    child.wait()
    assert torn.state().state == "training"

    assert run_command(torn).returncode == FINISHED

    assert [row["update"] for row in torn.progress() if row["kind"] == "resumed"]
    assert torn.model()["updates"] == whole.model()["updates"]
    for key, scores in whole.scores().items():
        assert torn.scores()[key] == pytest.approx(scores, abs=TOLERANCE)


@pytest.mark.parametrize("most", [40_000, 8_000])  # beyond the largest graph, and within it
def test_a_gpu_that_is_too_small_says_which_batch_would_fit(tmp_path, most):
    folder = toy_folder(
        tmp_path, checkpoint="random-bart-base", sizes=(400, 4, 4), max_sentences=0, max_tokens=most, device="cuda"
    )
    program = (
        "import sys, runpy, torch; torch.cuda.set_per_process_memory_fraction(0.02);"
        f"sys.argv[1:] = [{str(folder.path)!r}]; runpy.run_module('modeling.rankers.neural', run_name='__main__')"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == STUCK

    assert folder.state().sentence.startswith("Memory ran out")
    assert "set max_tokens to " in folder.state().sentence
