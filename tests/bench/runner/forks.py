"""Runs of ``bench`` with the fakes as forks of one process that has imported everything, so that hundreds of
them can be killed in a minute. A parent's children are forks of it in turn; all else is as in real runs.

``python forks.py`` reads a request a line, JSON: ``args`` and ``env`` of the run, its ``folder``, and
``kill``, a list of deaths; also ``times``, for so many at once, and ``shortage``, which begins with the
``nth`` write of the run's file: no ``file`` may outgrow so many bytes, or ``fill``, a file, takes the rest of
its disk. It answers when the parents and every descendant of theirs are gone: ``code`` (as
``subprocess`` gives it; the highest of them), ``events`` (a list of lines), ``err``. A death is one of

    {"who": "parent", "point": NAME, "nth": n}    at its nth arrival at a point of writing the run's file
    {"who": "parent", "call": n}                  at its nth call or return, of Python or C
    {"who": "parent", "during": NAME, "nth": n}   from outside, when it has told that it arrives there
    {"who": k, "message": n, "cut": bool}         the kth child: before its nth message, or in the midst of it
    {"who": k, "call": n}                         the kth child, at its nth call or return
    {"who": "child", "during": "start", "nth": n} from outside, when the nth cell has started

Points: ``rows``, ``copy``, ``fsync``, ``replace``, ``replaced``. Events: ``point NAME``, ``stored ID...``
(the cells that are ok in the file that has just been written), ``start ID PID``.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import types
from collections import Counter
from pathlib import Path
from typing import Any

Request = dict[str, Any]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_call(number: int) -> None:
    """In the main thread: one count for each call and each return."""
    count = itertools.count(1)

    def look(*_: Any) -> None:
        if next(count) == number:
            die()

    sys.setprofile(look)


class Teller:
    """One line an event; a line is written whole or not at all."""

    def __init__(self, descriptor: int, deaths: list[dict[str, Any]], shortage: dict[str, Any]) -> None:
        self.descriptor, self.deaths, self.shortage = descriptor, deaths, shortage
        self.seen: Counter[str] = Counter()
        self.children = itertools.count(1)

    def tell(self, *words: str) -> None:
        os.write(self.descriptor, (" ".join(words) + "\n").encode())

    def point(self, name: str) -> None:
        self.seen[name] += 1
        self.tell("point", name)
        if any((d.get("point"), d.get("nth")) == (name, self.seen[name]) for d in self.deaths):
            die()
        if name == "rows" and self.seen[name] == self.shortage.get("nth"):
            run_short(self.shortage)

    def of(self, who: Any, kind: str) -> list[dict[str, Any]]:
        return [d for d in self.deaths if d["who"] == who and kind in d]


def run_short(shortage: dict[str, Any]) -> None:
    """From now on this process can write no larger file, or its disk is full."""
    if size := shortage.get("file"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    if path := shortage.get("fill"):
        with contextlib.suppress(OSError), Path(path).open("ab", buffering=0) as ballast:
            while True:
                ballast.write(b"x" * 1024)


class ForkedChild(subprocess.Popen):
    """``Popen`` for ``process.Child``, without the start of a program."""

    teller: Teller

    def __init__(self, args: Any, *, stderr: Any, env: dict[str, str], **_: Any) -> None:
        number = next(self.teller.children)
        get, self_in = os.pipe()
        self_out, put = os.pipe()
        self.args, self.returncode, self.stderr = args, None, None
        self._waitpid_lock = threading.Lock()
        self._child_created, self._communication_started, self._input = True, False, None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self_in)
                os.close(self_out)
                self._be(number, get, put, stderr.fileno(), env)
            finally:
                os._exit(70)
        os.close(get)
        os.close(put)
        self.stdin, self.stdout = os.fdopen(self_in, "wb"), os.fdopen(self_out, "rb")

    def _be(self, number: int, get: int, put: int, log: int, env: dict[str, str]) -> None:
        import fakes

        from bench.runner import child, protocol

        sys.setprofile(None)
        os.setsid()
        os.environ.update(env)
        for old, new in ((get, 0), (put, 1), (log, 2)):
            os.dup2(old, new)
        os.close(get)
        os.close(put)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_DFL)
        self._hook_messages(number, protocol)
        fakes.hasten_child()
        for death in self.teller.of(number, "call"):
            die_at_call(death["call"])
        child.run()

    def _hook_messages(self, number: int, protocol: Any) -> None:
        count = itertools.count(1)
        deaths = {d["message"]: d["cut"] for d in self.teller.of(number, "message")}
        whole = protocol.Outbox.send

        def send(outbox: Any, type: str, **fields: Any) -> None:
            cut = deaths.get(next(count))
            if cut:
                line = protocol.encode({"type": type} | fields)
                os.write(outbox._descriptor, line[: len(line) // 2])
            if cut is not None:
                die()
            whole(outbox, type, **fields)

        protocol.Outbox.send = send


def be_parent(request: Request, descriptor: int) -> None:
    """The forked run, in place of the server; ends the process."""
    folder = Path(request["folder"])
    os.chdir(folder)
    os.environ.update(request["env"])
    for name, descriptor_of in (("out", 1), ("err", 2)):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor_of)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    import fakes

    fakes.register()
    from bench import store
    from bench.cli import main
    from bench.runner import process, rows

    teller = Teller(descriptor, request["kill"], request.get("shortage") or {})
    ForkedChild.teller = teller
    process.subprocess = types.SimpleNamespace(
        Popen=ForkedChild, PIPE=subprocess.PIPE, TimeoutExpired=subprocess.TimeoutExpired
    )
    _hook_writes(store, rows, fakes, teller)
    sys.argv = ["bench", *request["args"]]
    for death in teller.of("parent", "call"):
        die_at_call(death["call"])
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    sys.stdout.flush()
    os._exit(code)


def _hook_writes(store: Any, rows: Any, fakes: Any, teller: Teller) -> None:
    def before(owner: Any, name: str, point: str, after: str | None = None) -> None:
        real = getattr(owner, name)

        def wrapped(*args: Any, **more: Any) -> Any:
            teller.point(point)
            found = real(*args, **more)
            if after:
                teller.point(after)
            return found

        setattr(owner, name, wrapped)

    before(store, "_fill", "rows", "copy")
    before(store, "_sync", "fsync")
    before(Path, "replace", "replace", "replaced")
    put, prepare = rows.RunFile.put, fakes.FakeWorkload.prepare

    def put_and_tell(run: Any, *args: Any, **more: Any) -> None:
        put(run, *args, **more)
        teller.tell("stored", *(i for i, row in run.rows.items() if row["status"] == "ok"))

    def prepare_and_tell(workload: Any, cell: Any, *args: Any) -> Any:
        teller.tell("start", cell.cell_id, str(os.getpid()))
        return prepare(workload, cell, *args)

    rows.RunFile.put, fakes.FakeWorkload.prepare = put_and_tell, prepare_and_tell


def watch(events: int, parent: int, kill: list[dict[str, Any]]) -> list[str]:
    """All lines until nobody is left who could write one; kills from outside on the way."""
    lines: list[str] = []
    seen: Counter[tuple[str, ...]] = Counter()
    with os.fdopen(events) as stream:
        for line in stream:
            words = line.split()
            lines.append(line.strip())
            key = tuple(words[:2]) if words[0] == "point" else (words[0],)
            seen[key] += 1
            for death in (d for d in kill if "during" in d and d["nth"] == seen[key]):
                if death["who"] == "parent" and key == ("point", death["during"]):
                    os.kill(parent, signal.SIGKILL)  # not yet waited for: it is still this process
                elif death["who"] == "child" and key == (death["during"],):
                    try:
                        os.kill(int(words[2]), signal.SIGKILL)
                    except ProcessLookupError:
                        lines.append("missed")
    return lines


def serve() -> None:
    import bench.cli._collect
    import bench.measure.energy
    import bench.measure.harness
    import bench.measure.processes
    import bench.measure.sustained
    import bench.measure.zeus_counters
    import bench.runner.child
    import bench.telemetry.monitor  # noqa: F401

    for text in sys.stdin:
        request = json.loads(text)
        events, told = os.pipe()
        parents = []
        for _ in range(request.get("times", 1)):
            parents.append(os.fork())
            if parents[-1] == 0:
                try:
                    os.close(events)
                    be_parent(request, told)
                finally:
                    os._exit(71)
        os.close(told)
        lines = watch(events, parents[0], request["kill"])
        code = max((os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) for p in parents), key=abs)
        err = (Path(request["folder"]) / "err").read_text(errors="replace")
        print(json.dumps({"code": code, "events": lines, "err": err[-4000:]}), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    serve()
