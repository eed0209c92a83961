"""What a neural run records of its machine."""

from __future__ import annotations

import pytest

from modeling.rankers.neural import machine
from modeling.rankers.neural.machine import Machine

pytestmark = pytest.mark.neural
MODULE = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\nGCC version: gcc 12.3.0\n"


@pytest.mark.parametrize(("text", "version"), [(MODULE, "580.65.06"), ("nonsense", ""), (None, "")])
def test_the_version_of_the_driver_is_recorded_beside_cuda(tmp_path, monkeypatch, text, version):
    path = tmp_path / "version"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr(machine, "DRIVER", path)

    versions = Machine.choose("cpu", "fp32").facts()["versions"]

    assert versions["driver"] == version
    assert "cuda" in versions
