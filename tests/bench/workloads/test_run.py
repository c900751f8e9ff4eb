"""Every workload runs for real at tiny shapes, and computes what it should."""

import math
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from bench import schema
from bench.cells import Cell
from bench.devices import open_device
from bench.measure.harness import Harness
from bench.measure.stopping import StoppingRule
from bench.workloads import WORKLOADS, _training
from bench.workloads.base import Unsupported
from bench.workloads.decode import cache_argument, fill_cache, greedy, new_cache, rewind
from bench.workloads.probe import READ, TO_DEVICE, memory_need

pytestmark = pytest.mark.torch
TINY = [cell for workload in WORKLOADS.values() for cell in workload.cells("tiny", "cpu")]


@pytest.fixture(scope="module")
def cpu():
    return open_device("cpu")


def few(device):
    """A harness that ends after three repetitions, whatever the clock says."""
    rule = StoppingRule(target=1e9, budget_s=1e9, max_samples=3, warmup_share=0, settle_samples=0, settle_s=0)
    return Harness(device, rule)


def prepare(cell, device, models=None):
    return WORKLOADS[cell.workload].prepare(cell, device, {} if models is None else models)


@pytest.mark.parametrize("cell", TINY, ids=lambda c: c.label)
def test_a_cell_becomes_a_row(cpu, cell):
    harness = few(cpu)
    prepared = prepare(cell, cpu)
    prepared.run(harness)
    need = prepared.need or WORKLOADS[cell.workload].need(cell)
    rate = need.work_per_sample / harness.interval().value
    columns = prepared.columns(harness) | {"load_s": prepared.load_s}
    row = schema.make_row(
        run_id="r", origin="measured", source_id="hwguide", device_name="d", status="ok", rate=rate,
        rate_unit=WORKLOADS[cell.workload].unit(cell), samples_s=harness.samples_s,
        sample_count=len(harness.samples_s), work_per_sample=float(need.work_per_sample),
        flops_per_sample=float(need.flops_per_sample), bytes_per_sample=float(need.bytes_per_sample),
        **cell.columns(), **columns,
    )  # fmt: skip
    assert row["rate"] > 0
    assert len(harness.samples_s) >= 3


def cell_of(workload, **changes):
    import dataclasses

    found = [c for c in WORKLOADS[workload].cells("tiny", "cpu") if c.batch == changes.get("batch", c.batch)]
    return dataclasses.replace(found[-1], **changes)


@pytest.mark.parametrize(
    ("workload", "result"), [("encode", "output"), ("prefill", "output"), ("summarize", "summaries")]
)
def test_the_same_cell_gives_the_same_answer(cpu, workload, result):
    answers = []
    for _ in range(2):
        prepared = prepare(cell_of(workload), cpu)
        prepared.step()
        answers.append(getattr(prepared, result))
    assert torch.equal(*answers)


def test_two_cells_have_different_prompts(cpu):
    long, short = cell_of("encode", input_tokens=16), cell_of("encode", input_tokens=12)
    assert not torch.equal(prepare(long, cpu).ids[:, :12], prepare(short, cpu).ids)


def test_a_group_shares_its_model_and_another_replaces_it(cpu):
    models = {}
    first = prepare(cell_of("prefill"), cpu, models)
    assert prepare(cell_of("decode"), cpu, models).model is first.model
    prepare(cell_of("encode"), cpu, models)
    assert len(models) == 1


@pytest.mark.parametrize("model", ["tiny-llama", "tiny-qwen"])
def test_generation_with_the_cache_equals_full_passes(cpu, model):
    """A wrong cache, position or mask would give other tokens, however fast."""
    from bench.models.build import build

    built = build(model, "fp32", cpu)
    batch, depth, new = 2, 9, 6
    prompt = torch.arange(20, 20 + batch * depth).view(batch, depth)
    cache = new_cache(built.model, depth + new)
    with torch.inference_mode():
        logits = built.model(
            input_ids=prompt, use_cache=True, logits_to_keep=1, **{cache_argument(built.model): cache}
        ).logits
        first = logits[:, -1].argmax(-1, keepdim=True)
        tokens, seconds = greedy(built.model, cpu, cache, first, new - 1)
        text = prompt
        for _ in range(new):
            text = torch.cat([text, built.model(input_ids=text).logits[:, -1:].argmax(-1)], dim=1)
    assert torch.equal(torch.cat([first, tokens], dim=1), text[:, depth:])
    assert len(seconds) == new - 1
    rewind(cache, depth)
    assert torch.equal(greedy(built.model, cpu, cache, first, new - 1)[0], tokens), "rewound, it repeats"


def test_prefill_picks_the_token_that_the_full_logits_say(cpu):
    prepared = prepare(cell_of("prefill", batch=2), cpu)
    prepared.step()
    with torch.inference_mode():
        logits = prepared.model(input_ids=prepared.ids).logits
    assert torch.equal(prepared.output, logits[:, -1:].argmax(-1))


def test_decode_depends_on_the_context(cpu):
    """The filled cache is really attended to."""
    prepared = prepare(cell_of("decode", batch=2, output_tokens=8), cpu)
    token = prepared.first
    written = greedy(prepared.model, cpu, prepared.cache, token, 8)[0]
    other = new_cache(prepared.model, prepared.depth + 8)
    fill_cache(prepared.model, other, 2, prepared.depth, seed=99)
    assert not torch.equal(written, greedy(prepared.model, cpu, other, token, 8)[0])


def test_decode_keeps_every_token_time_of_the_counted_repetitions(cpu):
    prepared = prepare(cell_of("decode"), cpu)
    harness = few(cpu)
    prepared.run(harness)
    columns = prepared.columns(harness)
    p50, p95, p99 = (columns[f"inter_token_p{p}_ms"] for p in (50, 95, 99))
    assert 0 < p50 <= p95 <= p99
    counted = prepared._token_s[-len(harness.samples_s) :]
    assert [len(one) for one in counted] == [prepared.count] * len(counted)
    # The tokens of a repetition make up no more than its time.
    assert all(sum(one) <= whole for one, whole in zip(counted, harness.samples_s, strict=True))
    assert prepared.tokens.shape == (prepared.first.shape[0], prepared.count)


def test_summaries_have_the_asked_length_and_no_repeated_trigram(cpu):
    cell = cell_of("summarize", batch=2, output_tokens=20)
    prepared = prepare(cell, cpu)
    prepared.step()
    assert prepared.summaries.shape == (2, 21)
    for row in prepared.summaries.tolist():
        trigrams = list(zip(row, row[1:], row[2:], strict=False))
        assert len(set(trigrams)) == len(trigrams)


def test_summaries_are_better_than_greedy_ones(cpu):
    """The beam search does search: its summary is at least as likely as the greedy one."""
    import copy

    prepared = prepare(cell_of("summarize", batch=1, output_tokens=10), cpu)
    prepared.step()
    greedy_search = copy.deepcopy(prepared.search)
    greedy_search.num_beams = 1
    greedy_search.length_penalty = greedy_search.early_stopping = None
    alone = prepared.model.generate(
        prepared.ids, attention_mask=prepared.mask, generation_config=greedy_search
    )

    def score(tokens):
        with torch.inference_mode():
            logits = prepared.model(input_ids=prepared.ids, decoder_input_ids=tokens[:, :-1]).logits
        return logits.log_softmax(-1).gather(-1, tokens[:, 1:, None]).sum().item()

    assert score(prepared.summaries) >= score(alone) - 1e-4


def test_summarize_extrapolates_what_it_did_not_run(cpu):
    prepared, harness = prepare(cell_of("summarize", batch=2), cpu), few(cpu)
    prepared.run(harness)
    columns = prepared.columns(harness)
    assert columns["measured_fraction"] == pytest.approx(2 * len(harness.samples_s) / 100)
    assert columns["value_kind"] == "extrapolated"
    assert columns["flags"] == ["extrapolated"]
    assert columns["job_s"] == pytest.approx(50 * harness.interval().value)


def test_a_whole_job_is_not_extrapolated(cpu):
    prepared, harness = prepare(cell_of("summarize", batch=2), cpu), few(cpu)
    harness.samples_s = [0.01] * 50
    columns = prepared.columns(harness)
    assert columns == {"job_s": pytest.approx(0.5), "measured_fraction": 1.0}


def test_training_learns_and_leaves_nothing_behind(cpu, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    prepared = prepare(cell_of("finetune"), cpu)
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

    cell = cell_of("finetune")
    prepared = prepare(cell, cpu)
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


def test_blocks_leave_out_the_ends_of_epochs(cpu):
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


def test_a_block_holds_the_work_of_its_steps(cpu):
    """60 texts: 48 to train, batch 4, so 12 steps an epoch."""
    prepared = prepare(cell_of("finetune"), cpu)
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


def test_a_type_without_arithmetic_is_unsupported(cpu, monkeypatch):
    monkeypatch.setattr(type(cpu), "supports", lambda self, dtype: dtype == "fp32")
    with pytest.raises(Unsupported, match="no bf16 arithmetic"):
        prepare(cell_of("prefill", weights_dtype="bf16", compute_dtype="bf16"), cpu)


def test_probe_computes_what_it_times(cpu):
    from bench.workloads import _probe_kernels

    product = _probe_kernels.best_product(cpu, "fp32", ((64, 32, 16),))
    product.result.zero_()
    product.step()
    assert product.result.abs().sum() > 0
    copied = _probe_kernels.memory(cpu, "copy", 1 << 20)
    copied.result.zero_()
    copied.step()
    assert copied.result.abs().sum() > 0
    assert copied.need.bytes_per_sample == copied.repeats * (1 << 20)
    read = _probe_kernels.memory(cpu, READ, 1 << 20)
    read.step()
    assert math.isclose(read.result.mean().item(), 256, rel_tol=0.2), "1,024 products of means 1/2"


def test_the_search_keeps_the_fastest_product(cpu, monkeypatch):
    from bench.workloads import _probe_kernels

    seconds = {(2, 2, 2): 1e-3, (4, 4, 4): 1e-3, (8, 8, 8): 1.0}
    made = []

    def product(device, dtype, shape):
        made.append(shape)
        return (lambda: None), torch.zeros(1)

    monkeypatch.setattr(_probe_kernels, "_product", product)
    monkeypatch.setattr(_probe_kernels, "_seconds_each", lambda device, call: seconds[made[-1]])
    best = _probe_kernels.best_product(cpu, "fp32", tuple(seconds))
    assert made[-1] == (4, 4, 4)
    assert best.need.flops_per_sample == best.repeats * 2 * 4**3


def test_the_search_passes_over_what_does_not_fit(cpu, monkeypatch):
    from bench.workloads import _probe_kernels

    real = _probe_kernels._product

    def product(device, dtype, shape):
        if shape[0] > 100:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return real(device, dtype, shape)

    monkeypatch.setattr(_probe_kernels, "_product", product)
    found = _probe_kernels.best_product(cpu, "fp32", ((64, 64, 64), (128, 8, 8)))
    assert found.result.shape == (64, 64)
    with pytest.raises(RuntimeError, match="allocate"):
        _probe_kernels.best_product(cpu, "fp32", ((128, 8, 8),))


def test_a_link_holds_the_data_twice():
    assert memory_need(TO_DEVICE, 1_000).memory_bytes == 2_000
    assert memory_need(READ, 1_000).memory_bytes == 1_000


def test_tiny_cells_are_planned_alike_everywhere():
    assert Cell.from_json(TINY[0].as_json()) in WORKLOADS["probe"].cells("tiny", "cuda")
