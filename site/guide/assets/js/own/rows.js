// Rows of the store, as `bench collect` writes them, to the figures of a machine: each is checked, then rows of
// one task are combined as bench/compare/figure.py does. `index` is the guide's own.json (guide/views/own.py).
import { Fault, Fields, isObject, plain } from "./fields.js";

const { words, phrase, joined } = window.hwguideWords;

const UNSTATED = {
  withdrawn: phrase("the row is withdrawn"),
  "device-not-stated": phrase("the imported file names no device"),
  "settings-not-stated": phrase("the imported file does not say what was run"),
};

// Further columns of the guide's tables, each the median of the rows that count (guide/analysis/tasks.py).
const MEDIANS = [
  "first_token_ms", "inter_token_p50_ms", "inter_token_p95_ms", "inter_token_p99_ms", "efficiency", "mean_power_w",
];
/** What a row is read for; a file has more. */
export const COLUMNS = [
  "schema_version", "run_id", "cell_id", "method_version", "recorded_at", "origin", "value_kind", "source_id", "workload",
  "model", "params", "weights_dtype", "compute_dtype", "batch", "input_tokens", "output_tokens", "context_depth", "beams",
  "weights", "engine", "engine_version", "execution", "rate_kind", "protocol", "settings", "task_key", "device_id",
  "device_name", "device_count", "driver_version", "power_limit_w", "host_id", "conditions", "status", "status_detail",
  "flags", "rate", "rate_low", "rate_high", "rate_unit", "sample_count", "job_s", "achieved_flops", "probe_flops",
  "peak_memory_bytes", "bound", ...MEDIANS,
];
const KEPT_COLUMNS = [
  "protocol", "settings", "conditions", "model", "params", "weights_dtype", "batch", "input_tokens", "output_tokens",
  "context_depth",
];

export const isRow = (value) => isObject(value) && ["task_key", "status", "workload", "device_name"].every((name) => Object.hasOwn(value, name));

/** The row's figure; a `Fault` whose message is the reason where it cannot be taken. */
export async function readRow(value, where, index) {
  const row = new Fields(value, where);
  const version = row.count("schema_version", 1);
  if (version !== null && version > index.schema)
    throw new Fault(
      words("{where}: written by a newer version of the collector (schema {version}; this guide reads up to {most})", {
        where, version, most: index.schema,
      }),
    );
  const status = row.text("status");
  if (!Object.hasOwn(index.statuses, status ?? "")) throw row.fault("status", words("how the cell ended"));
  const found = {
    where,
    label: label(row),
    workload: row.text("workload"),
    status,
    detail: row.text("status_detail", 400),
    device: { name: row.text("device_name"), count: row.count("device_count", 1, 1e6) ?? 1 },
    device_id: row.text("device_id"),
    host: row.text("host_id") ?? "",
    source: row.text("source_id") ?? "",
    run: row.text("run_id") ?? "",
    cell: row.text("cell_id") ?? "",
    time: row.time("recorded_at"),
    version: [row.text("engine"), row.text("engine_version")].filter(Boolean).join(" ") || null,
    flags: texts(row, "flags"),
  };
  if (!found.device.name) throw row.fault("device_name", words("the device’s name"));
  if (status !== "ok") return { ...found, reason: joined([index.statuses[status], found.detail], ": ") };
  const rate = row.number("rate");
  if (rate === null || rate <= 0) throw row.fault("rate", words("a figure above 0"));
  const [low, high] = [row.number("rate_low", 0), row.number("rate_high", 0)];
  if ((low !== null && low > rate * (1 + 1e-9)) || (high !== null && high < rate * (1 - 1e-9)))
    throw new Fault(words("{where}: its interval does not hold its rate", { where }));
  const key = row.text("task_key");
  if (!/^[0-9a-f]{16}$/.test(key ?? "")) throw row.fault("task_key", words("the digest of its task"));
  const kind = row.text("value_kind") ?? index.value_kinds[0];
  if (!index.value_kinds.includes(kind)) throw row.fault("value_kind", words("how the figure came to be"));
  const unstated = found.flags.find((flag) => Object.hasOwn(UNSTATED, flag));
  const doubt = unstated ? words(UNSTATED[unstated]) : otherUnit(row, key, index) || impossible(row, index) || (await forged(row, key, index));
  return {
    ...found,
    reason: doubt,
    key,
    rate,
    unit: row.text("rate_unit") ?? "",
    low: low === null || high === null ? null : Math.max(low, rate / 1000),
    high: low === null ? null : high,
    kind,
    origin: row.text("origin"),
    count: row.count("sample_count"),
    job: row.number("job_s", 0),
    more: Object.fromEntries(MEDIANS.map((name) => [name, row.number(name, 0)])),
    memory: row.number("peak_memory_bytes", 0),
    bound: row.text("bound"),
    conditions: [row.raw("conditions"), row.raw("driver_version"), row.raw("power_limit_w"), row.raw("engine_version")].join("\n"),
    columns: Object.fromEntries(KEPT_COLUMNS.map((name) => [name, row.raw(name)])),
  };
}

function texts(row, name) {
  const value = row.raw(name) ?? [];
  if (!Array.isArray(value) || !value.every((v) => typeof v === "string")) throw row.fault(name, words("a list of words"));
  return value.slice(0, 50).map((v) => plain(v, 60));
}

function label(row) {
  const lengths = [row.count("input_tokens"), row.count("output_tokens")].filter(Boolean).join(" + ");
  const parts = [row.text("model"), row.text("compute_dtype") ?? row.text("weights_dtype"), row.text("workload"), lengths && words("{count} tokens", { count: lengths })];
  const batch = row.count("batch");
  return joined([...parts, batch > 1 ? words("batch {batch}", { batch }) : ""], ", ") || words("a row");
}

// Rows of one task are combined into one figure, so each has the task's unit (bench/units.py).
function otherUnit(row, key, { tasks }) {
  const [unit, known] = [row.text("rate_unit") ?? "", Object.hasOwn(tasks, key) ? tasks[key].unit : null];
  if (known === null || unit === known) return null;
  return words("its figure is in {unit}, that of its task in {known}", { unit: unit || words("no unit"), known });
}

// The gate on the run's own probe (bench/verify/checks/probe.py): the catalog's is not at hand here.
function impossible(row, index) {
  const [needed, most] = [row.number("achieved_flops", 0, 1e24), row.number("probe_flops", 0, 1e24)];
  if (row.text("workload") === "probe" || !needed || !most || needed <= most * index.tolerance) return null;
  const share = `${Math.round((needed / most) * 100)} %`;
  return words("impossible: it would take {share} of the arithmetic that the probe of the same machine found", { share });
}

// A task key is the digest of the columns that say what was asked for (bench/schema.py); one that is not was
// changed by hand. Browsers compute digests on safe connections only: elsewhere the key is believed.
async function forged(row, key, index) {
  if (!globalThis.crypto?.subtle) return null;
  const asked = index.fields.map((name) => row.raw(name));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(asked)));
  const found = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return found.slice(0, 16) === key ? null : words("its task key is not that of its columns: the file was changed");
}

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** The least half-width of a figure's band, as a share of its rate (bench/compare/bands.py). */
function allowance(row, { allowances, uploads_flag: uploads, indirect_kinds: indirect }) {
  if (row.flags.includes(uploads)) return allowances.uploads;
  if (indirect.includes(row.kind)) return allowances.indirect;
  return row.origin === "measured" ? allowances.measured : allowances.published;
}

/** Rows of one task and machine -> [rate, low, high, band low, band high] and the rows that count. */
export function combine(all, index) {
  const own = all.filter((row) => !row.flags.some((flag) => Object.hasOwn(index.disturbed, flag)));
  const rows = own.length ? own : all; // disturbed rows count only where there are no others
  const place = (row) => index.value_kinds.indexOf(row.kind);
  const order = (a, b) => a.time - b.time || compare(a.run, b.run) || compare(a.cell, b.cell);
  const best = Math.min(...rows.map(place));
  const hosts = new Map();
  for (const row of rows.filter((r) => place(r) === best).sort(order)) {
    const host = `${row.source}\n${row.host}`;
    hosts.set(host, [...(hosts.get(host) ?? []), row]);
  }
  const counted = [...hosts.values()].map((group) => group.filter((row) => row.conditions === group.at(-1).conditions));
  const rate = median(counted.map((group) => median(group.map((row) => row.rate))));
  const used = counted.flat();
  const bands = used.map((row) => {
    const share = allowance(row, index);
    return [Math.min(row.low ?? row.rate, row.rate * (1 - share)), Math.max(row.high ?? row.rate, row.rate * (1 + share))];
  });
  const stated = used.every((row) => row.low !== null);
  const ends = (values) => [Math.min(...values.map(([low]) => low)), Math.max(...values.map(([, high]) => high))];
  const [low, high] = stated ? ends(used.map((row) => [row.low, row.high])) : [null, null];
  const middle = (of) => {
    const known = used.map(of).filter((value) => value !== null && value !== undefined);
    return known.length ? median(known) : null;
  };
  const more = Object.fromEntries(MEDIANS.map((name) => [name, middle((row) => row.more?.[name])]).filter(([, value]) => value !== null));
  const memory = Math.max(...used.map((row) => row.memory ?? 0));
  if (memory) more.peak_memory_bytes = memory;
  if (used.at(-1).bound) more.bound = used.at(-1).bound;
  return { values: [rate, low, high, ...ends(bands)], used, job: middle((row) => row.job), more };
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
