"""A module's name says what it may import."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
APPS = ("kernel", "corpus", "annotation", "modeling")  # the ground, then the rooms: each may import those before it
MARKETPLACE = "marketplace"  # knows the kernel alone, and only the site knows it
SITE = "tesa_site"  # the roof: knows every app, and no app knows it
DJANGO_ROOMS = {
    "models", "selectors", "services", "jobs", "views", "api", "forms", "admin", "urls", "apps", "checks",
    "templatetags", "management", "migrations", "databases",
}  # fmt: skip
AT_ANY_DEPTH = "forms"  # a plug-in's folder may hold a form; everything else in it is plain Python
FRAMEWORKS = {"django", "rest_framework", "celery", "django_htmx", "drf_spectacular"}
ORDER = ("models", "selectors", "services")  # a room may not import one to its right
WRITERS = {"services", "migrations"}  # the only rooms that change rows
SAVES = {"save", "create", "get_or_create", "update_or_create", "bulk_create", "bulk_update", "delete"}
WRITES = SAVES | {f"a{name}" for name in SAVES} | {"aupdate"}
OF_MANAGERS = {"create_user", "create_superuser", "acreate_user", "acreate_superuser"}  # services have such names too
OF_DJANGO = {"form_valid", "save_model", "save_related", "save_formset", "delete_model", "delete_queryset"}
SQL = {"execute", "executemany"}
# Calls outside these rooms that look like writes, and what they do.
NO_WRITES = {
    "annotation/selectors/progress.py: cache.delete": "forgets counts that the selector itself has cached",
    "kernel/jobs/check_worker.py: default_storage.save": "a file",
    "kernel/jobs/check_worker.py: default_storage.delete": "a file",
    "tesa_site/celery.py: app.conf.update": "settings of Celery",
    "kernel/admin.py: super().save_model": "the admin's own form, with its audit entry in the admin's transaction",
    "kernel/admin.py: super().save_related": "the admin's own form, with its audit entry in the admin's transaction",
    "tesa_site/views/account.py: super().form_valid": "signs in, or sends the mail of a forgotten password",
    **dict.fromkeys(
        (
            "kernel/databases/joined.py: cursor.execute",
            "kernel/databases/outages.py: cursor.execute",
            "kernel/jobs/check_worker.py: cursor.execute",
            "kernel/selectors.py: cursor.execute",
            "tesa_site/views/health.py: cursor.execute",
        ),
        "asks the database, and changes nothing",
    ),
    **dict.fromkeys(
        (
            "tesa_site/demo.py: Job.objects.filter(created_by__in=users).delete",
            "tesa_site/demo.py: Job.objects.filter(kind__in=corpora.JOB_KINDS, subject=CORPUS_NAME).delete",
            "tesa_site/demo.py: RetiredVersion.objects.filter(is_demo=True).delete",
            "tesa_site/demo.py: Sample.objects.filter(is_demo=True).delete",
            "tesa_site/demo.py: Corpus.objects.filter(is_demo=True).delete",
            "tesa_site/demo.py: users.delete",
        ),
        "takes the demo's rows out of every app",
    ),
}
INTERFACES = {"jobs", "views", "api", "admin", "forms", "urls", "management"}


def modules() -> Iterator[tuple[str, Path]]:
    """Yield (app, path) of every module of every app."""
    for app in (*APPS, MARKETPLACE):
        for path in sorted((ROOT / app.replace(".", "/")).rglob("*.py")):
            if owner(".".join(path.relative_to(ROOT).with_suffix("").parts)) == app:
                yield app, path


def owner(name: str) -> str:
    """Return the app a dotted name belongs to, the site, or "" for what is not ours."""
    return max((app for app in (*APPS, MARKETPLACE, SITE) if in_app(name, app)), key=len, default="")


def room(app: str, path: Path) -> str:
    return named_room(path.relative_to(ROOT / app.replace(".", "/")).with_suffix("").parts)


def room_of_import(name: str, app: str) -> str:
    return named_room(name.removeprefix(app).lstrip(".").split("."))


def named_room(parts: Sequence[str]) -> str:
    """Return the room of a path inside an app."""
    return AT_ANY_DEPTH if AT_ANY_DEPTH in parts else parts[0]


@cache
def imported(path: Path) -> tuple[str, ...]:
    return tuple(names_imported(path))


def names_imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def in_app(name: str, app: str) -> bool:
    return name == app or name.startswith(app + ".")


MODULES = [*modules()]
PURE = [(app, path) for app, path in MODULES if room(app, path) not in DJANGO_ROOMS]


def forbidden_in_pure(name: str) -> bool:
    other = owner(name)
    return name.split(".")[0] in FRAMEWORKS or (other != "" and room_of_import(name, other) in DJANGO_ROOMS)


def test_pure_modules_import_no_framework_and_no_django_room():
    assert [
        f"{path.relative_to(ROOT)}: {name}" for _, path in PURE for name in imported(path) if forbidden_in_pure(name)
    ] == []


def known_to(app: str) -> tuple[str, ...]:
    """Return the apps whose modules an app may import, and "" for what is not ours."""
    return ("", APPS[0], MARKETPLACE) if app == MARKETPLACE else ("", *APPS[: APPS.index(app) + 1])


def test_an_app_imports_only_itself_and_the_apps_before_it():
    assert [
        f"{path.relative_to(ROOT)}: {name}"
        for app, path in MODULES
        for name in imported(path)
        if owner(name) not in known_to(app)
    ] == []


def forbidden_to(own: str) -> set[str]:
    """Return the rooms of its app that a room may not import."""
    return {*ORDER[ORDER.index(own) + 1 :], *INTERFACES} if own in ORDER else set()


def test_models_selectors_and_services_import_only_what_stands_before_them():
    assert [
        f"{path.relative_to(ROOT)}: {name}"
        for app, path in MODULES
        for name in imported(path)
        if in_app(name, app) and room_of_import(name, app) in forbidden_to(room(app, path))
    ] == []


def writes_in(source: str) -> list[str]:
    """Return the calls of a module that change rows.

    A queryset's `update` takes keywords alone, a dictionary's or a digest's takes a value. `super().save` belongs to a
    model that extends it, and a function of an imported library (`np.save`) writes no row. A method that is handed on
    (`on_commit(row.save)`) writes as well, and so does what a page of Django's own does with a form.
    """
    tree = ast.parse(source)
    libraries = {
        alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    methods = [call.func for call in calls if isinstance(call.func, ast.Attribute) and is_write(call, call.func)]
    handed_on = [name for call in calls for name in call.args if isinstance(name, ast.Attribute)]
    partials = [call for call in calls if ast.unparse(call.func) == "partial" and call.keywords]
    updates = [call.args[0] for call in partials if call.args]
    methods += [name for name in handed_on if is_handed_write(name, modules_in(tree))]
    methods += [name for name in updates if isinstance(name, ast.Attribute) and name.attr == "update"]
    return [ast.unparse(method) for method in methods if ast.unparse(method.value) not in libraries]


def modules_in(tree: ast.AST) -> set[str]:
    """Return the names of modules and functions that are imported; those of classes begin with a capital letter."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.asname or alias.name for node in imports for alias in node.names}
    return {name for name in names if name[0].islower()}


def is_handed_write(name: ast.Attribute, modules: Container[str]) -> bool:
    """Say whether a method that is an argument changes rows; a view called `delete` is a function of its module."""
    return name.attr in WRITES and ast.unparse(name.value) not in modules


def is_write(call: ast.Call, method: ast.Attribute) -> bool:
    owner_, name = ast.unparse(method.value), method.attr
    if owner_ == "super()":
        return name in OF_DJANGO
    if name in OF_MANAGERS:
        return owner_.endswith(".objects")
    if name in SQL:
        return owner_.endswith("cursor")
    return name in WRITES or (name == "update" and bool(call.keywords) and not call.args)


@pytest.mark.parametrize(
    "line",
    [
        "Placement.objects.filter(pk__in=ids).update(approved_by=by)",
        "Worker.objects.filter(pk=worker.pk).update(**form.cleaned_data)",
        "campaign.postings.update(state='open')",
        "rows.delete()",
        "form.save()",
        "row.asave()",
        "Campaign.objects.filter(pk=1).aupdate(name='x')",
        "User.objects.create_user('ada')",
        "cursor.execute('DELETE FROM x')",
        "super().form_valid(form)",
        "super().save_model(request, row, form, change)",
    ],
)
def test_a_write_is_recognised(line: str):
    assert writes_in(line) == [line[: line.rindex("(")]]


@pytest.mark.parametrize(
    ("line", "method"),
    [
        ("on_commit(row.save)", "row.save"),
        ("partial(rows.update, x=1)", "rows.update"),
        ("map(Campaign.save, rows)", "Campaign.save"),
    ],
)
def test_a_write_that_is_handed_on_is_recognised(line: str, method: str):
    assert writes_in(line) == [method]


@pytest.mark.parametrize(
    "line",
    [
        "counts.update(other)",
        "super().save(*args)",
        "import torch\ntorch.save(state)",
        "people.create_user('ada')",
        "pool.execute(work)",
        "from annotation.views import releases\npath('x', releases.delete)",
        "callbacks.append(counts.update)",
    ],
)
def test_what_writes_no_row_is_no_write(line: str):
    assert writes_in(line) == []


def test_only_services_write():
    readers = [path for app, path in MODULES if room(app, path) not in WRITERS]
    places = {
        f"{path.relative_to(ROOT)}: {call}"
        for path in [*readers, *sorted((ROOT / SITE).rglob("*.py"))]
        for call in writes_in(path.read_text(encoding="utf-8"))
    }
    assert sorted(places - NO_WRITES.keys()) == []
    assert sorted(NO_WRITES.keys() - places) == [], "listed, and no longer there"


def test_the_first_file_of_views_and_selectors_holds_no_code():
    files = [path for _, path in MODULES if path.name == "__init__.py" and path.parent.name in ("views", "selectors")]
    files += (ROOT / SITE).rglob("views/__init__.py")
    assert [str(path.relative_to(ROOT)) for path in files if ast.parse(path.read_text(encoding="utf-8")).body] == []


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def run_by(names: Sequence[str], importer: str, known: Container[str]) -> set[str]:
    """Return the modules of ours that importing these names runs, packages included, but not the importer's own."""
    prefixes = {prefix for name in names for prefix in accumulate(name.split("."), "{}.{}".format)}
    return {prefix for prefix in prefixes if prefix in known and not f"{importer}.".startswith(f"{prefix}.")}


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a circle of imports, each module imported by the next; an empty list where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_imports_run_in_a_circle_not_even_those_for_types_or_inside_functions():
    paths = {dotted(path): path for app in (*APPS, MARKETPLACE, SITE) for path in (ROOT / app).rglob("*.py")}
    assert circle({name: run_by(imported(path), name, paths) for name, path in paths.items()}) == []


def test_a_circle_is_found_through_a_package_too():
    modules = {"a": ["a.b.C"], "a.b": ["c.d"], "c": [], "c.d": ["a.e"], "a.e": ["json"]}
    assert set(circle({name: run_by(names, name, modules) for name, names in modules.items()})) == {"a", "a.b", "c.d"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("annotation/task_types/example/forms.py", "forms"),
        ("annotation/providers/example/forms.py", "forms"),
        ("annotation/providers/example/provider.py", "providers"),
        ("annotation/plots.py", "plots"),
    ],
)
def test_a_form_may_know_django_at_any_depth_and_what_lies_beside_it_may_not(path: str, expected: str):
    assert room("annotation", ROOT / path) == expected
    assert (expected in DJANGO_ROOMS) == (expected == "forms")


def test_no_app_grew_a_junk_drawer():
    junk = {"utils.py", "helpers.py", "common.py", "misc.py"}
    assert not [path for _, path in modules() if path.name in junk]


def test_long_files_are_pointed_out():
    for path in [*ROOT.glob("tesa_site/**/*.py"), *(path for _, path in modules())]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > 400:
            warnings.warn(f"{path.relative_to(ROOT)} has {lines} lines", stacklevel=1)
    assert [*modules()], "a long file is a warning, never a failure"
