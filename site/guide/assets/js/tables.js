// Sorting by a press on a column's heading, and a box that hides rows without the typed text.
(() => {
  "use strict";

  const key = (row, index, numeric) => {
    const cell = row.cells[index];
    if (cell.classList.contains("data__blank")) return null; // last in either direction
    const text = cell.dataset.sort ?? cell.textContent;
    if (!numeric) return text.toLowerCase();
    return isNaN(text) ? null : Number(text);
  };

  const compare = (a, b) => (isNaN(a) || isNaN(b) ? a.localeCompare(b, "en") : a - b);

  function sort(table, heading, index) {
    const numeric = heading.dataset.kind === "number";
    const before = heading.getAttribute("aria-sort");
    const direction = before ? (before === "ascending" ? "descending" : "ascending") : numeric ? "descending" : "ascending";
    const sign = direction === "ascending" ? 1 : -1;
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction);
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, value: key(row, index, numeric) }));
    rows.sort((a, b) => {
      if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
      return sign * compare(a.value, b.value);
    });
    body.append(...rows.map(({ row }) => row));
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((heading, index) => {
      if (heading.querySelector(".data__sort")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "data__sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading, index));
    });
  }

  function makeFilterable(box) {
    const body = document.getElementById(box.getAttribute("aria-controls"));
    const count = box.parentElement.querySelector(".data__count");
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      body.closest("table").classList.toggle("is-searched", words.length > 0);
      count.textContent = words.length ? `${shown} of ${body.rows.length} rows` : "";
    });
  }

  function makeFoldable(table) {
    const box = table.closest(".data");
    if (box.querySelector(".data__more")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "data__more";
    button.setAttribute("aria-expanded", "false");
    const name = () => (button.textContent = table.classList.contains("is-open") ? "Show fewer rows" : `Show all ${table.tBodies[0].rows.length} rows`);
    button.addEventListener("click", () => {
      button.setAttribute("aria-expanded", String(table.classList.toggle("is-open")));
      name();
    });
    name();
    box.append(button);
  }

  function start() {
    document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
    document.querySelectorAll(".data__box").forEach(makeFilterable);
    document.querySelectorAll("table[data-fold]").forEach(makeFoldable);
  }

  window.document$ ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
