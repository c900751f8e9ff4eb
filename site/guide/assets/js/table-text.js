// What the cells of a table say, and a table as CSV: raw figures with units, intervals, sources. Loaded by tables.js
// together with table-work.js.
(() => {
  "use strict";
  const { words } = window.hwguideWords;

  // Cells -----------------------------------------------------------------------------------------------------

  const textOf = (node) => node.textContent.replace(/\s+/g, " ").trim();
  // The parts of a cell: the figure as shown, ratio, interval, second line.
  function parts(cell) {
    const copy = cell.cloneNode(true);
    const take = (selector) => {
      const found = copy.querySelector(selector);
      found?.remove();
      return found ? textOf(found) : "";
    };
    const sub = take(".data__sub");
    const interval = take(".num__interval").replace(/^\[|\]$/g, "");
    const ratio = take(".data__ratio").replace(/^\(|\)$/g, "");
    return { shown: textOf(copy), sub, interval, ratio };
  }
  const isBlank = (cell) => cell.classList.contains("data__blank");
  const number = (text) => {
    const plain = text.replace(/[$,×%\s]/g, "").replace("\u2212", "-");
    return plain === "" || isNaN(plain) ? null : Number(plain);
  };
  // What a cell sorts by: its key, else its text; null for a blank, which stands last in either direction.
  function key(cell, numeric) {
    if (isBlank(cell)) return null;
    const text = cell.dataset.sort ?? textOf(cell);
    return numeric ? number(text) : text.toLowerCase();
  }
  // CSV -------------------------------------------------------------------------------------------------------

  // Text that a spreadsheet would run as a formula is disarmed; figures are not text.
  const disarmed = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  const quoted = (value) => {
    const text = typeof value === "number" ? String(value) : disarmed(value);
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  // Rows of cells under columns ({title, unit, numeric}) as CSV: raw figures, and what belongs to them in columns
  // of its own.
  async function csv(shown, grid) {
    const traced = await Promise.all(grid.map((row) => Promise.all(row.map(trace))));
    const heads = [];
    const lines = grid.map(() => []);
    shown.forEach(({ numeric, title, unit }, at) => {
      const cells = grid.map((row) => row[at]);
      const found = cells.map(parts);
      const add = (head, values) => {
        heads.push(head);
        values.forEach((value, row) => lines[row].push(value));
      };
      const extra = (name, values) => values.some(Boolean) && add(words("{title}, {name}", { title, name }), values);
      if (!numeric) {
        add(title + (unit ? ` (${unit})` : ""), found.map((part) => part.shown));
      } else {
        const raw = cells.map((cell) => key(cell, true));
        add(title + (unit ? ` (${unit})` : ""), raw.map((value) => value ?? ""));
        const differs = found.some((part, row) => raw[row] !== null && number(part.shown) === null);
        if (differs || !unit) extra(words("as shown"), found.map((part, row) => (number(part.shown) === raw[row] ? "" : part.shown)));
        extra(words("why blank"), cells.map((cell, row) => (isBlank(cell) ? found[row].shown : "")));
      }
      extra(words("ratio"), found.map((part) => (part.ratio ? (number(part.ratio) ?? part.ratio) : "")));
      const ends = found.map((part, row) => (part.interval ? endsOf(part, traced[row][at]) : []));
      extra(words("95 % low"), ends.map(([low]) => low ?? ""));
      extra(words("95 % high"), ends.map(([, high]) => high ?? ""));
      extra(words("note"), found.map((part) => part.sub));
    });
    const told = traced.map(restsOn);
    for (const [place, name] of [words("source"), words("rows")].entries())
      if (told.some((one) => one[place])) {
        heads.push(name);
        told.forEach((one, row) => lines[row].push(one[place]));
      }
    return [heads, ...lines].map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n";
  }

  // The records behind a cell; null where it has none, or they cannot be read.
  async function trace(cell) {
    const { key: asked } = cell.dataset;
    if (!asked) return null;
    try {
      return { asked, ...(await window.hwguideProvenance.read(asked)) };
    } catch {
      return { asked, parts: [] };
    }
  }

  // The ends of an interval as the rows have them, or as they follow for a ratio (guide/analysis/ratios.py); what is shown
  // is rounded.
  function endsOf(part, traced) {
    const [a, b] = (traced?.parts || []).map(({ raw }) => raw);
    const known = (raw) => raw && raw.low !== null;
    if (traced && !traced.rule && known(a)) return [a.low, a.high];
    if (["ratio", "gain"].includes(traced?.rule?.[0]) && known(a) && known(b)) {
      const value = a.rate / b.rate;
      const down = Math.hypot(Math.log(a.rate / a.low), Math.log(b.high / b.rate));
      const up = Math.hypot(Math.log(a.high / a.rate), Math.log(b.rate / b.low));
      return [value * Math.exp(-down), value * Math.exp(up)].map((end) => Number(end.toPrecision(10)));
    }
    return part.interval.split("–").map(number);
  }

  // Sources and rows (run/cell) behind a line; where they cannot be read, the keys of its figures.
  function restsOn(cells) {
    const unique = (list) => [...new Set(list)].join("; ");
    const all = cells.filter(Boolean);
    const found = all.flatMap(({ parts: each }) => each);
    const rows = found.flatMap((part) => part.rows || []);
    const others = found.flatMap((part) => part.sources || []);
    const name = (row) => row.row.replace(", ", "/");
    const unread = all.filter(({ parts: each }) => !each.length).map(({ asked }) => asked);
    return [unique([...rows.map((row) => row.source), ...others]), unique([...rows.map(name), ...unread])];
  }

  window.hwguideTableText = { textOf, parts, isBlank, number, key, csv };
})();
