"""The Trainer behind ``finetune``. Imported only when a cell is prepared."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from typing import Any

import datasets
import torch
import transformers

from bench.cells import Cell, Need
from bench.devices.base import Device
from bench.measure.harness import Harness
from bench.models.build import Built
from bench.workloads import texts
from bench.workloads.base import Prepared
from bench.workloads.common import cell_seed, job_columns

#: A block is as many steps as fit into this time, up to ``MOST_STEPS``.
BLOCK_S = 2.0
MOST_STEPS = 10
#: Steps before the length of a block is chosen; the first ones build kernels and optimiser state.
FIRST_STEPS = 2


class TrainingPrepared(Prepared):
    """``losses`` holds the loss of every step that ran."""

    def __init__(self, built: Built, cell: Cell, device: Device, step_need: Need) -> None:
        self.model, self.load_s = built.model, built.load_s
        self.cell, self.device, self.step_need = cell, device, step_need
        self.data = training_set(cell, built.shape.vocab)
        self.losses: list[float] = []

    def run(self, harness: Harness) -> None:
        blocks = Blocks(harness, self.device)
        while not harness.done:
            with tempfile.TemporaryDirectory() as folder:
                self._train(folder, blocks)
        self.need = scaled(self.step_need, blocks.steps)

    def _train(self, folder: str, blocks: Blocks) -> None:
        trainer = transformers.Trainer(
            model=self.model,
            args=arguments(self.cell, self.device, folder),
            train_dataset=self.data,
            data_collator=pad,
            callbacks=[blocks],
        )
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train()
        self.losses += [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]

    def columns(self, harness: Harness) -> dict[str, Any]:
        job = texts.EPOCHS * len(self.data)
        return job_columns(harness, self.need.work_per_sample, job)


class Blocks(transformers.TrainerCallback):
    """Times blocks of steps and ends the training once the harness has enough.

    ``steps`` is the length of a block. It is chosen from the first steps' time, before anything counts.
    """

    def __init__(self, harness: Harness, device: Device) -> None:
        self.harness, self.device = harness, device
        self.steps = 0
        self._done = 0
        self._begin = 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._restart()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._done += 1
        ends_epoch = state.global_step % (state.max_steps // int(args.num_train_epochs)) == 0
        if ends_epoch or self._done < (self.steps or FIRST_STEPS):
            return  # the last batch of an epoch may be a short one; the next epoch begins a new block
        self.device.synchronize()
        seconds = time.perf_counter() - self._begin
        if self.steps:
            self.harness.record(seconds)
            control.should_training_stop = not self.harness.wants_more()
        elif state.global_step > FIRST_STEPS:
            self.steps = max(1, min(MOST_STEPS, round(BLOCK_S * FIRST_STEPS / seconds)))
            self.harness.count_together(self.steps)
            self.harness.wants_more()  # its clock starts here: setting the Trainer up is not measuring
        self._restart()

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        # A block that spans the end of an epoch holds a short batch and a new shuffle.
        self._restart()

    def _restart(self) -> None:
        self.device.synchronize()
        self._done, self._begin = 0, time.perf_counter()


def arguments(cell: Cell, device: Device, folder: str) -> transformers.TrainingArguments:
    """The article's settings; everything that writes, reports or evaluates is off."""
    args = transformers.TrainingArguments(
        output_dir=folder,
        num_train_epochs=texts.EPOCHS,
        per_device_train_batch_size=cell.batch,
        weight_decay=5e-4,
        optim=cell.settings["optimizer"],
        bf16=cell.compute_dtype == "bf16",
        fp16=cell.compute_dtype == "fp16",
        use_cpu=device.kind == "cpu",
        seed=cell_seed(cell) % 2**31,
        eval_strategy="no",
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    if args.n_gpu > 1:
        args._n_gpu = 1  # one device a cell: several would be wrapped in DataParallel
    return args


def training_set(cell: Cell, vocab: int) -> datasets.Dataset:
    """The training split: seeded token ids of the drawn lengths, a mask, and a random label of two."""
    count = cell.settings["texts"]
    generator = torch.Generator().manual_seed(cell_seed(cell))
    lengths = texts.lengths(count)[: texts.split(count)[0]]
    ids = [torch.randint(vocab // 4, vocab, (n,), generator=generator).tolist() for n in lengths]
    labels = torch.randint(0, 2, (len(ids),), generator=generator).tolist()
    masks = [[1] * n for n in lengths]
    return datasets.Dataset.from_dict({"input_ids": ids, "attention_mask": masks, "labels": labels})


def pad(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """Rows as one batch padded to its longest: ids and mask (rows, longest), labels (rows,)."""
    padded = {
        name: torch.nn.utils.rnn.pad_sequence([torch.tensor(row[name]) for row in rows], batch_first=True)
        for name in ("input_ids", "attention_mask")
    }
    return padded | {"labels": torch.tensor([row["labels"] for row in rows])}


def scaled(need: Need, steps: int) -> Need:
    """The need of a block of ``steps`` steps."""
    return dataclasses.replace(
        need,
        flops_per_sample=need.flops_per_sample * steps,
        bytes_per_sample=need.bytes_per_sample * steps,
        work_per_sample=need.work_per_sample * steps,
        job_samples=-(-need.job_samples // steps),
    )
