#!/usr/bin/env python3
"""Prepare the project's private environment, and run the two commands of the README.

    python tools/setup.py            install what measuring and publishing need into .venv
    python tools/setup.py guide      the same, then measure this machine and build the guide
    python tools/setup.py test       the same with the test tools, then run the tests

Linux, macOS and Windows. Standard library only, in syntax that an old Python reads too, so that it gets as
far as the message that says which Python is needed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import chromium
import torch_build
from torch_build import BUILDS, output, torch_of

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / os.environ.get("VENV", ".venv")
STAMP = VENV / "hwguide-setup.json"
OLDEST = (3, 11)


class SetupError(Exception):
    """Something a person can act on: the text says what happened and what to do."""


def say(text):
    print(text, flush=True)


def run(command, **options):
    """The finished process. Raises ``SetupError`` when the program cannot be started."""
    try:
        return subprocess.run([str(part) for part in command], cwd=str(ROOT), **options)
    except OSError as error:
        raise SetupError(f"Cannot run {command[0]}: {error}") from error


def program(name):
    """Path of a program of the private environment."""
    return VENV / ("Scripts" if os.name == "nt" else "bin") / (name + (".exe" if os.name == "nt" else ""))


# --- the environment --------------------------------------------------------------------------------


def new_enough(python):
    """Whether an interpreter runs and is at least ``OLDEST``."""
    text = output([python, "-c", "import sys; print(*sys.version_info[:2])"])
    return bool(text) and tuple(int(part) for part in text.split()) >= OLDEST


def find_python():
    """A Python that is new enough: this one (its base, when it is the environment's own), else the PATH's."""
    inside = Path(sys.prefix).resolve() == VENV.resolve()
    own = getattr(sys, "_base_executable", None) if inside else sys.executable
    names = [f"python3.{minor}" for minor in (13, 12, 11, 14)] + ["python3", "python"]
    for python in [own, *(shutil.which(name) for name in names)]:
        if python and new_enough(python):
            return python
    oldest, this = ("{}.{}".format(*version[:2]) for version in (OLDEST, sys.version_info))
    raise SetupError(
        f"Python {oldest} or newer is needed; this is {this}, and the PATH holds no newer one.\n"
        "Install one (python.org, 'apt install python3', 'brew install python', 'uv python install'), then "
        "name it: make guide PYTHON=/path/to/python3"
    )


def create(python, build):
    """A new environment; a torch to be kept is made visible in it."""
    say(f"Creating {VENV.name} with {python}")
    if VENV.exists() and not (VENV / "pyvenv.cfg").exists():
        raise SetupError(f"{VENV} exists and is not a Python environment. Move it away, then run this again.")
    kept = torch_of(python) if build == "keep" else None
    if build == "keep" and not kept:
        raise SetupError(f"{python} has no torch to keep. Name the Python that has it: make guide PYTHON=…")
    if kept and torch_build.is_old(kept[0]):
        raise SetupError(
            f"torch {kept[0]} is installed here, and {'{}.{}'.format(*torch_build.OLDEST_TORCH)} or newer is "
            "needed.\nUpgrade it, or leave it and install another beside it: "
            "python tools/setup.py --torch default"
        )
    shared = ["--system-site-packages"] if kept else []
    if run([python, "-m", "venv", "--clear", *shared, VENV]).returncode != 0:
        raise SetupError(
            f"Python could not create the environment {VENV}.\n"
            "On Debian and Ubuntu: apt install python3-venv, then run this again."
        )
    if kept and not torch_of(program("python")):
        # The torch belongs to an environment itself, which this one's base Python does not show.
        where = output([program("python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
        Path(where.strip(), "kept-torch.pth").write_text(kept[1] + "\n", encoding="utf-8")


def pip(command, *arguments, **options):
    """Exit code of pip in the environment; on a terminal it shows its progress, elsewhere errors only."""
    quiet = [] if sys.stdout.isatty() else ["-qq"]
    head = [program("python"), "-m", "pip", command, "--disable-pip-version-check", *quiet]
    return run([*head, *arguments], **options).returncode


def install_torch(build):
    if build == "keep":
        say(f"Keeping torch {torch_of(program('python'))[0]}")
        return
    say(f"Installing torch: {BUILDS[build]}")
    *first, last = torch_build.attempts(build)
    hidden = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if any(pip("install", *arguments, **hidden) == 0 for arguments in first):
        return
    if pip("install", *last) != 0:
        raise SetupError(
            f"torch could not be installed with: pip install {' '.join(last)}\n"
            "The lines above say why; a network error may pass when this is run again. Other builds: "
            f"python tools/setup.py --torch {'|'.join(BUILDS)}"
        )


def install_project(extras, build):
    say(f"Installing hwguide and what it needs ({', '.join(extras)})")
    limits = []
    if build == "keep":
        # Whatever else asks for a torch gets the one that is here.
        limit = VENV / "kept-torch.txt"
        limit.write_text(f"torch=={torch_of(program('python'))[0]}\n", encoding="utf-8")
        limits = ["--constraint", limit]
    if pip("install", "--editable", f".[{','.join(extras)}]", *limits) != 0:
        raise SetupError(
            f"hwguide could not be installed into {VENV}.\n"
            "The lines above say why; a network error may pass when this is run again."
        )


def read_stamp():
    """What the last run left (build, extras, sources), or None."""
    try:
        found = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and set(found) == {"build", "extras", "sources"} else None


def write_stamp(**state):
    STAMP.write_text(json.dumps(state), encoding="utf-8")


def sources():
    """Digest of what decides what is installed, and where from: a moved clone installs itself again."""
    digest = hashlib.sha256(str(ROOT).encode())
    for path in (ROOT / "pyproject.toml", ROOT / "tools" / "setup.py", ROOT / "tools" / "torch_build.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def choose_build(python, before, works):
    """The build for this machine; an environment made by hand, or on a kept torch, keeps its own."""
    own = works and (before is None or before["build"] == "keep") and torch_of(program("python"))
    return "keep" if own else torch_build.detect(python)


def install(extras, wanted):
    """Bring the environment up to date; nothing is done when the last run left it so."""
    works = new_enough(program("python"))
    before = read_stamp() if works else None
    same = before and before["sources"] == sources() and set(extras) <= set(before["extras"])
    if same and wanted in ("auto", before["build"]):
        return
    python = find_python()
    build = choose_build(python, before, works) if wanted == "auto" else wanted
    changed = before is not None and before["build"] != build
    if not works or (changed and "keep" in (before["build"], build)):
        create(python, build)
    elif changed:
        pip("uninstall", "--yes", "torch")
    if output([program("python"), "-m", "pip", "--version"]) is None:  # one that uv made has no pip
        run([program("python"), "-m", "ensurepip"], stdout=subprocess.DEVNULL)
    extras = sorted({*extras, *(before["extras"] if before else ())})
    write_stamp(build=build, extras=[], sources="")  # an install that fails half way is taken up again
    install_torch(build)
    install_project(extras, build)
    write_stamp(build=build, extras=extras, sources=sources())


# --- the browser of the tests -----------------------------------------------------------------------


def has_chromium():
    """Whether the browser tests will find a Chromium."""
    return chromium.is_there(program("python"))


def install_chromium():
    """The browser tests need a Chromium; they are never left out for want of one."""
    if has_chromium():
        return
    say("Installing Chromium for the browser tests")
    chromium.install(program("python"), run)
    if not has_chromium():
        raise SetupError(
            "The browser tests need Chromium, and it could not be installed (the lines above say why). Do "
            "one of these, then run the tests again:\n"
            "  Debian:  sudo apt install chromium\n"
            f"  others:  {program('python')} -m playwright install --with-deps chromium"
        )


# --- the two commands -------------------------------------------------------------------------------


def step(*command):
    """Exit code of one of the environment's programs. Ctrl-C is left to it: a collection ends its cell
    and says how to go on, and only then does this program stop."""
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        code = run(command).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
    return code


def guide(options):
    say(f"Measuring this machine (suite {options.suite}, device {options.device})")
    measured = step(program("bench"), "collect", "--suite", options.suite, "--device", options.device)
    if measured not in (0, 1):
        return measured
    if measured == 1:
        say("Not every cell could be measured (see above). The guide holds those that could.")
    say("Building the guide")
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")  # Material's word on MkDocs 2; 1.x is required here
    built = step(program("mkdocs"), "build", "--quiet")
    if built == 0:
        say("\nThe guide is in public/. To read it, run")
        say(f"    {'python' if os.name == 'nt' else 'python3'} -m http.server --directory public 8000")
        say("and open http://localhost:8000/ in a browser. Or open public/index.html as a file: charts are")
        say("still pictures there.")
    return built or measured


def test(options):
    install_chromium()
    spread = ["-n", str(min(4, os.cpu_count() or 1)), "--dist", "loadfile"]
    return step(program("python"), "-m", "pytest", *(options.pytest or spread))


def parse(arguments):
    parser = argparse.ArgumentParser(
        description="Prepare the project's private environment, and use it. 'test' hands options it does not "
        "know to pytest.",
        epilog="Builds of torch: " + "; ".join(f"{name}: {what}" for name, what in BUILDS.items()) + ".",
    )
    parser.add_argument("what", nargs="?", choices=("install", "guide", "test"), default="install")
    parser.add_argument("--torch", choices=("auto", *BUILDS), default="auto", help="build of torch")
    parser.add_argument("--dev", action="store_true", help="install the test tools as well")
    parser.add_argument("--suite", default="quick", help="for guide: the suite to run (default: quick)")
    parser.add_argument("--device", default="auto", help="for guide: cuda, mps, xpu, cpu or auto")
    options, options.pytest = parser.parse_known_args(arguments)
    if options.pytest and options.what != "test":
        parser.error(f"unknown: {' '.join(options.pytest)}")
    return options


def main(arguments=None):
    options = parse(arguments)
    extras = ["collect", "dev"] if options.dev or options.what == "test" else ["collect"]
    try:
        install(extras, options.torch)
        if options.what != "install":
            return {"guide": guide, "test": test}[options.what](options)
        say(f"Ready: {program('bench')} --help")
    except SetupError as error:
        say(f"Error: {error}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
