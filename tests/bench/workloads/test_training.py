"""The Trainer's loop: it learns, leaves nothing behind, and its blocks hold the work they are said to."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from bench.workloads import WORKLOADS, _training

pytestmark = pytest.mark.torch


def prepare(device):
    workload = WORKLOADS["finetune"]
    return workload.prepare(workload.cells("tiny", "cpu")[-1], device, {})


def test_training_learns_and_leaves_nothing_behind(cpu, tmp_path, monkeypatch, capfd, few):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    prepared = prepare(cpu)
    before = [p.detach().clone() for p in prepared.model.parameters()]
    harness = few(cpu)
    prepared.run(harness)
    after = list(prepared.model.parameters())
    changed = [not torch.equal(a, b) for a, b in zip(before, after, strict=True)]
    assert sum(changed) > len(changed) * 0.9
    assert all(p.isfinite().all() for p in after)
    assert list(Path(tmp_path).iterdir()) == []
    assert "loss" not in capfd.readouterr().out
    assert harness.done


def test_training_can_fit_labels_that_follow_from_the_text(cpu, tmp_path):
    """With a signal in the data the loss must fall: forward, backward and optimiser are really there."""
    import datasets
    import transformers

    prepared = prepare(cpu)
    cell = prepared.cell
    rows = prepared.data.to_list()
    for row in rows:
        row["labels"] = int(row["input_ids"][1] % 2)
        row["input_ids"] = [100 + 200 * row["labels"]] * len(row["input_ids"])

    def loss():
        prepared.model.eval()
        batch = _training.pad(rows)
        with torch.inference_mode():
            return prepared.model(**batch).loss.item()

    start = loss()
    args = _training.arguments(cell, cpu, str(tmp_path))
    args.learning_rate = 1e-3
    transformers.Trainer(
        model=prepared.model, args=args, train_dataset=datasets.Dataset.from_list(rows),
        data_collator=_training.pad,
    ).train()  # fmt: skip
    assert loss() < start / 2


def test_blocks_leave_out_the_ends_of_epochs(cpu, few):
    """12 steps an epoch in blocks of 3: the fourth would end with the last batch, which may be short."""
    harness = few(cpu)
    blocks = _training.Blocks(harness, cpu)
    blocks.steps = 3
    counted = []
    harness.record = lambda seconds: counted.append(step)
    args, control = SimpleNamespace(num_train_epochs=2), SimpleNamespace()
    for step in range(1, 25):
        blocks.on_step_end(args, SimpleNamespace(global_step=step, max_steps=24), control)
        if step % 12 == 0:
            blocks.on_epoch_end(args, None, control)
    assert counted == [3, 6, 9, 15, 18, 21]


def test_a_block_holds_the_work_of_its_steps(cpu, few):
    """60 texts: 48 to train, batch 4, so 12 steps an epoch."""
    prepared = prepare(cpu)
    harness = few(cpu)
    prepared.run(harness)
    steps = prepared.need.work_per_sample / prepared.cell.batch
    assert 1 <= steps <= _training.MOST_STEPS
    assert steps == int(steps)
    step = WORKLOADS["finetune"].need(prepared.cell)
    assert prepared.need.flops_per_sample == pytest.approx(steps * step.flops_per_sample)
    columns = prepared.columns(harness)
    assert columns["job_s"] == pytest.approx(
        harness.interval().value * 5 * len(prepared.data) / prepared.need.work_per_sample
    )


def test_padding_reaches_the_longest_text_of_the_batch():
    rows = [
        {"input_ids": [5, 6, 7], "attention_mask": [1, 1, 1], "labels": 1},
        {"input_ids": [8], "attention_mask": [1], "labels": 0},
    ]
    batch = _training.pad(rows)
    assert batch["input_ids"].tolist() == [[5, 6, 7], [8, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert batch["labels"].tolist() == [1, 0]
