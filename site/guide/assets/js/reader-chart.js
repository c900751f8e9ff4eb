// The chart of speed against money with the marks of answer.js in place of the guide's: the same specification, its
// axes as wide as the marks need (guide/charts/scatter.py). charts.js asks for it whenever it draws.
(() => {
  "use strict";
  const { number, usd } = window.hwguideFigures;
  const { words, joined } = window.hwguideWords;

  function ends(spec, channel, rows, low, high) {
    const most = Math.max(...rows.map((row) => Math.max(row[channel], row[high] ?? 0)));
    const least = Math.min(...rows.map((row) => Math.min(row[channel], row[low] ?? row[channel])));
    for (const layer of spec.layer) {
      const { scale, axis } = layer.encoding[channel] ?? {};
      if (!scale?.domain) continue;
      const log = scale.type === "log" && least > 0;
      if (!log && scale.type === "log") delete scale.type;
      scale.domain = log ? [least / 1.3, most * (channel === "y" ? 1.3 : 1.6)] : [0, most * 1.12];
      if (axis) delete axis.values; // where the guide's own powers of ten lie
    }
  }

  // The side on which a layer of names writes them; undefined where the guide's chart names nobody.
  function side(spec) {
    const filters = spec.layer.flatMap((layer) => layer.transform ?? []).map((step) => String(step.filter));
    return filters.map((text) => text.match(/^datum\.side === (\d+)$/)).find(Boolean)?.[1];
  }

  function withMarks(given, marks) {
    const spec = structuredClone(given);
    const named = side(spec);
    const rows = marks.map(({ pick, ...row }) => (pick && named !== undefined ? { ...row, side: Number(named) } : row));
    rows.sort((a, b) => a.x - b.x || b.y - a.y);
    spec.datasets.rows = rows;
    ends(spec, "x", rows, "x", "x");
    ends(spec, "y", rows, "low", "high");
    return spec;
  }

  function inWords(marks) {
    const best = marks.filter((mark) => mark.frontier).sort((a, b) => a.x - b.x);
    const told = best.map(({ label, x, y }) =>
      words("{choice} ({price} a month, {speed})", { choice: label, price: usd(x), speed: number(y) }),
    );
    const count = marks.length;
    const first = words("Scatter chart of speed against USD a month under your numbers, {count} marks.", { count });
    const choices = joined(told, "; ");
    return choices
      ? joined([first, words("Nothing is both cheaper and faster than: {choices}.", { choices })], " ")
      : first;
  }

  window.hwguideReaderChart = { withMarks, inWords };
})();
