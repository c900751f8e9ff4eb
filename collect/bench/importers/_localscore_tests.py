"""One test of LocalScore (a prompt read, then tokens generated), and the means over all nine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from bench.importers import physics
from bench.importers._llama_model import read_model
from bench.importers.base import Found, Named
from bench.importers.fields import Fields, agree
from bench.importers.files import Fault

SHAPES = frozenset({
    (1024, 16), (4096, 256), (2048, 256), (2048, 768), (1024, 1024), (1280, 3072), (384, 1152), (64, 1024),
    (16, 1536),
})  # fmt: skip
#: Prompt and generation time over the rates give the stated time but for means of repetitions.
_TIME = 0.05


def stated_of(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def accelerator(info: Fields, machine: Fields, zero: list[str]) -> Named:
    name, kind = info.text("name"), (info.text("type") or "").upper()
    memory = info.number("memory_gb", 0, 1e6)
    if memory == 0:
        zero.append("zero-meant-unknown")
    if (name or "").startswith("Apple"):
        memory = machine.number("ram_gb", 0, 1e6)  # printed is the part that the GPU may use
    size = round(memory * 2**30) if memory and kind != "CPU" else None
    return Named(name, memory_bytes=size, processor=kind == "CPU")


def version_of(runtime: Fields) -> str | None:
    version, commit = runtime.text("version"), runtime.text("commit") or runtime.text("commit_hash")
    return f"{version} ({commit})" if version and commit else version or commit


class Test:
    """One test: a prompt of ``n_prompt`` tokens read, ``n_gen`` tokens generated after it."""

    def __init__(self, row: Fields) -> None:
        self.where = row.where
        self.n_prompt, self.n_gen = row.count("n_prompt", 1, 10**7), row.count("n_gen", 1, 10**7)
        if self.n_prompt is None or self.n_gen is None:
            raise row.fault("n_prompt", "how many tokens were read and generated")
        self.prompt, self.generated = row.number("prompt_tps", 0), row.number("gen_tps", 0)
        if self.prompt is None or self.generated is None:
            raise row.fault("prompt_tps" if self.prompt is None else "gen_tps", "tokens a second")
        self.first_ms = row.number("ttft_ms", 0, 1e9) or None
        self.power_w = row.number("power_watts", 0, 1e5) or None
        self.model_file = row.file_name("model_filename")
        self.model: str | None = None
        self.dtype: str | None = None
        self.params: int | None = None
        self.size: int | None = None
        self.flags: tuple[str, ...] = ()
        if self.prompt and self.generated:
            self._agree(row)

    def _agree(self, row: Fields) -> None:
        time_ms = row.number("avg_time_ms", 0, 1e12)
        computed = (self.n_prompt / self.prompt + self.n_gen / self.generated) * 1e3
        if time_ms:
            agree(f"{row.where}, key 'avg_time_ms'", "the time", time_ms, computed, _TIME)
        if self.first_ms:
            first = (self.n_prompt / self.prompt + 1 / self.generated) * 1e3
            if not 0.5 * first <= self.first_ms <= 2 * first:
                raise Fault(
                    f"{row.where}, key 'ttft_ms'",
                    f"{self.first_ms:g} ms, while the rates give {first:.4g} ms",
                )

    @property
    def shape(self) -> str:
        return f"pp{self.n_prompt}+tg{self.n_gen}"

    def found(
        self, base: Mapping[str, Any], columns: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Iterator[Found]:
        shared = {**columns, **self.model_columns()}
        power = {"mean_power_w": self.power_w, "energy_scope": "device", "energy_source": "LocalScore"}
        if self.power_w:
            shared |= power
        for workload, rate, extra, least in (
            (
                "prefill",
                self.prompt,
                {"input_tokens": self.n_prompt, "context_depth": 0, "first_token_ms": self.first_ms},
                physics.of_prompt(self.family, self.params),
            ),
            (
                "decode",
                self.generated,
                {"output_tokens": self.n_gen, "context_depth": self.n_prompt},
                physics.of_decoding(self.family, self.params, self.size),
            ),
        ):
            yield Found(
                where=f"{self.where}, {self.shape}",
                workload=workload,
                rate=rate or None,
                rate_unit="tokens/s",
                columns=shared | stated_of(extra),
                settings={"shape": self.shape} | self.sizes(base),
                flags=(*flags, "interval-unknown"),
                status="ok" if rate else "failed",
                detail=None if rate else "The rate is stated as 0.",
                complete=self.model is not None,
                least=least,
                **base | {"environment": base["environment"] | stated_of({"model_file": self.model_file})},
            )

    @property
    def family(self) -> str | None:
        """The model's name as the physics gate reads it: family first."""
        return (self.model or "").lower().removeprefix("meta ").replace(" ", "-") or None

    def model_columns(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "weights_dtype": self.dtype,
            "params": self.params,
            "batch": 1,
            "weights": "pretrained",
        }

    def sizes(self, base: Mapping[str, Any]) -> dict[str, Any]:
        found = {"parameters": f"{self.params:.3g}"} if self.params else {}
        return found | ({"runs_on": "cpu"} if base["device"].processor else {})


def read_test(row: Fields, zero: list[str]) -> Test:
    test = Test(row)
    test.params, test.size = row.count("model_n_params", 1), row.count("model_size", 1)
    described = read_model(row.text("model_type"), test.params, test.size)
    quantised = row.text("model_quant_str")
    if quantised:
        test.dtype = read_model(f"model {quantised}", None, None).weights_dtype
    test.dtype = described.weights_dtype or test.dtype
    test.model = row.text("model_name") or described.name
    test.flags = described.flags
    names = ("power_watts", "stddev_time_ms", "prompt_tps_stddev")
    unknown = str(row.values.get("prompt_tps_watt")).strip() in ("0", "0.0", "0.000000", "inf", "nan", "-nan")
    if unknown or any(row.number(name, 0) == 0 for name in names):
        zero.append("zero-meant-unknown")
    return test


def means(
    tests: list[Test],
    base: Mapping[str, Any],
    columns: Mapping[str, Any],
    flags: tuple[str, ...],
    summary: Fields,
    where: str,
) -> Iterator[Found | Fault]:
    """The means over the nine shapes, which the site ranks by, where all of them are there."""
    complete = {(t.n_prompt, t.n_gen) for t in tests} == SHAPES and len(tests) == len(SHAPES)
    if not complete or any(not (t.prompt and t.generated and t.first_ms) for t in tests):
        return
    prompt, generated, first = (
        math.fsum(values) / len(tests)
        for values in zip(*((t.prompt, t.generated, t.first_ms) for t in tests), strict=True)
    )
    score = 10 * (prompt * generated * 1000 / first) ** (1 / 3)
    try:
        for name, value in (
            ("avg_prompt_tps", prompt),
            ("avg_gen_tps", generated),
            ("avg_ttft_ms", first),
            ("performance_score", score),
        ):
            stated = summary.number(name, 0)
            if stated:
                agree(f"{summary.where}, key '{name}'", "the mean", stated, value, 1e-4)
    except Fault as fault:
        yield fault
        return
    also = {"performance_score": score, "avg_ttft_ms": first}
    for workload, rate in (("prefill", prompt), ("decode", generated)):
        yield Found(
            where=f"{where}, mean of nine tests",
            workload=workload,
            rate=rate,
            rate_unit="tokens/s",
            columns={**columns, **tests[0].model_columns(), "value_kind": "derived"},
            settings={"shape": "mean of nine"} | tests[0].sizes(base),
            also=also,
            flags=(*flags, "mean-over-shapes", "interval-unknown"),
            complete=tests[0].model is not None,
            **base,
        )
