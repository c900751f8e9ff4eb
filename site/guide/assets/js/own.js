// The reader's own machine, beside the guide's: what they dropped on the Compare page, kept for this visit.
//
// Nothing leaves the browser: the file is read here, what was read of it stays in sessionStorage until the tab
// is closed or "Forget it" is pressed, and the only thing fetched is the guide's own assets/data/own.json. The
// machine never enters a tier, a standing or an answer of the guide; where it is shown, it says whose it is.
//
// window.hwguideOwn is for the other scripts:
//   machine               {name, count, tool, file, time, device, figures, refused}, or null when there is none
//   ready()               a promise; when it is kept, the machine has been held against the guide's tasks
//   result(key)           its figure on a task: [rate, low, high, band low, band high, text, remark, seconds of
//                         the whole job or null, {further column: figure}], or null
//   over(key, system)     {value, interval: [low, high] or null, verdict} of it over a system of the guide on a
//                         task, as guide.analysis.ratios makes it; null where one of them has no figure
//   speed(tasks, system)  its speed over a system on [[key, weight], …]: {value, interval}; null unless it has
//                         a figure on every one of them
//   chart(element, spec)  the chart's specification with the machine in it (charts.js asks)
//   beside(guide, yours)  tables that a script drew in place of the guide's take the machine in as those did
//   serial                changes whenever a machine is kept or forgotten
// The event "hwguide-own" on window says that the machine was kept, forgotten, or is ready after a page came.
(() => {
  "use strict";
  const KEPT = "hwguide-own";
  const VERSION = 1;
  const root = new URL("..", document.currentScript.src);
  const code = new URL("own/main.js", document.currentScript.src).href;
  let parts = null; // promise of own/main.js, which readers who dropped nothing never load
  const nothing = { keys: [], without: [], result: () => null, over: () => null, speed: () => null };
  let matched = nothing;
  let working = Promise.resolve();

  const numbers = (values) => Array.isArray(values) && values.length === 5 && values.every((v) => v === null || Number.isFinite(v));

  function kept() {
    try {
      const found = JSON.parse(sessionStorage.getItem(KEPT));
      return found?.v === VERSION && found.figures.every((figure) => numbers(figure.values)) ? found : null;
    } catch {
      return null; // no storage, or nothing of ours in it
    }
  }

  const own = {
    root,
    serial: 0,
    machine: null,
    matched: () => matched,
    ready: () => working,
    result: (key) => matched.result(key),
    over: (key, system) => matched.over(key, system),
    speed: (tasks, system) => matched.speed(tasks, system),
    async chart(element, spec) {
      if (!own.machine || !element.dataset.own) return spec;
      await working;
      return (await parts).inChart(spec, JSON.parse(element.dataset.own), matched);
    },
    beside(guide, yours) {
      const drawn = [...yours.querySelectorAll("table.data__table")];
      [...guide.querySelectorAll("table[data-own]")].forEach((table, place) => {
        if (!drawn[place]) return;
        drawn[place].dataset.own = table.dataset.own;
        const keys = new Map([...table.tHead.rows[0].cells].map((cell) => [cell.textContent.trim(), cell.dataset.key]));
        for (const cell of drawn[place].tHead.rows[0].cells) cell.dataset.key = keys.get(cell.textContent.trim()) ?? "";
      });
      if (own.machine) working.then(async () => (await parts)?.inTables(yours, own.machine, matched));
    },
    /** Keep a machine for this visit. False when the browser gives no room: it then lasts for this page. */
    keep(machine) {
      own.machine = machine;
      own.serial += 1;
      let room = true;
      try {
        sessionStorage.setItem(KEPT, JSON.stringify(machine));
      } catch {
        room = false;
      }
      show();
      return room;
    },
    forget() {
      own.machine = null;
      own.serial += 1;
      sessionStorage.removeItem(KEPT);
      show();
    },
  };

  function show() {
    working = (async () => {
      parts ??= import(code);
      const { match, inTables, besideCharts } = await parts;
      matched = await match(own.machine, root);
      inTables(document, own.machine, matched);
      besideCharts(document, own.machine, matched);
    })().catch((error) => {
      matched = nothing;
      console.warn(`The reader's machine cannot be shown: ${error.message}`);
    });
    working.then(() => window.dispatchEvent(new Event("hwguide-own")));
  }

  async function start() {
    if (location.protocol === "file:") return; // a browser does not let a page read the figures beside it
    own.machine ??= kept();
    const panel = document.getElementById("own");
    if (own.machine) show();
    if (!panel) return;
    parts ??= import(code);
    (await parts).panel(panel, own);
  }

  window.hwguideOwn = own;
  window.document$ ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
