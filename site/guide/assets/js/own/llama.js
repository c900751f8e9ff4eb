// llama-bench's JSON as bench/importers/llama_bench.py reads it, and what each test asked for as
// guide/views/llama_tests.py says it. Tests hold every value against those two.
import { Fault, Fields, isObject } from "./fields.js";

const { words } = window.hwguideWords;

const SIGNATURE = ["model_type", "n_prompt", "n_gen", "avg_ts"];
const OLD_BACKENDS = {
  cuda: "CUDA", opencl: "OpenCL", vulkan: "Vulkan", kompute: "Kompute", metal: "Metal",
  sycl: "SYCL", rpc: "RPC", gpu_blas: "GPU BLAS", blas: "BLAS",
};
const NO_GPU = ["CPU", "BLAS", "RPC", "none", ""];
const BESIDE = [...NO_GPU, "GPU BLAS"];
const CALLED = { MTL: "Metal", HIP: "ROCm" };
const ALWAYS_NAMED = ["CUDA", "ROCm", "HIP", "SYCL", "CANN", "MUSA"];
const ALL_NAMED_FROM = 4100;
const SPLITS = { 0: "none", 1: "layer", 2: "row", none: "none", layer: "layer", row: "row" };
const ALL_LAYERS = 90;
const ROUNDING = 2e-4;
const AT_ONCE = 512;
const LIBRARIES = ["Accelerate", "BLAS", "OpenBLAS", "MKL", "BLIS", "AMX", "ZenDNN", "KleidiAI"];

const TYPE = /(?:^|\s)(?:mostly |all )?((?:I?Q\d[A-Z0-9_]*|TQ\d_\d|B?F16|F32|MXFP4|NVFP4)(?: MoE)?)(?: - (Small|Medium|Large|[\d.]+ bpw.*))?(?: \(guessed\))?$/;
const PLAIN = { f16: "fp16", f32: "fp32", bf16: "bf16" };
// Bits a weight of each type takes (bench/importers/_llama_model.py).
const BITS = {
  fp32: 32, fp16: 16, bf16: 16, q8_0: 8.5, q6_k: 6.6, q5_k_m: 5.7, q5_k_s: 5.5, q5_1: 6, q5_0: 5.5,
  q4_k_m: 4.85, q4_k_s: 4.6, q4_1: 5, q4_0: 4.5, q3_k_l: 4.3, q3_k_m: 3.9, q3_k_s: 3.5, q2_k: 2.96,
  q2_k_s: 2.6, mxfp4: 4.25, iq4_xs: 4.3, iq4_nl: 4.5, iq3_m: 3.7, iq3_s: 3.4, iq3_xs: 3.3, iq3_xxs: 3.1,
  iq2_m: 2.7, iq2_s: 2.5, iq2_xs: 2.3, iq2_xxs: 2.1, iq1_m: 1.75, iq1_s: 1.6, tq1_0: 1.7, tq2_0: 2.1, nvfp4: 4.5,
};

export const isEntry = (value) => isObject(value) && SIGNATURE.every((key) => Object.hasOwn(value, key));

/** `llama 7B Q4_K - Medium` -> its family, name and type of weights. */
export function readModel(printed, params, size) {
  if (!printed) return { name: null, family: null, weights: null };
  const text = printed.split(/\s+/).join(" ").trim();
  const found = TYPE.exec(text);
  let name = found ? text.slice(0, found.index).trim() : text;
  let weights = found ? dtype(found) : null;
  if (name.includes("?B") && params) name = name.replaceAll("?B", human(params));
  const bits = params && size ? (size * 8) / params : null;
  const usual = BITS[weights];
  if (weights && bits && usual !== undefined && (bits < 0.7 * usual || bits > 2 * usual)) weights = `mixed (${bits.toFixed(1)} bits)`;
  const family = /^(.+?) \S*\d\S*$/.exec(name);
  return { name: name || null, family: family ? family[1] : name || null, weights };
}

function dtype(found) {
  const base = found[1].replace(/ MoE$/, "").toLowerCase();
  const size = ["Small", "Medium", "Large"].includes(found[2]) ? `_${found[2][0].toLowerCase()}` : "";
  const name = Object.hasOwn(PLAIN, base) ? PLAIN[base] : base + size;
  return name === "q2_k_m" ? "q2_k" : name;
}

const human = (params) => {
  const [value, unit] = params >= 1e9 ? [params / 1e9, "B"] : [params / 1e6, "M"];
  return `${Number(value.toPrecision(3))}${unit}`;
};

function backendsOf(row) {
  const stated = row.text("backends");
  if (stated !== null) return stated;
  return Object.keys(OLD_BACKENDS).filter((key) => row.flag(key)).map((key) => OLD_BACKENDS[key]).join(",");
}

/** The GPU's backend under one name for all builds; CPU where there is none. */
export function backend(stated) {
  const names = stated.split(",").map((part) => part.trim()).filter((part) => !BESIDE.includes(part));
  const found = names.map((name) => name.split(" ")[0]).map((name) => CALLED[name] || name);
  return [...new Set(found)].sort().join("+") || "CPU";
}

function splitNames(text) {
  const names = text.split(", ").map((name) => name.trim()).filter(Boolean);
  if (names.length !== 1) return names;
  const parts = text.split("/").map((part) => part.trim()).filter(Boolean);
  const alike = new Set(parts).size === 1 || parts.every((part) => /^(?:NVIDIA|AMD|Tesla)/.test(part));
  return parts.length > 1 && alike ? parts : names;
}

function pickedDevices(text) {
  const found = (text || "").split("/").map((part) => /^[A-Za-z]+(\d+)$/.exec(part.trim()));
  return found.every(Boolean) ? found.map((match) => Number(match[1])) : [];
}

const processor = (text) =>
  (text || "").split(",").map((p) => p.trim()).filter((p) => p && !LIBRARIES.includes(p)).join(", ") || null;

/** Which device ran: the GPUs that are printed, or the processor where there is none. */
function deviceOf(row, backends, split, layers) {
  const gpus = row.text("gpu_info", 1000);
  const cpu = row.text("cpu_info");
  const names = backends.split(",").map((part) => part.trim());
  const chip = { name: processor(cpu), count: 1, processor: true, listed: false };
  if (gpus) {
    const named = chosen(row, splitNames(gpus), split);
    return layers === 0 ? chip : named;
  }
  if (!names.some((name) => !NO_GPU.includes(name))) return chip;
  if (cpu && names.some((name) => ALWAYS_NAMED.some((known) => name.startsWith(known)))) return chip;
  if (names.some((name) => ["Metal", "MTL"].includes(name)) && (cpu || "").includes("Apple")) return { ...chip, processor: false };
  const build = row.count("build_number");
  if (cpu && build !== null && build >= ALL_NAMED_FROM) return chip;
  return { name: null, count: 1, processor: false, listed: false };
}

function chosen(row, printed, split) {
  let gpus = printed;
  const main = row.count("main_gpu") || 0;
  if (split === "none" && main < gpus.length) gpus = [gpus[main]];
  const picked = pickedDevices(row.text("devices"));
  if (picked.length && picked.every((index) => index < gpus.length)) gpus = picked.map((index) => gpus[index]);
  const alike = new Set(gpus).size === 1;
  const name = alike ? gpus[0] : gpus.join(" + ").slice(0, 160);
  return { name, count: gpus.length, processor: false, listed: !alike };
}

/** What else was asked for, as far as it differs from the tool's defaults. */
function settingsOf(row, layers, device, split, workload) {
  const flash = String(row.raw("flash_attn") ?? "").trim().toLowerCase();
  const settings = { flash_attention: ["-1", "auto"].includes(flash) ? "auto" : row.flag("flash_attn") ? "on" : "off" };
  const atOnce = Math.min(row.count("n_batch", 1) || 2048, row.count("n_ubatch", 1) || 512);
  if (atOnce !== AT_ONCE && workload !== "decode") settings.tokens_at_once = atOnce;
  const half = row.flag("f16_kv");
  for (const [name, key] of [["cache_k", "type_k"], ["cache_v", "type_v"]]) {
    const kind = row.text(key) || (half === false ? "f32" : "f16");
    if (kind !== "f16") settings[name] = kind;
  }
  if (layers !== null && layers >= 0 && layers < ALL_LAYERS && !device.processor) settings.gpu_layers = layers;
  if (row.count("n_cpu_moe")) settings.experts_on_cpu_layers = row.count("n_cpu_moe");
  const placed = row.text("tensor_buft_overrides") || "none";
  if (placed !== "none") settings.tensors_placed = placed;
  if (device.count > 1) settings.split = split || "layer";
  for (const name of ["no_kv_offload", "embeddings", "no_op_offload"]) if (row.flag(name)) settings[name] = true;
  if (device.processor) settings.runs_on = "cpu";
  return settings;
}

/** Canonical JSON of an object's values, as Python's json writes it with sorted keys. */
export const canonical = (values) => `{${Object.keys(values).sort().map((k) => `${JSON.stringify(k)}:${JSON.stringify(values[k])}`).join(",")}}`;

function repetitions(row, rate, tokens, quantiles) {
  const mean = row.number("avg_ns", 0);
  const spread = row.number("stddev_ts", 0);
  if (!mean) throw row.fault("avg_ns", words("the mean time in nanoseconds"));
  const excess = (rate * mean) / 1e9 / tokens - 1;
  const bound = ((spread || 0) * (row.number("stddev_ns", 0) || 0)) / 1e9 / tokens;
  if (excess < -ROUNDING || excess > bound + ROUNDING)
    throw new Fault(words("{where}: its rate (avg_ts) and its time (avg_ns) contradict each other", row));
  const times = row.numbers("samples_ns");
  if (!times.length) return { count: null, low: null, high: null };
  if (Math.min(...times) <= 0) throw row.fault("samples_ns", words("times above 0"));
  const rates = times.map((ns) => (tokens * 1e9) / ns);
  const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = average(rates);
  if (Math.abs(mean / average(times) - 1) > ROUNDING) throw new Fault(words("{where}: avg_ns is not the mean of its repetitions", row));
  if (Math.abs(rate / middle - 1) > ROUNDING) throw new Fault(words("{where}: avg_ts is not the mean of its repetitions", row));
  const stated = row.numbers("samples_ts");
  if (stated.length && (stated.length !== rates.length || stated.some((value, n) => Math.abs(value - rates[n]) > 1e-3 * rates[n])))
    throw row.fault("samples_ts", words("the rates that samples_ns gives"));
  const count = rates.length;
  const quantile = quantiles[count - 2];
  if (count < 2 || quantile === undefined) return { count, low: null, high: null };
  const deviation = Math.sqrt(rates.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (count - 1));
  const half = (quantile * deviation) / Math.sqrt(count);
  return { count, low: Math.max(rate - half, 0), high: rate + half };
}

/** One entry of the file as a figure with what it asked for. Throws a `Fault` for one that cannot be taken. */
export function readEntry(value, where, quantiles) {
  const row = new Fields(value, where);
  const fed = row.count("n_prompt");
  const made = row.count("n_gen");
  if (fed === null || made === null || fed + made === 0) throw row.fault("n_prompt", words("how many tokens were read and written"));
  const rate = row.number("avg_ts", 0);
  if (rate === null) throw row.fault("avg_ts", words("a rate in tokens a second"));
  const workload = fed && made ? "generate" : fed ? "prefill" : "decode";
  const backends = backendsOf(row);
  const split = SPLITS[String(row.raw("split_mode") ?? "").toLowerCase()] ?? null;
  const layers = row.count("n_gpu_layers", -10);
  const device = deviceOf(row, backends, split, layers);
  const settings = settingsOf(row, layers, device, split, workload);
  const params = row.count("model_n_params", 1);
  const model = readModel(row.text("model_type"), params, row.count("model_size", 1));
  const { flash_attention: flash, tokens_at_once: atOnce, split: shared, ...rest } = settings;
  const commit = row.text("build_commit");
  const build = row.count("build_number");
  const known = commit !== "unknown" ? commit : null;
  const version = build && commit ? `b${build} (${commit})` : known || (build ? `b${build}` : null);
  const found = {
    where,
    workload,
    rate,
    unit: workload === "generate" ? "input+output tokens/s" : "tokens/s",
    status: rate ? "ok" : "failed",
    detail: rate ? null : words("the rate is stated as 0"),
    device,
    model: model.name,
    size: row.count("model_size", 1),
    split,
    version,
    time: row.time("test_time"),
    conditions: canonical({ backends, threads: row.count("n_threads"), layers, mmap: row.flag("use_mmap"), mode: row.text("load_mode") }),
    asked: {
      workload,
      family: model.family,
      params,
      weights: model.weights,
      batch: 1,
      fed: fed || null,
      made: made || null,
      depth: row.count("n_depth") || 0,
      flash,
      at_once: workload === "prefill" ? atOnce ?? AT_ONCE : null,
      rest: canonical(rest),
      backend: backend(backends),
      split: device.count > 1 ? shared || "layer" : null,
    },
  };
  return Object.assign(found, rate ? repetitions(row, rate, fed + made, quantiles) : { count: null, low: null, high: null });
}

const NOT_THE_REST = ["flash_attention", "parameters", "tokens_at_once", "split"];

/** What an imported row of llama-bench asked for (guide/views/llama_tests.py); null for any other row. */
export function askedByRow({ columns, workload, device }) {
  if (columns.protocol !== "import/llama-bench") return null;
  const [settings, conditions] = [columns.settings, columns.conditions].map(objectIn);
  const family = /^(.+?) \S*\d\S*$/.exec(columns.model ?? "");
  const rest = Object.fromEntries(Object.entries(settings).filter(([name]) => !NOT_THE_REST.includes(name)));
  return {
    workload,
    family: family ? family[1] : columns.model,
    params: columns.params,
    weights: columns.weights_dtype,
    batch: columns.batch,
    fed: columns.input_tokens,
    made: columns.output_tokens,
    depth: columns.context_depth ?? 0,
    flash: settings.flash_attention ?? conditions.flash_attention ?? "not stated",
    at_once: workload === "prefill" ? settings.tokens_at_once ?? AT_ONCE : null,
    rest: canonical(rest),
    backend: backend(String(conditions.backend ?? "")),
    split: device.count > 1 ? settings.split ?? "layer" : null,
  };
}

function objectIn(text) {
  try {
    const value = JSON.parse(text ?? "{}");
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
