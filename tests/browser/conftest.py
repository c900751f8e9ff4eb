"""Chromium on the built example site. Whatever a page logs, asks for or leaves out is kept for the test."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from guide.publish.policy import HEADERS

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
)
INSTALL = (
    "Install one with 'apt-get install chromium' or 'python -m playwright install --with-deps chromium'."
)
AXE = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            # A busy machine may lose a press on its way to the browser. A page that is wrong is so twice.
            item.add_marker(pytest.mark.flaky(reruns=1))


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, quietly, with the headers that the build wrote for it: its content-security policy."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        for line in (Path(self.directory) / HEADERS).read_text(encoding="utf-8").splitlines()[1:]:
            self.send_header(*line.strip().split(": ", 1))
        super().end_headers()

    def log_message(self, *args: object) -> None:
        pass


def serve(folder: Path, port: int = 0) -> tuple[http.server.ThreadingHTTPServer, str]:
    """A server of ``folder`` on a port of this machine (0: any that is free), and its address."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", port), functools.partial(_Handler, directory=folder)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"


@pytest.fixture(scope="session")
def address(built_site: Path, site_port: int) -> Iterator[str]:
    """Where the built example site is served."""
    server, base = serve(built_site, site_port)
    yield base
    server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, else Playwright's own. Fails with the install command when there is none."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        except Error as error:
            reason = error.message.splitlines()[0]
            pytest.fail(f"No browser could be started: {reason}\n{INSTALL}", pytrace=False)
        yield started
        started.close()


@dataclass
class Visit:
    """A browser window, and everything that should not have happened in it."""

    context: BrowserContext
    page: Page
    base: str
    faults: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> Page:
        """Open a page of the site and wait until it is there."""
        self.page.goto(self.base + path, wait_until="load")
        return self.page


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Visit]]:
    """Opens windows: ``visit(width=1280, scheme="dark")``.

    When the test ends it fails if a window logged an error, asked another host or missed a file.
    """
    opened: list[Visit] = []

    def open_window(width: int = 1280, scheme: str = "light", base: str = address, **options: Any) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce", **options
        )
        window = Visit(context, context.new_page(), base)
        window.page.on("console", lambda m: _note(window, m.type, m.text))
        window.page.on("pageerror", lambda error: window.faults.append(f"uncaught: {error}"))
        window.page.on("requestfailed", lambda r: _failed(window, r.url, r.failure))
        window.page.on("response", lambda r: _status(window, r.status, r.url))
        window.page.on("request", lambda r: _outside(window, r.url))
        opened.append(window)
        return window

    yield open_window
    for window in opened:
        window.context.close()
    assert [fault for window in opened for fault in window.faults] == []


def _note(window: Visit, kind: str, text: str) -> None:
    if kind in ("error", "warning"):
        window.faults.append(f"{kind}: {text}")


def _failed(window: Visit, url: str, reason: str | None) -> None:
    if reason != "net::ERR_ABORTED":  # the reader went on to another page
        window.faults.append(f"failed: {url} ({reason})")


def _status(window: Visit, status: int, url: str) -> None:
    if status >= 400:
        window.faults.append(f"{status}: {url}")


def _outside(window: Visit, url: str) -> None:
    window.requested.append(url)
    if urlsplit(url).scheme in ("http", "https", "ws", "wss") and not url.startswith(window.base):
        window.faults.append(f"outside: {url}")


@pytest.fixture(scope="session")
def all_pages(built_site: Path) -> list[str]:
    """The addresses of all built pages."""
    found = [p.parent.relative_to(built_site).as_posix() for p in sorted(built_site.rglob("index.html"))]
    return ["" if path == "." else f"{path}/" for path in found]


@pytest.fixture(scope="session")
def page_kinds(built_site: Path, all_pages: list[str]) -> list[str]:
    """One page of each kind: all pages at the top, and the largest of each folder."""
    largest: dict[str, tuple[int, str]] = {}
    for path in all_pages:
        parts = path.strip("/").split("/")
        kind = path if len(parts) == 1 else f"{parts[0]}/*"
        size = (built_site / path / "index.html").stat().st_size
        largest[kind] = max(largest.get(kind, (0, "")), (size, path))
    return sorted(path for _, path in largest.values())


@pytest.fixture(scope="session")
def empty_address(built_empty_site: Path) -> Iterator[str]:
    """Where the site of an empty store is served."""
    server, base = serve(built_empty_site)
    yield base
    server.shutdown()


@pytest.fixture
def until() -> Callable[..., None]:
    """``until(page, condition, argument)``: waits until an expression about ``arg`` holds in the page.

    Playwright's own ``wait_for_function`` evaluates a string each time it looks, which the content-security
    policy refuses as soon as the first look is not the last.
    """

    def wait(page: Page, condition: str, argument: Any = None) -> None:
        page.evaluate(
            f"""async (arg) => {{
              const end = performance.now() + 30000;
              while (!({condition})) {{
                if (performance.now() > end) throw new Error("it never came true");
                await new Promise((resolve) => setTimeout(resolve, 20));
              }}
            }}""",
            argument,
        )

    return wait


@pytest.fixture
def charts_are_live() -> Callable[[Page], int]:
    """Waits until Vega has taken over every chart that is shown; returns how many there are."""

    def wait(page: Page) -> int:
        charts = page.locator(".chart:visible").all()
        for chart in charts:
            chart.scroll_into_view_if_needed()
            expect(chart).to_have_class("chart is-live", timeout=30_000)
            box = chart.locator("svg.marks").bounding_box()
            assert box is not None
            assert box["width"] > 200, "the chart is drawn without a width"
        page.evaluate("window.scrollTo(0, 0)")
        return len(charts)

    return wait


@pytest.fixture
def serious() -> Callable[[Page], list[str]]:
    """What axe calls serious or critical on a page, with the elements."""

    def look(page: Page) -> list[str]:
        found = Axe().run(page, options=AXE).response["violations"]
        return [
            f"{violation['id']}: {node['html'][:160]} {node['target']}"
            for violation in found
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    return look
