// Tables: headings that sort, a box that finds rows, columns to choose and filter, a copy as CSV. Until a reader
// uses one of these, a table is as it came; then the library (vendor/datatables), table-text.js and
// table-work.js are loaded.
(() => {
  "use strict";
  const { words } = window.hwguideWords;
  const HERE = document.currentScript.src;
  const scripts = new Map(); // address -> promise

  const script = (name) => {
    const { href } = new URL(name, HERE);
    if (!scripts.has(href)) {
      const made = document.createElement("script");
      made.src = href;
      const done = new Promise((resolve, reject) => {
        made.onload = resolve;
        made.onerror = () => {
          scripts.delete(href);
          reject(new Error(words("{name} could not be loaded", { name })));
        };
      });
      scripts.set(href, done);
      document.head.append(made);
    }
    return scripts.get(href);
  };
  async function library() {
    await Promise.all([script("../vendor/datatables/datatables.js"), script("table-text.js")]);
    await script("table-work.js");
    return window.hwguideTables;
  }

  const boxOf = (node) => node.closest(".data");
  const tableOf = (node) => boxOf(node).querySelector(".data__table");

  // The table with the library behind it. A heading, say, was pressed before that was loaded: what it asks for is
  // done when it is.
  async function work(node, ask) {
    const table = tableOf(node);
    try {
      const tables = await library();
      if (table.isConnected) await ask(tables.open(table));
    } catch (error) {
      boxOf(node).querySelector(".data__count")?.replaceChildren(words("This does not work now: {fault}.", { fault: error.message }));
    }
  }

  function makeSortable(table) {
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.querySelector(".data__sort")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "data__sort";
      button.append(...heading.childNodes);
      heading.append(button);
    }
  }

  function makeFoldable(table) {
    const box = boxOf(table);
    if (box.querySelector(".data__more")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "data__more";
    button.setAttribute("aria-expanded", "false");
    box.append(button);
    nameFold(button);
  }
  function nameFold(button) {
    const table = tableOf(button);
    const open = table.classList.contains("is-open");
    button.textContent = open
      ? words("Show fewer rows")
      : words("Show all {count} rows", { count: table.tBodies[0].rows.length });
  }
  function fold(button) {
    button.setAttribute("aria-expanded", String(tableOf(button).classList.toggle("is-open")));
    nameFold(button);
  }

  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const button = target.closest(".data__sort, .data__more, [data-do]");
    if (!button || !boxOf(button)) return;
    if (button.matches(".data__more")) fold(button);
    else if (button.matches(".data__sort")) work(button, (it) => it.sort(button.closest("th").cellIndex));
    else if (button.dataset.do === "columns") work(button, (it) => it.panel(button));
    else if (button.dataset.do === "copy") work(button, (it) => it.copy());
  });
  document.addEventListener("input", ({ target }) => {
    if (target instanceof Element && target.matches(".data__box")) work(target, (it) => it.search(target.value));
  });
  // On the way to a table's tools the library is fetched, so that the press itself need not wait.
  for (const kind of ["pointerover", "focusin"])
    document.addEventListener(kind, ({ target }) => {
      if (target instanceof Element && target.closest(".data__tools, .data__sort")) library().catch(() => {});
    });

  /** Makes the tables below an element sort and fold: those of a page, or those that a script has drawn. */
  function dress(root) {
    window.hwguideTables?.forget();
    root.querySelectorAll("table[data-sortable]").forEach(makeSortable);
    root.querySelectorAll("table[data-fold]").forEach(makeFoldable);
    root.dispatchEvent(new CustomEvent("hwguide:dressed", { bubbles: true })); // folds.js, table-near.js
  }
  const start = () => dress(document);
  window.hwguideDress = dress;

  // From a disk the theme has no instant navigation, and tells nobody that the page is there.
  const instant = window.document$ && location.protocol !== "file:";
  instant ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
