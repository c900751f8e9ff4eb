// The reader's machine in a chart's specification, drawn hollow, in ink: as a bar of its own above the tiers, as
// a line over a length, or, where it has no price, as a level across the plane of price and speed. A chart says
// what it is about in data-own:
//   {"kind": "bars", "tasks": [[key, 1]]}                           speedup over the task's reference; the rate
//                                                                   itself with "first": "rate"
//   {"kind": "lines", "points": [[x, key], …]}                      rate over a length
//   {"kind": "count", "tasks": [[key, 1]]}                          rate over the number of devices
//   {"kind": "tiles", "points": [[x, y, key], …]}                   rate of each cell of a heat map
//   {"kind": "level", "tasks": [[key, weight], …], "first": "ratio" or "rate", "over": system}
const { times, span, number } = window.hwguideFigures;
const { words, joined, counted } = window.hwguideWords;

const mine = () => words("Your machine");
const INK = "var(--chart-ink)";

/** The specification with the machine in it; as it was where the machine has no figure for it. */
export function inChart(spec, about, matched) {
  const draw = { bars, lines, count: lines, tiles, level }[about.kind];
  const copy = structuredClone(spec);
  return draw?.(copy, about, matched) ? copy : spec;
}

// The places of lines: a machine stands at its own number of devices.
const onLines = ({ kind, points, tasks }) => (kind === "count" ? [[window.hwguideOwn.machine?.count ?? 1, tasks[0][0]]] : points);

/** The machine's figure in words beneath each chart that it is in, for those who cannot see the drawing. */
export function besideCharts(page, machine, matched) {
  for (const chart of page.querySelectorAll(".chart[data-own]")) {
    if (chart.nextElementSibling?.classList.contains("own__line")) chart.nextElementSibling.remove();
    const text = machine && inWords(JSON.parse(chart.dataset.own), matched);
    if (!text) continue;
    const line = document.createElement("p");
    line.className = "own__line";
    const mark = document.createElement("span");
    mark.className = "own__mark";
    line.append(mark, words("Your machine, {name}: {figures}.", { name: machine.name, figures: text }));
    chart.after(line);
  }
}

function inWords(about, matched) {
  const { kind, tasks, points, over, first } = about;
  const unit = matched.guide.tasks[tasks ? tasks[0][0] : points[0].at(-1)]?.unit ?? "";
  const said = ([, , , , , text]) => (text.includes(unit) ? text : `${text} ${unit}`);
  if (kind === "lines" || kind === "count") {
    const found = onLines(about).map(([x, key]) => [x, matched.result(key)]).filter(([, result]) => result);
    const at = (x) => (kind === "count" ? counted(x, "{count} device", "{count} devices") : number(x));
    return joined(found.map(([x, result]) => words("{rate} at {length}", { rate: said(result), length: at(x) })), ", ");
  }
  if (kind === "tiles") {
    const found = points.map(([x, y, key]) => [x, y, matched.result(key)]).filter(([, , result]) => result);
    const at = ([x, y, result]) => words("{rate} at batch {batch}, length {length}", { rate: said(result), batch: number(y), length: number(x) });
    return joined(found.map(at), "; ");
  }
  const result = matched.result(tasks[0][0]);
  if (first === "rate") return result && said(result);
  const speed = matched.speed(tasks, over ?? matched.guide.tasks[tasks[0][0]]?.reference);
  if (!speed) return null;
  if (!speed.interval) return words("{ratio}, no interval stated", { ratio: times(speed.value) });
  return `${times(speed.value)} [${span(...speed.interval)}]`;
}

const layersOf = (spec) => spec.layer ?? [spec];

/** Each scale of that channel, in all layers. */
function scales(spec, channels) {
  return layersOf(spec).flatMap((layer) => channels.map((name) => layer.encoding?.[name]?.scale)).filter(Boolean);
}

function addColour(spec, channels, colour) {
  for (const scale of scales(spec, channels)) {
    if (!scale.domain || scale.domain.includes(mine())) continue;
    scale.domain = [...scale.domain, mine()];
    scale.range = [...scale.range, colour];
  }
}

function widen(spec, channel, most) {
  for (const scale of scales(spec, [channel])) if (scale.domain && scale.domain[1] < most) scale.domain = [scale.domain[0], most];
}

function bars(spec, { tasks, first }, matched) {
  const reference = matched.guide.tasks[tasks[0][0]]?.reference;
  const result = matched.result(tasks[0][0]);
  const rate = result && { value: result[0], interval: result[1] === null ? null : [result[1], result[2]] };
  const speed = first === "rate" ? rate : matched.speed(tasks, reference);
  const rows = spec.datasets?.rows;
  if (!speed || !rows?.length) return false;
  const [low, high] = speed.interval ?? [];
  const text = first === "rate" ? number(speed.value) : times(speed.value);
  const end = Math.max(speed.value, high ?? 0);
  const name = `=${mine()}`; // guide/charts/theme.py: NAMED
  const row = { label: mine(), name, vendor: mine(), value: speed.value, end, hollow: true, band: false, text, missing: false, note: "" };
  const step = spec.height / rows.length;
  spec.datasets.rows = [{ ...row, ...(speed.interval && { low, high, interval: span(low, high) }) }, ...rows];
  spec.height += step;
  for (const layer of layersOf(spec)) {
    if (layer.height) layer.height += step;
    const sort = layer.encoding?.y?.sort;
    if (Array.isArray(sort)) layer.encoding.y.sort = [name, ...sort];
  }
  addColour(spec, ["color", "stroke"], INK);
  widen(spec, "x", end * 1.15);
  return true;
}

function lines(spec, about, matched) {
  const found = onLines(about).map(([x, key]) => [x, matched.result(key)]).filter(([, result]) => result);
  if (!found.length || !spec.datasets?.rows) return false;
  const marks = found.map(([x, [y, low, high]], place) => ({
    series: mine(), x, y, shown: number(y), last: place === found.length - 1, ...(low !== null && { low, high }),
  }));
  spec.datasets.rows = [...spec.datasets.rows, ...marks];
  addColour(spec, ["color"], INK);
  for (const layer of layersOf(spec)) {
    for (const channel of [layer.encoding?.color, layer.encoding?.strokeDash]) {
      if (channel?.legend === null) delete channel.legend; // one line needed none
    }
  }
  for (const scale of scales(spec, ["strokeDash"])) {
    scale.domain = [...scale.domain, mine()];
    scale.range = [...scale.range, [1, 3]];
  }
  for (const layer of layersOf(spec)) {
    if (layer.mark?.type !== "point") continue;
    layer.mark.strokeWidth = 2;
    layer.encoding.stroke = { ...layer.encoding.color };
    layer.encoding.fillOpacity = { condition: { test: `datum.series === '${mine()}'`, value: 0 }, value: 1 };
  }
  widen(spec, "y", Math.max(...marks.map((row) => row.high ?? row.y)) * 1.05);
  return true;
}

// In each cell of a heat map, beneath the guide's figure.
function tiles(spec, { points }, matched) {
  const inks = new Map((spec.datasets?.rows ?? []).map((row) => [`${row.x} ${row.y}`, row.ink]));
  const found = points.map(([x, y, key]) => [x, y, matched.result(key)]).filter(([, , result]) => result);
  const figures = layersOf(spec).find((layer) => layer.mark?.type === "text");
  if (!found.length || !figures) return false;
  const values = found.map(([x, y, [rate]]) => ({
    x, y, text: words("yours {rate}", { rate: number(rate) }), ink: inks.get(`${x} ${y}`) ?? INK,
  }));
  figures.mark.dy = -6;
  layersOf(spec).push({
    data: { values },
    mark: { ...figures.mark, dy: 9, fontSize: 11, fontStyle: "italic" },
    encoding: { ...figures.encoding },
  });
  return true;
}

function level(spec, { tasks, over, first = "ratio" }, matched) {
  const reference = over ?? matched.guide.tasks[tasks[0][0]]?.reference;
  const speed = matched.speed(tasks, reference);
  const result = matched.result(tasks[0][0]);
  if (!result || !(speed || first === "rate")) return false;
  const y = first === "rate" ? result[0] : speed.value;
  const [row] = scales(spec, ["y"]);
  if (row?.domain && (y < row.domain[0] || y > row.domain[1])) {
    for (const scale of scales(spec, ["y"])) scale.domain = [Math.min(scale.domain[0], y * 0.9), Math.max(scale.domain[1], y * 1.1)];
  }
  const scale = row ? { scale: { ...row } } : {};
  const at = { y: { datum: y, type: "quantitative", ...scale } };
  const text = words("{name}: {figure}", { name: mine(), figure: first === "rate" ? number(y) : times(y) });
  layersOf(spec).push(
    { data: { values: [{}] }, mark: { type: "rule", color: INK, strokeWidth: 1.5, strokeDash: [2, 3] }, encoding: at },
    {
      data: { values: [{}] },
      mark: { type: "text", align: "right", dy: -7, fontWeight: 600, color: INK, text },
      encoding: { ...at, x: { value: "width" } },
    },
  );
  return true;
}
