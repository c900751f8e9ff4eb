"""Checking the catalog: every faulty line is named, not the first alone."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bench.catalog.device_check import check_devices
from bench.catalog.devices import COLUMNS, Catalog
from bench.errors import BenchError

DATA = Path(__file__).parents[3] / "data"


def device(device_id: str, **values: str) -> dict[str, str]:
    base = dict.fromkeys(COLUMNS, "") | {
        "device_id": device_id,
        "name": device_id,
        "class": "consumer",
        "form": "card",
        "memory_gib": "24",
        "source": "test",
        "confidence": "high",
    }
    return base | values


def write(path: Path, *devices: dict[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(devices)
    return path


def test_the_projects_catalog_has_no_error():
    assert [r for r in check_devices(DATA / "devices.csv") if r.severity == "error"] == []


def test_every_fault_is_told_with_its_line(tmp_path):
    path = write(
        tmp_path / "devices.csv",
        device("a-card-1", aliases="ACME Card 1"),
        device("A_2"),
        device("a-card-3", tdp_w="300 W"),
        device("a-card-4", aliases="acme card 1"),
        device("a-card-5", fp16_dense_tflops="100", fp8_dense_tflops="400", aliases="ACME Card 5"),
    )
    found = {(r.severity, r.line): r.text for r in check_devices(path)}
    assert set(found) == {("error", line) for line in (3, 4, 5, 6)}
    assert "column device_id" in found["error", 3] and "column tdp_w" in found["error", 4]
    assert "'acme card 1' is one of a-card-1" in found["error", 5]
    assert "a sparse figure?" in found["error", 6]
    with pytest.raises(BenchError, match="line 3, column device_id"):
        Catalog.load(path)


def test_what_only_a_person_can_judge_is_a_warning(tmp_path):
    path = write(tmp_path / "d.csv", device("acme-9", aliases="ACME 9000", fp16_dense_tflops="100"))
    (remark,) = check_devices(path)
    assert (remark.severity, remark.check, remark.subject) == ("warning", "dense", "acme-9")


def test_a_wrong_header_ends_the_check(tmp_path):
    path = tmp_path / "devices.csv"
    path.write_text("device_id\n", encoding="utf-8")
    with pytest.raises(BenchError, match="missing column"):
        check_devices(path)
