"""Measure AI hardware: workloads, devices, the row contract and the store."""

__version__ = "0.1.0"
