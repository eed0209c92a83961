"""`make constraints` refuses a package that some machine could not install from a wheel."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from tesa_site import constraints

pytestmark = pytest.mark.processes


def add_wheel(folder: Path, name: str, tags: str) -> None:
    with zipfile.ZipFile(folder / f"{name}-1.0-{tags}.whl", "w") as wheel:
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tags}\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


def add_source(folder: Path, name: str) -> None:
    project = folder / f"{name}-1.0"
    project.mkdir()
    (project / "PKG-INFO").write_text(f"Metadata-Version: 2.2\nName: {name}\nVersion: 1.0\n")
    (project / "pyproject.toml").write_text(f'[project]\nname = "{name}"\nversion = "1.0"\n')
    with tarfile.open(folder / f"{name}-1.0.tar.gz", "w:gz") as archive:
        archive.add(project, project.name)


def problems(folder: Path, *pins: str) -> list[str]:
    return constraints.missing_wheels("\n".join(pins), ("--no-index", "--find-links", str(folder)))


def test_a_pure_python_wheel_is_accepted_everywhere(tmp_path):
    add_wheel(tmp_path, "anywhere", "py3-none-any")

    assert problems(tmp_path, "anywhere==1.0") == []


def test_a_package_without_a_wheel_for_arm_is_named_for_every_python(tmp_path):
    for python in ("cp311", "cp312", "cp313"):
        add_wheel(tmp_path, "onlyintel", f"{python}-{python}-manylinux_2_17_x86_64")

    sentences = problems(tmp_path, "onlyintel==1.0")

    assert [sentence.partition(":")[0] for sentence in sentences] == [
        f"aarch64-manylinux_2_28, Python {python}" for python in ("3.11", "3.12", "3.13")
    ]
    assert all("onlyintel" in sentence for sentence in sentences)


def test_a_package_without_a_wheel_for_the_newest_python_is_named(tmp_path):
    for python in ("cp311", "cp312"):
        for machine in ("x86_64", "aarch64"):
            add_wheel(tmp_path, "late", f"{python}-{python}-manylinux_2_17_{machine}")

    assert [sentence.partition(":")[0] for sentence in problems(tmp_path, "late==1.0")] == [
        "x86_64-manylinux_2_28, Python 3.13",
        "aarch64-manylinux_2_28, Python 3.13",
    ]


def test_only_the_named_exception_may_come_as_source(tmp_path):
    add_source(tmp_path, "wikipedia")
    add_source(tmp_path, "other")

    assert problems(tmp_path, "wikipedia==1.0") == []
    assert len(problems(tmp_path, "other==1.0")) == 6
