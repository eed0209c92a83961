"""Documentation is complete: every variable, command, job kind and plug-in has its place in a README."""

from __future__ import annotations

import ast
import os
import re
from functools import cache
from pathlib import Path

from django.core.management import get_commands

from annotation.providers import PROVIDERS
from annotation.providers.panel.settings import PRESETS
from kernel.vectors import VECTORS
from modeling.rankers import RANKERS
from tesa_site.job_kinds import JOB_KINDS
from tesa_site.settings import VERSION

ROOT = Path(__file__).parent.parent
APPS = ("tesa_site", "kernel", "corpus", "annotation", "marketplace", "modeling")
SKIPPED = {".venv", ".venv-neural", ".venv-fairseq", "var"}


@cache
def pages() -> list[Path]:
    """Return the pages of the documentation, without a look into what was installed or stored here."""
    paths = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED]
        paths += [Path(folder, name) for name in names if name.endswith(".md")]
    return paths


@cache
def documentation() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in pages())


def variables() -> set[str]:
    text = (ROOT / "tesa_site" / "settings.py").read_text(encoding="utf-8")
    names = [
        node.args[0].value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith("env") and node.args
        if isinstance(node.args[0], ast.Constant)
    ]
    return {str(name) for name in names}


def commands() -> set[str]:
    return {name for name, app in get_commands().items() if app in APPS}


def test_every_variable_is_documented():
    assert [name for name in sorted(variables()) if f"`{name}`" not in documentation()] == []


def test_every_command_is_documented():
    assert [name for name in sorted(commands()) if not re.search(rf"manage\.py {name}\b", documentation())] == []


def test_the_list_of_job_kinds_is_complete():
    text = (ROOT / "tesa_site" / "README.md").read_text(encoding="utf-8")
    listed = text.partition("The kinds are:")[2].partition("\n## ")[0]

    assert sorted(re.findall(r"`(\w+)`", listed)) == sorted(JOB_KINDS)


def test_every_ranker_and_kind_of_word_vectors_is_documented():
    text = (ROOT / "modeling" / "README.md").read_text(encoding="utf-8")
    assert [name for name in (*RANKERS, *VECTORS) if f"`{name}`" not in text] == []


def test_every_provider_and_every_preset_of_a_panel_is_documented():
    assert [name for name in (*PROVIDERS, *PRESETS) if f"`{name}`" not in documentation()] == []


def test_every_app_has_a_readme():
    pages = {app: (ROOT / app / "README.md").read_text(encoding="utf-8") for app in APPS}
    assert [app for app, text in pages.items() if not text.startswith("# ")] == []


def test_the_version_is_the_newest_heading_of_the_changelog():
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_links_between_the_pages_lead_somewhere():
    assert [
        f"{page.relative_to(ROOT)} → {target}"
        for page in pages()
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ] == []


def test_the_environment_file_is_written_before_a_command_needs_it():
    deploy = (ROOT / "tesa_site" / "DEPLOY.md").read_text(encoding="utf-8")
    systemd = deploy.partition("## With systemd")[2].partition("\n## ")[0]

    assert 0 < systemd.index("/etc/tesa.env") < systemd.index(". /etc/tesa.env") < systemd.index("manage.py check")
    assert systemd.index("manage.py check") < systemd.index("manage.py prepare") < systemd.index("create_user")


def test_the_readme_shows_four_light_pictures():
    shown = {*re.findall(r"\]\((tesa_site/screenshots/\w+\.png)\)", (ROOT / "README.md").read_text(encoding="utf-8"))}

    assert len(shown) == 4
    assert {path for path in shown if (ROOT / path).stat().st_size > 120_000} == set()
    assert shown == {str(path.relative_to(ROOT)) for path in (ROOT / "tesa_site" / "screenshots").iterdir()}
