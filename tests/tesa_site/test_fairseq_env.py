"""The environment with fairseq: pinned; by hash where a build is taken, with a shim where it is compiled here."""

from __future__ import annotations

import sys

import pytest

from tesa_site import fairseq_env


@pytest.fixture
def called(monkeypatch):
    """Return the commands that would have been run."""
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(fairseq_env.subprocess, "call", lambda command: commands.append(command) or 0)
    monkeypatch.setattr(sys, "version_info", (3, 11, 7))
    return commands


def test_on_x86_64_the_build_is_installed_by_its_hash_after_torch(called, tmp_path):
    fairseq_env.make(tmp_path, "x86_64")

    installed = [command[6:] for command in called if "pip" in command]
    assert installed[0] == ("torch==2.13.0",)
    assert "--require-hashes" in installed[-1]
    assert "--no-deps" in installed[-1]
    assert (tmp_path / "fairseq.txt").read_text().startswith("ve-fairseq==0.12.3 --hash=sha256:5e84da7a92db")


def test_elsewhere_the_last_release_is_built_with_a_shim_that_lets_it_be_imported(called, tmp_path, capsys):
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)

    fairseq_env.make(tmp_path, "aarch64")

    assert called[-1][-1] == "fairseq==0.12.2"
    assert "C++ compiler" in capsys.readouterr().err
    compile((site / "sitecustomize.py").read_text(), "sitecustomize.py", "exec")


def test_another_python_is_refused_in_one_sentence(called, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 12, 1))

    with pytest.raises(SystemExit, match="fairseq needs Python 3\\.11"):
        fairseq_env.make(tmp_path, "x86_64")
    assert called == []
