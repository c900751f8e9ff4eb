"""Takes the README's picture: the home page of the guide in public/, light and at a laptop's width.

    make picture        (or: .venv/bin/python tools/picture.py)

Needs the test tools and a Chromium. The page is served from this machine and asks no other host.
"""

from __future__ import annotations

import functools
import shutil
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "tools" / "guide.png"
SIZE = {"width": 1280, "height": 800}


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    from playwright.sync_api import sync_playwright

    public = ROOT / "public"
    if not (public / "index.html").is_file():
        sys.exit("There is no guide in public/. Build it first: make guide, or make site.")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=public))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-quic"]
        )
        page = browser.new_page(viewport=SIZE, color_scheme="light", device_scale_factor=1)
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/", wait_until="networkidle")
        page.screenshot(path=TARGET)
        browser.close()
    server.shutdown()
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
