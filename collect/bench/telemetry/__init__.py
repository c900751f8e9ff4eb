"""What went on while a cell ran: a sleeping process of its own samples the device, and its samples become
columns, flags and a few figures of the row.

Nothing here changes a setting of the machine. ``monitor.Telemetry`` is what the runner uses; adding a kind
of device is one file in ``sources`` and a line in ``sources.OPENERS``.
"""

from __future__ import annotations

#: Keys of ``environment.telemetry`` in a row, and what they hold. They stand in ``environment`` and not in
#: ``conditions``: rows with equal conditions are repetitions of each other, and no two clocks are equal.
KEYS: dict[str, str] = {
    "samples": "how many samples lie in the window (5 a second where the sampling process ran)",
    "sampled_at_ends_only": "true where the sampling process did not run, or the window was too short for it",
    "clock_median_mhz": "median clock of the device's cores (of a CPU: mean over up to 16 cores)",
    "clock_p5_mhz": "the clock that was exceeded 95 % of the time",
    "memory_clock_median_mhz": "median clock of the device's memory",
    "sampled_power_w": "mean of the sampled power, over time",
    "memory_used_max_bytes": "most memory in use on the device, by all programs",
    "throttle_reasons": "reason for lower clocks -> share of the samples that gave it",
    "held_thermal_share": "share of the time in which heat held the clocks down, by driver or Linux",
    "held_power_share": "share of the time in which the power limit held the clocks down, likewise",
    "other_processes": "most processes of others that were using the device at once",
    "others_cpu_share": "processor time of other programs, as a share of all processors",
    "stolen_cpu_share": "time that the virtual machine waited for its host, as a share of all processors",
    "swapped_bytes": "bytes written to the swap",
    "power_source": "battery or mains",
    "low_power": "whether the system's low-power mode was on",
    "first_third_s": "median repetition in the first third of a long cell",
    "last_third_s": "median repetition in its last third",
    "window_unix_s": "begin and end of the window (first repetition of warm-up to last), seconds since 1970",
    "windows_unix_s": "the same of each process, where several measured the cell",
    "timed_share": "share of the window's time, or windows', that the counted repetitions fill",
    "process_samples": "how many of samples_s, in their order, each of several processes measured",
    "processes": "these figures of each process, where several measured the cell; outside, the last one's",
    "counter_energy_j": "energy by the device's own counter, where the row's figure is a wall meter's",
    "energy_coverage": "share of the window that the energy readings span: 1 for a counter read at its ends",
    "energy_note": "why an energy figure is missing, in words",
    "anchor_drift": "largest difference between the run's anchor measurements, as a share of the least",
}
