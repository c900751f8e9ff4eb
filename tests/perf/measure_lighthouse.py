"""What Lighthouse says of the built guide on a phone: home, a scenario, the largest pages, Compare.

Lighthouse 12.2.3 comes from the npm registry into ``.cache/perf``, once. The pages are served compressed, as
any host of static pages does; the phone and its network are Lighthouse's own simulated ones. First load is
what the browser fetched before anything was touched.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import Figure, Missing
from measure_build import build

VERSION = "12.2.3"
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cache" / "perf" / f"lighthouse-{VERSION}"
ON_REQUEST = "about 6 minutes; needs npm and Chromium, and 200 MB of Lighthouse in .cache"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
#: Runs of each page; the middle one counts, as Lighthouse's own advice on variance has it.
RUNS, QUICK_RUNS = 3, 1
GOAL, GOAL_KB = 95, 300
COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".xml", ".csv", ".txt"}
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-dev-shm-usage"


def measure(quick: bool = False) -> Iterator[Figure | Missing]:
    reason = "" if shutil.which("npm") else "no npm on the PATH"
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    reason = reason or ("" if browser else "no Chromium on the PATH")
    reason = reason or _install()
    if reason:
        yield Missing("Lighthouse", "its full score of 100", reason)
        return
    with tempfile.TemporaryDirectory() as name:
        site = Path(name) / "site"
        build(ROOT, site)
        with _serving(site) as base:
            for what, path in _pages(site):
                yield from _page(what, base + path, str(browser), QUICK_RUNS if quick else RUNS)


def _install() -> str:
    """Why Lighthouse cannot be had; empty when it is there."""
    program = FOLDER / "node_modules" / ".bin" / "lighthouse"
    if program.exists():
        return ""
    FOLDER.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", f"lighthouse@{VERSION}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"npm could not install it: {done.stderr.strip()[-200:]}"


def _pages(site: Path) -> Iterator[tuple[str, str]]:
    """(name, address) of home, the first scenario, the largest device and workload page, and Compare."""
    yield "home", ""
    scenarios = sorted(page.parent for page in (site / "scenarios").glob("*/index.html"))
    if scenarios:
        yield f"scenario {scenarios[0].name}", f"scenarios/{scenarios[0].name}/"
    for kind, folder in (("device", "devices"), ("workload", "workloads")):
        pages = list((site / folder).glob("*/index.html"))
        if pages:
            largest = max(pages, key=lambda page: (page.stat().st_size, page.parent.name))
            yield f"largest {kind} page, {largest.parent.name}", f"{folder}/{largest.parent.name}/"
    yield "compare", "compare/"


def _page(what: str, address: str, browser: str, runs: int) -> Iterator[Figure | Missing]:
    reports = []
    for _ in range(runs):
        command = [str(FOLDER / "node_modules" / ".bin" / "lighthouse"), address, "--quiet", "--output=json"]
        command += ["--output-path=stdout", f"--only-categories={','.join(CATEGORIES)}"]
        command += [f"--chrome-flags={FLAGS}", "--form-factor=mobile"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"CHROME_PATH": browser}
        )
        if done.returncode:
            yield Missing(f"Lighthouse, {what}", "its full score of 100", done.stderr.strip()[-200:])
            return
        reports.append(json.loads(done.stdout))
    for category in CATEGORIES:
        scores = sorted(100 * report["categories"][category]["score"] for report in reports)
        failed = sorted({name for report in reports for name in _failed(report, category)})
        note = f"goal {GOAL}{': lost on ' + ', '.join(failed) if failed else ''}"
        middle, note = statistics.median(scores), f"range of the runs; {note}"
        name = f"Lighthouse {category}, {what}"
        yield Figure(name, "100", middle, scores[0], scores[-1], runs, "", note)
    sizes = sorted(_first_load(report) / 1e3 for report in reports)
    note = f"range of the runs; compressed, all files; goal {GOAL_KB} kB"
    middle = statistics.median(sizes)
    yield Figure(f"first load, {what}", "nothing", middle, sizes[0], sizes[-1], runs, "kB", note)


def _first_load(report: dict[str, Any]) -> float:
    """Bytes that were fetched, as they were sent."""
    requests = report["audits"]["network-requests"]["details"]["items"]
    return sum(one.get("transferSize", 0) for one in requests)


def _failed(report: dict[str, Any], category: str) -> Iterator[str]:
    """The audits that cost points in a category."""
    for ref in report["categories"][category]["auditRefs"]:
        score = report["audits"][ref["id"]]["score"]
        if ref["weight"] and score is not None and score < 0.9:
            yield ref["id"]


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, text compressed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Cache-Control", "max-age=600")
        if path.suffix in COMPRESSED:
            content = gzip.compress(content, 6, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


class _serving:
    """A server of the folder on a free port, while it is needed."""

    def __init__(self, folder: Path) -> None:
        handler = functools.partial(_Handler, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}/"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
