// Folded tables. What is behind the fold is found all the same: by the browser's own search, by an address that leads
// to a row, and by what a reader presses (tables.js). Rows that are marked "until-found" and skipped by a style sheet
// (guide.css) are searched; rows without a display are not.
(() => {
  "use strict";
  const whenIdle = window.requestIdleCallback || ((run) => setTimeout(run, 100));

  function open(node) {
    const table = node?.closest?.("table[data-fold]:not(.is-open, .is-searched)");
    if (!table || !node.closest("tbody")) return false;
    table.closest(".data").querySelector(".data__more")?.click();
    return true;
  }
  // The element that the address names; null where that is no name at all.
  function named() {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null;
    }
  }
  function asked() {
    const node = named();
    if (open(node)) node.scrollIntoView();
  }

  function mark(table) {
    for (const row of table.tBodies[0].rows) row.setAttribute("hidden", "until-found");
  }
  function start(root) {
    asked();
    if (!("onbeforematch" in document.documentElement)) return;
    const tables = [...root.querySelectorAll("table[data-fold]")];
    (function some() {
      if (!tables.length) return;
      mark(tables.shift());
      whenIdle(some);
    })();
  }
  document.addEventListener("beforematch", ({ target }) => open(target));
  window.addEventListener("hashchange", asked);
  document.addEventListener("hwguide:dressed", ({ target }) => whenIdle(() => start(target)));
})();
