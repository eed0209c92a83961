"""Make .venv and install the requirements of pyproject.toml in the versions that constraints.txt pins.

Any Python may run this before anything is installed: standard library only, and no syntax newer than 3.6, so that an
old Python prints a sentence instead of a traceback. A second run finds the stamp and changes nothing.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "tesa-installed.json")
NEED_MB = 1500


def stop(sentence: str) -> None:
    sys.exit("tesa: " + sentence)


def check_machine() -> None:
    if sys.version_info < (3, 11):
        version = ".".join(str(part) for part in sys.version_info[:3])
        stop(
            "Python 3.11 or newer is needed, but %s is %s. Install one and name it: make run PYTHON=python3.11"
            % (sys.executable, version)
        )
    if not os.access(ROOT, os.W_OK):
        stop("cannot write to the folder %s: copy the project to a folder you can write to." % ROOT)
    free = shutil.disk_usage(ROOT).free // 1024 // 1024
    if free < NEED_MB:
        stop("installing needs about %d MB, but the disk with %s has %d MB free." % (NEED_MB, ROOT, free))


def digest() -> str:
    """Return a hash that changes whenever a new installation could differ from the last one."""
    parts = [sys.version]
    for name in ("pyproject.toml", "constraints.txt"):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            parts.append(file.read())
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()


def installed() -> dict:
    try:
        with open(STAMP, encoding="utf-8") as file:
            return dict(json.load(file))
    except (OSError, ValueError):
        return {}


def requirements(extras: set) -> list:
    import tomllib

    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    dependencies = list(project["dependencies"])
    for extra in sorted(extras):
        if extra not in project["optional-dependencies"]:
            known = ", ".join(sorted(project["optional-dependencies"]))
            stop("there is no extra %r; known: %s." % (extra, known))
        dependencies += project["optional-dependencies"][extra]
    return dependencies


def run(*command: str) -> bool:
    # uv brings its own certificates; behind a TLS proxy it needs the system's, which pip uses anyway.
    environment = dict(os.environ, UV_SYSTEM_CERTS="true", UV_NATIVE_TLS="true")
    return subprocess.call(command, cwd=ROOT, env=environment) == 0  # noqa: S603  (our own commands)


def make_environment() -> None:
    if os.path.exists(PYTHON):
        return
    if not run(sys.executable, "-m", "venv", VENV):
        shutil.rmtree(VENV, ignore_errors=True)
        stop("a virtual environment could not be made. On Debian and Ubuntu: apt-get install python3-venv")


def install(wanted: list) -> None:
    """Install with uv, which is ten times faster; fall back to pip if uv is unavailable or finds no index."""
    constraints = os.path.join(ROOT, "constraints.txt")
    if run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", constraints, "uv"):
        if run(PYTHON, "-m", "uv", "pip", "install", "--quiet", "--python", PYTHON, "-c", constraints, *wanted):
            return
        print("tesa: uv could not install; trying pip, which takes longer.", file=sys.stderr)
    if not run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", constraints, *wanted):
        stop("the packages could not be installed (see above). Is the package index reachable?")


def main() -> None:
    check_machine()
    before, now, extras = installed(), digest(), set(sys.argv[1:])
    known = set(before.get("extras", []))
    if before.get("digest") == now and extras <= known and os.path.exists(PYTHON):
        return
    extras |= known  # an upgrade keeps the extras: a GPU worker keeps torch
    print("tesa: installing%s into .venv …" % (" with " + ", ".join(sorted(extras)) if extras else ""), file=sys.stderr)
    wanted = requirements(extras)
    make_environment()
    install(wanted)
    with open(STAMP, "w", encoding="utf-8") as file:
        json.dump({"digest": now, "extras": sorted(extras)}, file)


if __name__ == "__main__":
    main()
