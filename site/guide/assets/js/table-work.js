// A table with DataTables behind it: sorting by the figures themselves, searching, choosing and filtering columns,
// a copy as CSV. Loaded by tables.js when a reader first uses one of these.
(() => {
  "use strict";
  const { DataTable } = window;
  const { words, counted } = window.hwguideWords;
  const opened = new Map(); // table -> what it can do

  const { textOf, parts, isBlank, number, key, csv } = window.hwguideTableText;

  // Sorting ---------------------------------------------------------------------------------------------------

  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en"));
  const ordered = (sign) => (a, b) =>
    a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b);

  for (const type of ["figure", "words"]) {
    DataTable.type(type, {
      order: { asc: ordered(1), desc: ordered(-1) },
      search: (html) => html.replace(/<[^>]*>/g, " "),
    });
    DataTable.ext.order[type] = ({ api }, column) => {
      const cells = api.column(column, { order: "index" }).nodes().toArray();
      return cells.map((cell) => key(cell, type === "figure"));
    };
  }

  // A table ---------------------------------------------------------------------------------------------------

  // Rows that came in by another script since (a reader's own machine) are not known to the library: begin anew.
  const outdated = ({ table, api }) => {
    const known = new Set(api.rows().nodes().toArray());
    return [...table.tBodies[0].rows].some((row) => !known.has(row) && !row.querySelector(".dt-empty"));
  };

  function open(table) {
    const before = opened.get(table);
    if (before && !outdated(before.it)) return before;
    before?.it.api.destroy();
    const headings = [...table.tHead.rows[0].cells];
    const columns = headings.map((heading) => {
      const numeric = heading.dataset.kind === "number";
      const [title, unit] = [".data__title", ".data__unit"].map((part) => {
        const found = heading.querySelector(part);
        return found ? textOf(found) : "";
      });
      return { numeric, title: title || textOf(heading).slice(0, textOf(heading).length - unit.length).trim(), unit };
    });
    const focused = document.activeElement;
    const api = new DataTable(table, {
      paging: false,
      info: false,
      autoWidth: false,
      order: [],
      ordering: { handler: false, indicators: false },
      layout: { topStart: null, topEnd: null, bottomStart: null, bottomEnd: null },
      language: {
        zeroRecords: words("No row is left. Clear the box or the filters above."),
        emptyTable: words("No rows."),
      },
      columns: columns.map(({ numeric }) => ({
        type: numeric ? "figure" : "words",
        orderDataType: numeric ? "figure" : "words",
        orderSequence: numeric ? ["desc", "asc", ""] : ["asc", "desc", ""],
      })),
    });
    if (table.contains(focused)) focused.focus({ preventScroll: true }); // its place in the heading was taken apart
    const it = { table, api, columns, headings, filters: new Map() };
    api.on("draw", () => drawn(it));
    const can = {
      it,
      sort: (place) => sort(it, place),
      search: (text) => api.search(text).draw(),
      panel: (button) => panel(it, button),
      copy: () => copy(it),
    };
    opened.set(table, can);
    return can;
  }

  const box = ({ table }) => table.closest(".data");
  const say = (it, text) => box(it).querySelector(".data__count")?.replaceChildren(text); // a small table has no tools

  function drawn(it) {
    const left = it.api.rows({ search: "applied" }).count();
    const all = it.api.rows().count();
    const narrowed = Boolean(it.api.search()) || it.filters.size > 0;
    it.table.classList.toggle("is-searched", narrowed);
    say(it, narrowed ? words("{left} of {all} rows", { left, all }) : "");
    it.table.dispatchEvent(new CustomEvent("hwguide:drawn", { bubbles: true }));
  }

  // The place of a heading among those that are shown -> the column's own place; the third press is the guide's order.
  function sort({ api }, place) {
    const column = api.column.index("fromVisible", place);
    const sequence = api.settings()[0].columns[column].orderSequence;
    const [now] = api.order().filter(([index]) => index === column);
    const next = now ? sequence[sequence.indexOf(now[1]) + 1] : sequence[0];
    api.order(next ? [[column, next]] : []).draw();
  }

  // Columns and filters ---------------------------------------------------------------------------------------

  function panel(it, button) {
    let made = box(it).querySelector(".data__panel");
    if (!made) {
      made = document.createElement("div");
      made.className = "data__panel";
      made.id = `${it.table.tBodies[0].id}-columns`;
      made.setAttribute("role", "group");
      made.setAttribute("aria-label", words("Columns and filters"));
      it.columns.forEach((column, place) => made.append(line(it, column, place)));
      made.hidden = true;
      made.addEventListener("keydown", ({ key: pressed }) => {
        if (pressed !== "Escape") return;
        show(false);
        button.focus();
      });
      button.setAttribute("aria-controls", made.id);
      box(it).querySelector(".data__tools").after(made);
    }
    const show = (open) => {
      made.hidden = !open;
      button.setAttribute("aria-expanded", String(open));
    };
    show(made.hidden);
  }

  const field = (type, label, changed) => {
    const made = document.createElement("input");
    made.type = type;
    made.setAttribute("aria-label", label);
    if (type === "number") made.step = "any";
    made.addEventListener("input", changed);
    return made;
  };

  // One column: whether it is shown, and which of its cells count.
  function line(it, column, place) {
    const made = document.createElement("div");
    made.className = "data__column";
    const label = document.createElement("label");
    const check = field("checkbox", column.title, () => it.api.column(place).visible(check.checked));
    check.checked = true;
    check.disabled = place === 0; // the first column says whose row it is
    label.append(check, ` ${column.title}`, column.unit ? ` (${column.unit})` : "");
    made.append(label);
    if (column.numeric && shownAsSorted(it, place)) {
      const [from, to] = [words("from"), words("to")].map((end) => {
        const label = words("{column}, {end}", { column: column.title, end });
        const input = field("number", label, () => bound(it, place, from, to));
        input.placeholder = end;
        return input;
      });
      made.append(from, to);
    } else {
      const label = words("{column}, contains", { column: column.title });
      const input = field("search", label, () => contains(it, place, input.value));
      input.placeholder = words("contains");
      made.append(input);
    }
    return made;
  }

  // Whether what stands in the column's cells is in the unit of what they sort by: only then can it be asked for.
  function shownAsSorted({ api }, place) {
    const cells = api.column(place).nodes().toArray().filter((cell) => !isBlank(cell));
    return cells.length > 0 && cells.every((cell) => {
      const [shown, raw] = [number(parts(cell).shown), key(cell, true)];
      return shown !== null && raw !== null && Math.abs(shown - raw) <= 0.02 * Math.abs(raw);
    });
  }

  function narrow(it, place, keeps) {
    if (keeps) it.filters.set(place, keeps);
    else it.filters.delete(place);
    const { api } = it;
    const cell = (row) => api.cell(row, place).node();
    api.column(place).search.fixed("own", keeps ? (_, __, row) => keeps(cell(row)) : null).draw();
  }
  function contains(it, place, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    narrow(it, place, words.length ? (cell) => words.every((word) => textOf(cell).toLowerCase().includes(word)) : null);
  }
  function bound(it, place, from, to) {
    const [low, high] = [from, to].map(({ value }) => (value === "" ? null : Number(value)));
    const keeps = (cell) => {
      const value = key(cell, true);
      return value !== null && (low === null || value >= low) && (high === null || value <= high);
    };
    narrow(it, place, low === null && high === null ? null : keeps);
  }

  // Copying ---------------------------------------------------------------------------------------------------

  async function copy(it) {
    const { api, columns } = it;
    const shown = columns.map((column, place) => ({ ...column, place })).filter(({ place }) => api.column(place).visible());
    const rows = api.rows({ search: "applied", order: "applied" }).indexes().toArray();
    const text = await csv(shown, rows.map((row) => shown.map(({ place }) => api.cell(row, place).node())));
    const count = rows.length;
    const done = await put(text);
    say(it, done ? counted(count, "Copied {count} row as CSV", "Copied {count} rows as CSV") : words("The browser does not let a page copy"));
  }
  async function put(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea"); // a page from a disk has no clipboard of its own
      area.value = text;
      area.className = "sr";
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  // Tables of pages that the reader has left.
  function forget() {
    for (const table of [...opened.keys()]) if (!table.isConnected) opened.delete(table);
    DataTable.settings.splice(0, DataTable.settings.length, ...DataTable.settings.filter((one) => one.table.isConnected));
  }

  window.hwguideTables = { open, forget };
})();
