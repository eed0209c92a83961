"""A name in the code says what it holds."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("kernel", "corpus", "annotation", "marketplace", "modeling", "tesa_site", "benchmarks", "tests")
FILLERS = {"one", "found", "given", "said", "told"}  # a row, a campaign, a sentence: each has a name of its own
APPS = ("kernel", "corpus", "annotation", "modeling", "tesa_site")
MARKETPLACE = ("kernel", "marketplace")  # speaks MTurk's language of assignments and workers, and meets no other app
FROM_DJANGO = {"Command", "DatabaseWrapper"}  # Django looks for classes of these names
STORED = {  # a column keeps its name
    "kernel/models.py": {"told"},
    "annotation/models/participants.py": {"given"},
}


def bound_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of every variable, parameter, field, function and class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name


def fillers_in(folder: str) -> Iterator[str]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if "migrations" not in path.parts:
            names = bound_names(ast.parse(path.read_text(encoding="utf-8")))
            forbidden = FILLERS - STORED.get(place, set())
            yield from (f"{place}:{line}: {name}" for line, name in names if name.lstrip("_") in forbidden)


def test_nothing_has_a_name_that_says_nothing():
    assert [filler for folder in FOLDERS for filler in fillers_in(folder)] == []


def test_every_kind_of_name_is_looked_at():
    code = "def _told(given, *, said=0):\n    found: int = 1\n    return [one for one in (found, given, said)]\n"
    assert {name for _, name in bound_names(ast.parse(code))} == {"_told", "given", "said", "found", "one"}


def public_classes(package: str) -> Iterator[tuple[str, str]]:
    """Yield (name, place) of every class of a package that its module does not keep to itself."""
    for path in sorted((ROOT / package).rglob("*.py")):
        if "migrations" not in path.parts:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    yield node.name, f"{path.relative_to(ROOT)}:{node.lineno}"


@pytest.mark.parametrize("packages", [APPS, MARKETPLACE])
def test_no_two_classes_share_a_name(packages: tuple[str, ...]):
    places: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        for name, place in public_classes(package):
            places[name].append(place)
    assert {name: where for name, where in places.items() if len(where) > 1 and name not in FROM_DJANGO} == {}


def aliases_in(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of every import that gets another name than its own."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((node.lineno, alias.asname) for alias in node.names if alias.asname not in (None, alias.name))


def test_nothing_is_imported_under_the_name_of_another_class():
    classes = {name for package in (*APPS, "marketplace") for name, _ in public_classes(package)} - FROM_DJANGO
    assert [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, name in aliases_in(path.read_text(encoding="utf-8"))
        if name in classes
    ] == []


def test_an_alias_is_found_wherever_it_is_imported():
    code = "import a.b as C\nfrom a import D as E, F, G as G\ndef f():\n    from a import H as I\n"
    assert [*aliases_in(code)] == [(1, "C"), (2, "E"), (4, "I")]
