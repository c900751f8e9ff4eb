// A dropped file to the machines in it. Nothing here asks any address but for the reader of Parquet files, and
// nothing is sent. Every fault ends in one `Fault` whose message is for the reader.
import { Fault, plain } from "./fields.js";
import { askedByRow, canonical, isEntry, readEntry } from "./llama.js";
import { impossible } from "./gate.js";
import { COLUMNS, combine, isRow, readRow } from "./rows.js";

const { words, joined } = window.hwguideWords;

export { Fault };

const MOST_BYTES = 50e6;
const MOST_ROWS = 200_000;
const MOST_UNPACKED = 200e6;
const notOurs = () => new Fault(words("This is not the Parquet or JSON of bench collect, or llama-bench’s JSON or JSON lines."));

/** `[machine, …]` of a file, the one with most figures first; see own.js for what a machine is. */
export async function read(file, index) {
  if (!file.size) throw new Fault(words("The file is empty."));
  if (file.size > MOST_BYTES)
    throw new Fault(
      words("The file has {size}; at most {most} are read here. One run, or a JSON of fewer rows, is enough.", {
        size: `${Math.round(file.size / 1e6)} MB`, most: "50 MB",
      }),
    );
  const bytes = new Uint8Array(await file.arrayBuffer());
  const { rows, entries } = sorted(isParquet(bytes) ? await parquet(bytes) : json(bytes));
  const machines = [...(await ofRows(rows, index)), ...ofEntries(entries, index)].map((machine) => ({ ...machine, file: plain(file.name, 80) }));
  if (!machines.length) throw new Fault(words("The file holds no figure: no row ended well."));
  return machines.sort((a, b) => b.figures.length - a.figures.length);
}

const isParquet = (bytes) => String.fromCharCode(...bytes.slice(0, 4)) === "PAR1";

function sorted(values) {
  if (values.length > MOST_ROWS) throw tooMany(values.length);
  const rows = values.filter(isRow);
  const entries = values.filter(isEntry);
  if (rows.length + entries.length === 0) throw notOurs();
  return { rows, entries };
}

async function parquet(bytes) {
  const [{ parquetMetadataAsync, parquetReadObjects }, { decompress }] = await Promise.all([
    import("../../vendor/hyparquet/src/index.js"),
    import("../../vendor/fzstd/fzstd.js"),
  ]);
  // A page that claims to be larger than any of ours is not unpacked.
  const unpacked = (input, length) => {
    if (!(length <= MOST_UNPACKED)) throw new Error(`a part of it unpacks to ${length} bytes`);
    return decompress(input, new Uint8Array(length));
  };
  const file = bytes.buffer;
  try {
    const metadata = await parquetMetadataAsync(file);
    if (Number(metadata.num_rows) > MOST_ROWS) throw tooMany(Number(metadata.num_rows));
    // samples_s is most of a run, and nothing here needs it.
    const columns = metadata.schema.slice(1).map(({ name }) => name).filter((name) => COLUMNS.includes(name));
    if (!columns.includes("task_key")) throw notOurs();
    const rows = await parquetReadObjects({ file, metadata, columns, compressors: { ZSTD: unpacked } });
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, smaller(value)])));
  } catch (error) {
    if (error instanceof Fault) throw error;
    const fault = plain(error.message, 120);
    throw new Fault(words("The Parquet file is damaged or not one of bench collect ({fault}).", { fault }));
  }
}

const tooMany = (count) =>
  new Fault(words("The file holds {count} entries; at most {most} are read here.", { count, most: MOST_ROWS }));

const smaller = (value) => (typeof value === "bigint" ? Number(value) : Array.isArray(value) ? value.map(smaller) : value);

function json(bytes) {
  const text = decoded(bytes);
  const whole = parsed(text);
  if (whole !== undefined) return Array.isArray(whole) ? whole : Array.isArray(whole?.rows) ? whole.rows : [whole];
  // Line by line, and no further than the first bad one: 50 MB may be millions of lines.
  const values = [];
  for (let begin = 0, end = 0; begin < text.length; begin = end + 1) {
    end = text.indexOf("\n", begin);
    if (end === -1) end = text.length;
    const line = text.slice(begin, end);
    if (!line.trim()) continue;
    const value = parsed(line);
    if (value === undefined)
      throw values.length
        ? new Fault(words("The file is damaged or cut off: line {number} is not JSON.", { number: values.length + 1 }))
        : new Fault(words("This is not the Parquet or JSON of bench collect, or llama-bench’s JSON or JSON lines, or it is damaged."));
    if (values.length === MOST_ROWS)
      throw new Fault(words("The file holds more than {most} entries; at most as many are read here.", { most: MOST_ROWS }));
    values.push(value);
  }
  return values;
}

function decoded(bytes) {
  const sixteen = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  try {
    return new TextDecoder(sixteen ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notOurs();
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function ofRows(rows, index) {
  const machines = new Map();
  const broken = []; // rows that cannot be read: whose they are may be what is wrong with them
  for (const [number, value] of rows.entries()) {
    const place = words("Row {number}", { number: number + 1 });
    let row;
    try {
      row = await readRow(value, place, index);
    } catch (error) {
      if (!(error instanceof Fault) || Number(value.schema_version) > index.schema) throw error; // of a newer schema none is read
      broken.push([place, error.message.slice(place.length).replace(/^[,:，：、] ?/, "")]);
      continue;
    }
    const { name, count } = row.device;
    const machine = named(machines, [name, count, row.host], { name, count, tool: "bench collect", device: row.device_id });
    if (row.reason) machine.refused.push([row.label, row.reason]);
    else machine.taken.push(row);
  }
  if (broken.length && !machines.size) throw noFigure(broken[0]);
  const found = finished(machines, index, (row) => row.key, (row) => ({ key: row.key, label: row.label, asked: askedByRow(row) }));
  return found.map((machine) => ({ ...machine, refused: [...machine.refused, ...broken] }));
}

function ofEntries(entries, index) {
  const machines = new Map();
  for (const [number, value] of entries.entries()) {
    const row = readEntry(value, words("Test {number}", { number: number + 1 }), index.quantiles);
    const { name, count, listed } = row.device;
    const { broken, device } = impossible(row, index);
    const machine = named(machines, [name, count], { name: name ?? words("an unnamed device"), count, tool: "llama-bench", device });
    if (broken) machine.refused.push([labelOf(row), words("impossible: {reason}", { reason: broken })]);
    else if (row.status !== "ok") machine.refused.push([labelOf(row), row.detail]);
    else if (!name) machine.refused.push([labelOf(row), words("the file names no device")]);
    else if (listed) machine.refused.push([labelOf(row), words("the file lists several devices, and not which of them ran")]);
    else machine.taken.push({ ...row, kind: "stated", origin: "published", flags: [], time: row.time ?? 0, run: "", cell: row.where, source: "", host: "" });
  }
  const key = (row) => canonical({ ...row.asked, version: row.version });
  return finished(machines, index, key, (row) => ({ key: null, label: labelOf(row), asked: row.asked }));
}

const noFigure = ([label, reason]) =>
  new Fault(words("No figure of this file can be taken. {label}: {reason}.", { label, reason }));

const labelOf = ({ model, asked }) =>
  joined([model, asked.weights, asked.workload, lengthsOf(asked)], ", ");
const lengthsOf = ({ fed, made, depth }) => {
  const count = [fed, made].filter(Boolean).join(" + ");
  return depth ? words("{count} tokens behind {depth}", { count, depth }) : words("{count} tokens", { count });
};

function named(machines, parts, fresh) {
  const key = parts.join("\n");
  if (!machines.has(key)) machines.set(key, { v: 1, ...fresh, refused: [], taken: [] });
  return machines.get(key);
}

function finished(machines, index, keyOf, describe) {
  const taken = [...machines.values()].filter((machine) => machine.taken.length);
  if (!taken.length && machines.size) {
    throw noFigure([...machines.values()].flatMap((machine) => machine.refused)[0]);
  }
  return taken.map(({ taken: rows, ...machine }) => {
    const figures = [...grouped(rows, keyOf).values()].map((group) => {
      const { values, used, job, more } = combine(group, index);
      const newest = used.at(-1);
      return {
        ...describe(newest), values, job, more, unit: newest.unit, kind: newest.kind, version: newest.version, rows: used.length,
        count: used.reduce((sum, row) => sum + (row.count ?? 0), 0) || null,
        flags: [...new Set(used.flatMap((row) => row.flags))],
      };
    });
    return { ...machine, figures, runs: [...new Set(rows.map((row) => row.run))], time: Math.max(...rows.map((row) => row.time ?? 0)) };
  });
}

function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}
