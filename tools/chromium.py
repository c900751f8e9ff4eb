"""The Chromium of the browser tests: the system's or Playwright's own. Standard library only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from torch_build import output


def is_there(python):
    """Whether the browser tests will find one; ``python`` is the environment's."""
    if os.environ.get("CHROMIUM") or any(shutil.which(name) for name in ("chromium", "chromium-browser")):
        return True
    code = (
        "from playwright.sync_api import sync_playwright as start\n"
        "with start() as p: print(p.chromium.executable_path)"
    )
    path = (output([python, "-c", code]) or "").strip()
    return bool(path) and Path(path).exists()


def install(python, run):
    """Install one by ``run(command, **options)``: Debian's for its administrator, else Playwright's."""
    release = Path("/etc/os-release")
    debian = release.exists() and re.search(r"^ID=\"?debian", release.read_text(), re.MULTILINE)
    if debian and os.geteuid() == 0:
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
            run(["apt-get", "-qq", *arguments], env=environment, stdout=subprocess.DEVNULL)
    else:
        run([python, "-m", "playwright", "install", "chromium"])
