"""The sampling process: sleeps, reads, writes a line, and ends when its parent does.

``python -m bench.telemetry.sampler SOURCE PID`` writes samples to its standard output, a file that the
measuring process (``PID``) reads, and watches its standard input, which closes when that process ends.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

from bench.telemetry.sample import Sample
from bench.telemetry.sources import Source, open_source

#: Samples a second: NVIDIA's power and clock readings are new up to 10 times a second, most others less.
RATE_HZ = 5.0
#: Every so many samples what is slow to read is read, too.
SLOW_EVERY = 5


def loop(
    source: Source,
    write: Callable[[bytes], object],
    wait: Callable[[float], bool],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Sample until ``wait(seconds)`` says that it is time to end.

    A sample that comes late (a machine that slept, a reading that hung) is not made up for.
    """
    count, due = 0, clock()
    while True:
        values = source.slow() if count % SLOW_EVERY == 0 else {}
        values |= source.fast()
        write(Sample(at_s=clock(), **values).line())
        count += 1
        due = max(due + 1 / RATE_HZ, clock())
        if wait(due - clock()):
            return


def main() -> None:
    """Serve the process that started this one."""
    name, pid = sys.argv[1], int(sys.argv[2])
    ended = threading.Event()

    def watch() -> None:
        while os.read(0, 1024):
            pass
        ended.set()

    threading.Thread(target=watch, daemon=True).start()
    loop(open_source(name, pid), lambda line: os.write(1, line), ended.wait)


if __name__ == "__main__":
    main()
