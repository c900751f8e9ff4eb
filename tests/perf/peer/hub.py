"""A model hub on the loopback interface that holds nothing but the ``config.json`` of the models it is given.

optimum-benchmark with ``no_weights`` asks the hub for the model's configuration, even for a local folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: The one revision of everything.
COMMIT = "0" * 40


@contextlib.contextmanager
def serving(configs: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Serve repository name -> configuration while the block runs; yields the address for ``HF_ENDPOINT``.

    The serving thread sleeps between requests and wakes once a second to see whether it should end.
    """
    files = {name: json.dumps(dict(config), indent=2).encode() for name, config in configs.items()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def log_message(self, *_: Any) -> None:
            pass

        def _answer(self, *, body: bool) -> None:
            path = self.path.partition("?")[0].strip("/")
            repository, _, rest = path.partition("/resolve/")
            if path.startswith("api/models/") and path.split("/revision/")[0][11:] in files:
                self._send(200, json.dumps(_info(path.split("/revision/")[0][11:])).encode(), body=body)
            elif repository in files and rest.partition("/")[2] == "config.json":
                self._send(200, files[repository], body=body)
            else:
                missing = "EntryNotFound" if repository in files else "RepoNotFound"
                self._send(404, b"{}", body=body, **{"X-Error-Code": missing})

        def _send(self, status: int, content: bytes, *, body: bool, **headers: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()[:40]}"')
            self.send_header("X-Repo-Commit", COMMIT)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if body:
                self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 1}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _info(repository: str) -> dict[str, Any]:
    return {
        "id": repository,
        "modelId": repository,
        "sha": COMMIT,
        "tags": [],
        "siblings": [{"rfilename": "config.json"}],
    }
