"""What the JSON columns of a measured row hold: every key, in words. Docs are made from this.

Rows of other sources keep the words of their source in these columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.telemetry import KEYS as TELEMETRY

#: Keys of ``conditions``: what the answer depended on. Rows that differ here do not repeat each other.
CONDITIONS: dict[str, str] = {
    "torch": "version of PyTorch",
    "transformers": "version of transformers",
    "accelerate": "version of accelerate",
    "datasets": "version of datasets",
    "numpy": "version of NumPy",
    "triton": "version of Triton, which compiles for GPUs",
    "fp32_matmul": "how fp32 products are computed: highest is true fp32, high allows TF32",
    "cudnn_tf32": "whether cuDNN may compute convolutions in TF32",
    "fp16_reduced_reduction": "whether sums within fp16 products may be kept in fp16",
    "bf16_reduced_reduction": "whether sums within bf16 products may be kept in bf16",
    "nvidia_tf32_override": "NVIDIA_TF32_OVERRIDE of the process, where it was set: it beats the above",
    "threads": "threads within one operation (CPU)",
    "interop_threads": "operations that may run at once (CPU)",
    "usable_cores": "cores that the process may use: affinity, quota, hardware threads not counted",
    "cpu_capability": "widest vector instructions that PyTorch uses (CPU)",
    "mkldnn": "whether oneDNN computes (CPU)",
    "cuda": "CUDA that PyTorch was built with",
    "rocm": "ROCm that PyTorch was built with",
    "cudnn": "version of cuDNN or MIOpen",
    "architecture": "architecture of the GPU, such as sm_89 or gfx1100",
    "compiled_for": "architectures that this build of PyTorch holds kernels for",
    "platform": "name of the driver's platform (Intel GPU)",
    "macos": "version of macOS (Apple GPU)",
    "low_power_mode": "whether low-power mode was on when the run began (Apple GPU)",
    "sdpa_flash": "whether PyTorch may use flash attention",
    "sdpa_memory_efficient": "whether PyTorch may use memory-efficient attention",
    "sdpa_cudnn": "whether PyTorch may use cuDNN's attention",
    "attention_kernel": "the attention kernel that really ran, read from a profile; several are joined by +",
    "cublas_preference": "library that PyTorch prefers for products (GPU)",
    "allocator": "PYTORCH_CUDA_ALLOC_CONF of the process, where it was set",
    "ecc": "whether the card's memory corrects errors, which costs some cards bandwidth",
    "mig": "whether the card is split (MIG)",
    "persistence": "whether the driver keeps the card awake between programs",
    "compute_mode": "who may use the card at once, where it is not everybody (NVIDIA's number)",
    "virtualization": "how the card reaches a virtual machine: passthrough, vGPU; none on bare metal",
    "power_limit_default_w": "the card's own power limit; the limit in force is power_limit_w",
    "compile": "what torch.compile did: its backend, graphs, and graph breaks",
    "device": "compute units, software, how many such devices there are, and notes, as the system says",
    "sync_self_test": "passed, or unproven and why: whether times were shown to hold all the work",
}

#: Keys of ``environment``: where it ran.
ENVIRONMENT: dict[str, str] = {
    "os": "operating system and its version",
    "kernel": "version of the kernel",
    "machine": "instruction set",
    "cpu": "the processor's name",
    "cores_physical": "cores of the machine",
    "cores_logical": "hardware threads of the machine",
    "cores_usable": "cores that the process may use",
    "memory_bytes": "memory of the machine, or the container's limit",
    "python": "version of Python",
    "python_implementation": "CPython, or another",
    "container": "docker, podman, kubernetes, …; missing outside of one",
    "virtual_machine": "the hypervisor or cloud; missing on bare metal, or where it cannot be told",
    "wsl": "true inside Windows Subsystem for Linux",
    "power_source": "battery or mains when the run began; missing where there is no battery",
    "cpu_governor": "how Linux chooses the cores' clock",
    "telemetry": "what went on while the cell ran: the keys below",
}

#: Keys of ``settings``: the rest of what was asked for.
SETTINGS: dict[str, str] = {
    "operation": "what a probe runs: matmul, read, copy, or a copy over the host's link",
    "shapes": "the list of products that the probe tries",
    "size": "working set of a memory probe",
    "cache": "kind of key-value cache: static is allocated once and written in place",
    "optimizer": "optimiser of the Trainer",
    "texts": "texts of the fine-tuning data, 80 % of which are trained on",
}


@dataclass(frozen=True)
class Key:
    """One key: ``column`` is where it stands, dots lead into it (``environment.telemetry``)."""

    column: str
    name: str
    meaning: str


def keys() -> Iterator[Key]:
    """Every key, column by column."""
    groups: dict[str, Mapping[str, str]] = {
        "settings": SETTINGS,
        "conditions": CONDITIONS,
        "environment": ENVIRONMENT,
        "environment.telemetry": TELEMETRY,
    }
    for column, words in groups.items():
        for name, meaning in words.items():
            yield Key(column, name, meaning)
