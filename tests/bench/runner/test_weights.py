"""Random against pretrained weights: the same cells with each, from a local folder, and their ratio."""

import dataclasses
from types import SimpleNamespace

import pytest

from bench.cells import Cell
from bench.devices import open_device
from bench.models import SHAPES
from bench.models.build import build
from bench.runner.one_cell import Limits, measure
from bench.runner.pairs import weight_ratios
from bench.runner.plan import Planned, make_plan
from bench.runner.rows import Where, finished_row, planned_row
from bench.workloads import WORKLOADS

pytestmark = pytest.mark.torch


@pytest.fixture
def local_weights(tmp_path, monkeypatch):
    """A folder with "pretrained" weights of the tiny language model, as its published place."""
    cpu = open_device("cpu")
    build("tiny-llama", "fp32", cpu).model.save_pretrained(tmp_path)
    shape = dataclasses.replace(SHAPES["tiny-llama"], hub_id=str(tmp_path))
    monkeypatch.setitem(SHAPES, "tiny-llama", shape)
    return cpu


class Quiet:
    """No telemetry and no energy counter."""

    power_scope = None

    def watch(self):
        return self

    def finish(self):
        return SimpleNamespace(
            detail={"samples": 0},
            sampled_power_w=None,
            throttled_fraction=None,
            max_temperature_c=None,
            flags=(),
        )


def rows_of(cells, device):
    from bench.measure.energy import EnergyMeter

    info = {"name": "d", "memory_bytes": 1}
    where = Where(info, {"torch": "1"}, {}, "host", "1")
    found = []
    for cell in cells:
        item = Planned(cell, WORKLOADS[cell.workload].need(cell))
        outcome = measure(
            cell, Limits(0.5, 0.05, 3), device, {}, 0, EnergyMeter.open(device), Quiet(), lambda *_: None
        )
        found.append(finished_row(planned_row(item, "r", where, "tokens/s"), outcome, item.need))
    return found


def test_the_same_cell_with_both_weights_gives_a_ratio(local_weights):
    plan = make_plan("tiny", "cpu", [WORKLOADS["prefill"]], weights="both")
    cells = [p.cell for p in plan.cells if p.cell.batch == 1]
    assert {c.weights for c in cells} == {"random", "pretrained"}
    rows = rows_of(cells, local_weights)
    assert [r["status"] for r in rows] == ["ok", "ok"], [r["status_detail"] for r in rows]
    assert all('"attention_kernel": "flash (CPU)"' in r["conditions"] for r in rows)
    assert all('"torch": "1"' in r["conditions"] for r in rows)  # the run's own conditions stay
    [found] = weight_ratios(rows)
    rates = {r["weights"]: r["rate"] for r in rows}
    assert found["ratio"] == pytest.approx(rates["random"] / rates["pretrained"])
    ids = {r["weights"]: r["cell_id"] for r in rows}
    assert (found["random_cell_id"], found["pretrained_cell_id"]) == (ids["random"], ids["pretrained"])


def test_without_a_pair_there_is_no_ratio():
    assert weight_ratios([]) == []
    cell = Cell("prefill", model="tiny-llama", input_tokens=16, output_tokens=1)
    item = Planned(cell, WORKLOADS["prefill"].need(cell))
    where = Where({"name": "d", "memory_bytes": 1}, {}, {}, "host", "1")
    done = {"status": "ok", "seconds": 1.0, "samples_s": [1.0], "sample_count": 1}
    row = finished_row(planned_row(item, "r", where, "tokens/s"), done, item.need)
    other = row | {"weights": "pretrained", "status": "failed", "rate": None}
    assert weight_ratios([row]) == [] and weight_ratios([row, other]) == []
