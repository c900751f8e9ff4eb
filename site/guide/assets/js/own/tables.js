// The reader's machine as rows of the guide's tables: in a group of their own between the head and the guide's
// rows, so that sorting, filtering and tiers pass them by. A table says which tasks it is about:
//   <table data-own='{"tasks": [[key, 1]]}'>   its rows are systems on that task (several: a combined speed)
//   <table data-own='{"ran": {column: [key, …]}}'>   its columns say what ran
//   <th data-task=key>                         the column holds figures of that task
//   <tr data-task=key>                         the row holds a figure of that task
const { times, span, duration, fixed, number } = window.hwguideFigures;
const { words } = window.hwguideWords;

const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

/** The machine's name behind its hollow mark. */
export function nameOf(machine) {
  const made = element("span", "own__name");
  made.append(element("span", "own__mark"), words("Your machine"), element("span", "data__sub", machine.name));
  made.firstChild.setAttribute("aria-hidden", "true");
  return made;
}

const watched = new WeakMap();

/** Shows the machine in every table of the page that is about a task it ran; takes it out of all others. */
export function inTables(page, machine, matched) {
  for (const table of page.querySelectorAll("table.data__table")) {
    if (!table.tHead || !table.tBodies.length) continue;
    inTable(table, machine, matched);
    const row = table.tHead.rows[0];
    if (!machine || !row || watched.has(row)) continue;
    // Columns that are hidden or moved take their cells with them.
    const observer = new MutationObserver(() => inTable(table, window.hwguideOwn.machine, matched));
    observer.observe(row, { childList: true });
    watched.set(row, observer);
  }
}

function inTable(table, machine, matched) {
  table.querySelector(":scope > .own__rows")?.remove();
  if (!machine) return;
  const columns = [...table.tHead.rows[0].cells];
  const about = table.dataset.own && JSON.parse(table.dataset.own);
  const rows = about
    ? [about.ran ? ranRow(columns, about.ran, machine, matched) : systemRow(columns, about, machine, matched)]
    : columns.some((column) => column.dataset.task)
      ? [taskColumns(columns, machine, matched)]
      : figureRows(table, columns, machine, matched);
  const shown = rows.filter(Boolean);
  if (!shown.length) return;
  // A foot may stand before the body in the document; it is shown there, and tBodies stays the guide's own.
  const group = element("tfoot", "own__rows");
  group.append(...shown);
  table.insertBefore(group, table.tBodies[0]);
}

function line(columns, fill) {
  const row = element("tr", "own__row");
  columns.forEach((column, index) => {
    const cell = element(index ? "td" : "th", column.classList.contains("data__number") ? "data__number" : "");
    if (!index) cell.scope = "row";
    cell.dataset.label = column.textContent.trim();
    fill(cell, column.dataset.key ?? "", column);
    if (!cell.childNodes.length) cell.append(element("span", "data__blank", "–"));
    row.append(cell);
  });
  return row;
}

function figure(cell, text, interval, sub) {
  cell.append(text);
  if (interval) cell.append(" ", element("span", "num__interval", `[${interval}]`));
  if (sub) cell.append(element("span", "data__sub", sub));
}

// "134 [133–135]" -> its two parts, as the guide's own cells keep them apart.
const parts = (text) => /^(.*?)(?: \[(.*)\])?$/.exec(text).slice(1);

const GIB = 2 ** 30;
function further(key, value) {
  if (typeof value === "string") return value;
  if (key === "efficiency") return `${fixed(value * 100, value < 0.0995 ? 1 : 0)}\u00a0%`;
  return number(key === "peak_memory_bytes" ? value / GIB : value);
}

const speedOver = (speed) => [times(speed.value), speed.interval ? span(...speed.interval) : ""];

function speedIn(matched, task) {
  const speed = matched.over(task, matched.guide.tasks[task].reference);
  return speed ? speedOver(speed) : ["–"];
}

/** One row for a table of systems on a task, or on a few tasks together. */
function systemRow(columns, { tasks, over, first = "ratio", job = false }, machine, matched) {
  const result = matched.result(tasks[0][0]);
  const reference = over ?? matched.guide.tasks[tasks[0][0]]?.reference;
  const speed = matched.speed(tasks, reference);
  if (!result || (tasks.length > 1 && !speed)) return null;
  return line(columns, (cell, key) => {
    const [rate, interval] = parts(result[5]);
    if (["system", "device"].includes(key)) cell.append(nameOf(machine));
    else if (key in result[8]) cell.append(further(key, result[8][key]));
    else if (key === "job" || (key === "head" && job)) result[7] && cell.append(duration(result[7]));
    else if (["rate", "head"].includes(key)) figure(cell, rate, interval, result[6]);
    else if (["per", "price", "devices"].includes(key)) cell.append(words("yours"));
    else if (key === "speedup" && speed) figure(cell, ...speedOver(speed));
    else if (key === "speed" && first === "rate") figure(cell, rate, interval, speed ? times(speed.value) : "");
    else if (key === "speed" && speed) figure(cell, ...speedOver(speed), rate);
  });
}

/** One row for a table of what ran: nobody says in a file what they did not try. */
function ranRow(columns, ran, machine, matched) {
  const held = (key) => (ran[key] ?? []).some((task) => matched.result(task));
  if (!Object.keys(ran).some(held)) return null;
  return line(columns, (cell, key) => {
    if (key === "system") cell.append(nameOf(machine));
    else if (held(key)) cell.append(words("runs"));
    else if (key in ran) cell.append(element("span", "data__blank", words("not in your file")));
  });
}

/** One row for a table whose columns are tasks. */
function taskColumns(columns, machine, matched) {
  if (!columns.some((column) => column.dataset.task && matched.result(column.dataset.task))) return null;
  return line(columns, (cell, key, column) => {
    const result = column.dataset.task && matched.result(column.dataset.task);
    if (key === "system") cell.append(nameOf(machine));
    else if (column.dataset.task && !result) cell.append(element("span", "data__blank", words("not in your file")));
    else if (result) {
      const [rate, interval] = parts(result[5]);
      const over = matched.over(column.dataset.task, matched.guide.tasks[column.dataset.task].reference);
      figure(cell, rate, interval, over ? times(over.value) : "");
    }
  });
}

// What a cell says, without its second line.
function nameIn(cell) {
  const copy = cell.cloneNode(true);
  for (const sub of copy.querySelectorAll(".data__sub")) sub.remove();
  return copy.textContent.trim();
}

/** A row for each task of a table that has a row for each figure. */
function figureRows(table, columns, machine, matched) {
  const tasks = new Map();
  for (const row of table.tBodies[0].rows) {
    const key = row.dataset.task;
    if (key && !tasks.has(key) && matched.result(key)) tasks.set(key, nameIn(row.cells[0]));
  }
  const alone = !columns.some((column) => column.dataset.key === "system");
  return [...tasks].map(([task, label]) =>
    line(columns, (cell, key) => {
      const [rate, interval] = parts(matched.result(task)[5]);
      if (key === "task") cell.append(label, ...(alone ? [" ", nameOf(machine)] : []));
      else if (key === "system") cell.append(nameOf(machine));
      else if (key === "rate") figure(cell, rate, interval, matched.result(task)[6]);
      else if (key === "speedup") figure(cell, ...speedIn(matched, task));
      else if (key in matched.result(task)[8]) cell.append(further(key, matched.result(task)[8][key]));
    }),
  );
}
