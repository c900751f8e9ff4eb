"""Every workload runs for real at tiny shapes, and computes what it should."""

import pytest
import torch

from bench import schema
from bench.cells import Cell
from bench.workloads import WORKLOADS
from bench.workloads.base import Unsupported
from bench.workloads.decode import cache_argument, fill_cache, greedy, latencies, new_cache, rewind

pytestmark = pytest.mark.torch
TINY = [cell for workload in WORKLOADS.values() for cell in workload.cells("tiny", "cpu")]


def prepare(cell, device, models=None):
    return WORKLOADS[cell.workload].prepare(cell, device, {} if models is None else models)


@pytest.mark.parametrize("cell", TINY, ids=lambda c: c.label)
def test_a_cell_becomes_a_row(cpu, cell, few):
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


def test_decode_keeps_every_token_time_of_the_counted_repetitions(cpu, few):
    prepared = prepare(cell_of("decode"), cpu)
    harness = few(cpu)
    prepared.run(harness)
    columns = prepared.columns(harness)
    assert columns.keys() == {"inter_token_p50_ms"}, "12 tokens tell no more"
    assert columns["inter_token_p50_ms"] > 0
    counted = prepared._token_s[-len(harness.samples_s) :]
    assert [len(one) for one in counted] == [prepared.count] * len(counted)
    # The tokens of a repetition make up no more than its time.
    assert all(sum(one) <= whole for one, whole in zip(counted, harness.samples_s, strict=True))
    assert prepared.tokens.shape == (prepared.first.shape[0], prepared.count)


def test_percentiles_are_those_that_so_many_tokens_can_tell():
    hundred = [i / 1e3 for i in range(1, 102)]  # 1 to 101 ms: the percentile p lies at 1 + p
    assert latencies(hundred) == {
        "inter_token_p50_ms": pytest.approx(51),
        "inter_token_p95_ms": pytest.approx(96),
        "inter_token_p99_ms": pytest.approx(100),
    }
    assert latencies(hundred[:20]).keys() == {"inter_token_p50_ms", "inter_token_p95_ms"}
    assert latencies(hundred[:1]) == {"inter_token_p50_ms": pytest.approx(1)}


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


def test_summarize_extrapolates_what_it_did_not_run(cpu, few):
    prepared, harness = prepare(cell_of("summarize", batch=2), cpu), few(cpu)
    prepared.run(harness)
    columns = prepared.columns(harness)
    assert columns["measured_fraction"] == pytest.approx(2 * len(harness.samples_s) / 100)
    assert columns["value_kind"] == "extrapolated"
    assert columns["flags"] == ["extrapolated"]
    assert columns["job_s"] == pytest.approx(50 * harness.interval().value)


def test_a_whole_job_is_not_extrapolated(cpu, few):
    prepared, harness = prepare(cell_of("summarize", batch=2), cpu), few(cpu)
    harness.samples_s = [0.01] * 50
    columns = prepared.columns(harness)
    assert columns == {"job_s": pytest.approx(0.5), "measured_fraction": 1.0}


def test_a_type_without_arithmetic_is_unsupported(cpu, monkeypatch):
    monkeypatch.setattr(type(cpu), "supports", lambda self, dtype: dtype == "fp32")
    with pytest.raises(Unsupported, match="no bf16 arithmetic"):
        prepare(cell_of("prefill", weights_dtype="bf16", compute_dtype="bf16"), cpu)


def test_tiny_cells_are_planned_alike_everywhere():
    assert Cell.from_json(TINY[0].as_json()) in WORKLOADS["probe"].cells("tiny", "cuda")
