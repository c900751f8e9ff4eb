"""Every flag that an imported row can carry beside those of published tables, and what it means."""

from __future__ import annotations

#: code -> what it means, one line.
FLAGS: dict[str, str] = {
    "device-not-stated": "the file names no device, so the row is compared with nothing; import the file "
    "again with --device-name",
    "device-unresolved": "the printed name is no single device of the catalog",
    "device-set-by-hand": "the device was named by the person who imported the file, not by the file",
    "settings-set-by-hand": "settings that the file lacks were given by the person who imported it",
    "settings-not-stated": "the file leaves out what was run (model, batch or lengths), so the row is "
    "compared with nothing; import the file again with --set",
    "cpu-ran": "built for a GPU but none was found: the processor ran, whatever the layer setting says",
    "several-devices-listed": "the file lists devices without saying which of them ran",
    "partial-offload": "some or all layers ran on the processor, or may have",
    "file-cut-off": "the file ends before its list is closed, as after a crash; complete entries were taken",
    "single-repetition": "one repetition: its spread of 0 is unknown, not small",
    "interval-unknown": "the file does not say how many repetitions stand behind the figure",
    "skewed-repetitions": "mean and median of the repetitions differ by more than 2 %",
    "rounded-in-source": "the file prints the figure with few digits",
    "weights-type-corrected": "the printed weight type does not fit the model's size; the size is believed",
    "size-from-parameters": "the printed name has no model size; it was made from the parameter count",
    "includes-prefill": "reading the prompt is part of the time of a generation rate",
    "generation-phase-only": "faster than concurrency and end-to-end latency allow: covers generation alone",
    "load-limited": "requests came at a fixed rate: the load that was offered, not what the device can do",
    "short-run": "at most two waves of requests: filling and draining are part of the rate",
    "itl-is-chunk-gap": "gaps are between chunks of several tokens; time per output token was taken instead",
    "tpot-not-itl": "the file has no gaps between tokens; time per output token was taken instead",
    "per-token-cumulative": "per-token latencies pile up over repetitions and were left out",
    "training-throughput-corrected": "the printed rate counts all steps over one step's time; computed anew",
    "megabytes-were-bytes": "a field called MB holds bytes; read as bytes",
    "zero-meant-unknown": "zeros that stand for unknown were made missing",
    "energy-left-out": "the file's energy covers other times and parts than a row's does",
    "official-latency": "the inverse of the latency that counts (an early-stopping estimate at a percentile)",
    "scheduled-rate": "the official figure of its round is the scheduled rate; the completed one is lower",
    "mean-over-shapes": "the mean over tests of different lengths",
    "reimplementation": "made by another program than the one whose format it uses",
}
