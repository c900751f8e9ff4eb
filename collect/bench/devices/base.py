"""What a kind of device must do. Adding one is one file in this folder and a line in ``KINDS``."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from bench.telemetry.sources import HOST

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class DeviceInfo:
    """What a device is, as the system says it. ``dataclasses.asdict`` makes it plain values.

    ``shares_memory``: its memory is the machine's own, so that running out of it freezes the machine.
    """

    kind: str
    index: int
    name: str
    memory_bytes: int
    driver_version: str | None = None
    power_limit_w: float | None = None
    count: int = 1
    compute_units: int | None = None
    software: str | None = None
    notes: tuple[str, ...] = ()
    shares_memory: bool = False


class Device(ABC):
    """One device of one kind: owns synchronisation, memory, naming and seeding."""

    kind: ClassVar[str]

    def __init__(self, index: int = 0) -> None:
        import torch

        self.index = index
        self.torch_device: torch.device = torch.device(self.kind, index)

    @classmethod
    @abstractmethod
    def unavailable_because(cls) -> str | None:
        """None when this kind can be used here; else the reason and the command that mends it."""

    @classmethod
    @abstractmethod
    def device_count(cls) -> int:
        """How many devices of this kind torch can use."""

    @abstractmethod
    def synchronize(self) -> None:
        """Return only when all work given to the device is done."""

    @abstractmethod
    def free_memory_bytes(self) -> int:
        """Bytes that a new cell may use now."""

    @abstractmethod
    def info(self) -> DeviceInfo:
        """Name, memory, driver and limits, read now."""

    @abstractmethod
    def empty_cache(self) -> None:
        """Give unused memory back to the system."""

    @abstractmethod
    def reset_peak_memory(self) -> None:
        """Start a new high-water mark."""

    @abstractmethod
    def peak_memory_bytes(self) -> int | None:
        """The high-water mark since the last reset; None when this backend cannot tell."""

    @abstractmethod
    def supports(self, dtype: str) -> bool:
        """Whether products of this type run here (names of ``bench.cells.DTYPE_BYTES``)."""

    def seed(self, seed: int) -> None:
        """Seed torch's generators, those of all devices included."""
        import torch

        torch.manual_seed(seed)

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether an error means that memory ran out, by torch's own class or a backend's wording."""
        import torch

        if isinstance(error, MemoryError | torch.OutOfMemoryError):
            return True
        text = str(error).lower()
        return isinstance(error, RuntimeError) and any(words in text for words in OUT_OF_MEMORY_WORDS)

    @property
    def telemetry_source(self) -> str:
        """What samples this device: a name of ``bench.telemetry.sources``, with its address."""
        return HOST

    def conditions(self) -> dict[str, Any]:
        """What an answer depends on besides the question: versions, threads, kernels, power mode."""
        from bench.devices.conditions import common_conditions

        return common_conditions() | self.own_conditions()

    def own_conditions(self) -> dict[str, Any]:
        """The part of ``conditions`` that only this backend knows."""
        return {}

    @contextlib.contextmanager
    def compute_dtype(self, dtype: str) -> Iterator[None]:
        """Within the block, fp32 products use TF32 if ``dtype`` is ``tf32``, and true fp32 otherwise.

        The settings from before come back at the end. Raises ``ValueError`` for an unsupported type.
        """
        if not self.supports(dtype):
            raise ValueError(f"{self.kind} cannot compute in {dtype}")
        from bench.devices.precision import fp32_products

        with fp32_products(tf32=dtype == "tf32"):
            yield


#: How allocators word it where torch raises a plain RuntimeError (CPU, MPS, cuBLAS, XPU).
OUT_OF_MEMORY_WORDS = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "failed to allocate",
    "alloc_failed",
    "out_of_device_memory",
    "out_of_host_memory",
    "not enough memory",
)
