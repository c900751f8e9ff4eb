// Figures that can be asked where they come from. A figure is an element with a key (data-key) and a link to its
// origin at the page's end; guide/show/provenance.py says what keys are. Hovering and focus show a card, a press or a
// tap opens it: focus goes in, Escape closes it. The card itself is figure-card.js, loaded when it is first asked
// for; without it, and without a script, the links lead to the list of origins.
(() => {
  "use strict";
  if (!HTMLElement.prototype.showPopover) return;
  const HERE = document.currentScript.src;
  const WAIT_MS = { show: 250, hide: 250 };
  const FIGURE = "tbody [data-key], .num[data-key], .traced[data-key]";
  const figureOf = (target) => (target instanceof Element ? target.closest(FIGURE) : null);
  const linkOf = (figure) => figure.querySelector("a[href]");
  const live = () => window.hwguideCard;
  let timer = 0;
  let drawing = null; // promise of figure-card.js

  const drawn = () =>
    (drawing ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL("figure-card.js", HERE).href;
      script.onload = () => resolve(live());
      script.onerror = () => {
        drawing = null;
        reject(new Error("figure-card.js could not be loaded"));
      };
      document.head.append(script);
    }));

  async function show(figure, pinned) {
    clearTimeout(timer);
    try {
      await (await drawn()).show(figure, pinned);
    } catch {
      if (pinned) location.hash = linkOf(figure)?.hash || ""; // the list of origins is part of the page
    }
  }
  function hide() {
    clearTimeout(timer);
    live()?.hide();
  }
  const shown = () => live()?.state.figure || null;
  const pinned = () => Boolean(live()?.state.pinned);
  const inCard = (node) => Boolean(live()?.has(node));

  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (inCard(target)) clearTimeout(timer);
    const figure = figureOf(target);
    if (!figure || pointerType !== "mouse" || pinned()) return;
    clearTimeout(timer);
    if (figure !== shown()) timer = setTimeout(() => show(figure, false), WAIT_MS.show);
  });
  document.addEventListener("pointerout", ({ target, relatedTarget, pointerType }) => {
    const from = figureOf(target) || (inCard(target) && live().state.figure);
    if (!from || pointerType !== "mouse" || from.contains(relatedTarget) || inCard(relatedTarget)) return;
    clearTimeout(timer);
    if (!pinned()) timer = setTimeout(hide, WAIT_MS.hide);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (live()?.state.returning) return;
    const figure = figureOf(target);
    if (figure && target.matches("a") && target.matches(":focus-visible")) {
      if (figure !== shown()) show(figure, false);
    } else if (shown() && !pinned() && !inCard(target)) hide();
  });
  document.addEventListener(
    "click",
    (event) => {
      const figure = figureOf(event.target);
      const link = event.target instanceof Element && event.target.closest("a");
      if (figure && (!link || link === linkOf(figure))) {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        event.stopPropagation(); // the theme's own navigation would follow the link
        show(figure, true);
      } else if (shown() && !inCard(event.target)) hide();
    },
    true,
  );
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape" && shown()) {
        event.stopPropagation();
        hide();
      } else if (event.key === "Tab" && pinned() && inCard(document.activeElement)) keepInside(event);
      else if (figureOf(event.target)) walk(event);
    },
    true,
  );
  window.addEventListener("scroll", () => shown() && !pinned() && hide(), { passive: true });

  function keepInside(event) {
    const stops = live().stops();
    const [first, last] = [stops[0], stops[stops.length - 1]];
    if (document.activeElement !== (event.shiftKey ? first : last)) return;
    event.preventDefault();
    (event.shiftKey ? last : first).focus();
  }

  // In a table the arrow keys go from figure to figure: one stop of the Tab key is enough for all of them.
  function walk(event) {
    const cell = event.target.closest("td, th");
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!cell || !step) return;
    const rows = [...cell.closest("tbody").rows].filter((row) => row.checkVisibility() && row.offsetHeight);
    let [y, x] = [rows.indexOf(cell.parentElement), cell.cellIndex];
    for (;;) {
      [y, x] = [y + step[0], x + step[1]];
      const next = rows[y]?.cells[x];
      if (!next) return;
      const link = next.matches("[data-key]") && linkOf(next);
      if (!link) continue;
      event.preventDefault();
      event.target.closest("table").querySelectorAll("[data-key] a[tabindex='0']").forEach((one) => (one.tabIndex = -1));
      link.tabIndex = 0;
      link.focus();
      return;
    }
  }

  // One figure of each table takes part in the order of the Tab key.
  function rove(table) {
    const links = [...table.querySelectorAll("tbody [data-key] > a, tbody [data-key] > div > a")];
    if (!links.length || links.some((link) => link.tabIndex === 0 && link.hasAttribute("tabindex"))) return;
    links.forEach((link, number) => (link.tabIndex = number ? -1 : 0));
  }
  const whenIdle = window.requestIdleCallback || ((run) => setTimeout(run, 100));

  function start() {
    hide();
    live()?.forget();
    const tables = [...document.querySelectorAll("article table")];
    (function some() {
      if (!tables.length) return;
      rove(tables.shift());
      whenIdle(some);
    })();
  }
  document.addEventListener("hwguide:drawn", ({ target }) => rove(target));

  window.hwguideProvenance = { read: async (key) => (await drawn()).read(key) }; // for copies of tables
  // From a disk the theme has no instant navigation, and tells nobody that the page is there.
  const instant = window.document$ && location.protocol !== "file:";
  instant ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
