// The card of a figure, drawn from its records (guide/show/provenance.py). Loaded by provenance.js when a reader asks
// for the first one.
(() => {
  "use strict";
  const { words, joined, lack, language } = window.hwguideWords;
  const NARROW = matchMedia("(max-width: 44.98em)");
  const loading = new Map(); // file -> promise of its records
  const state = { figure: null, pinned: false, returning: false };
  let card = null;

  const element = (name, className, ...content) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content);
    return made;
  };
  const linkOf = (figure) => figure.querySelector("a[href]");

  // Records ---------------------------------------------------------------------------------------------------

  const origins = () => document.getElementById("figures-from");

  // A script that lies beside the page, so that it is found from a folder on a disk too.
  function load(name) {
    const kept = joined([name, language()], ".");
    const known = window.hwguideRecords?.[kept];
    if (known) return Promise.resolve(known);
    if (!loading.has(kept)) {
      const { folder, files } = origins().dataset;
      const file = files.split(" ").find((one) => one.startsWith(`${name}-`));
      const script = document.createElement("script");
      script.src = new URL(folder + file, document.baseURI).href;
      const done = new Promise((resolve, reject) => {
        script.onload = () => resolve(window.hwguideRecords[kept]);
        script.onerror = () => {
          loading.delete(kept);
          reject(new Error(`${file} could not be loaded`));
        };
      });
      loading.set(kept, done);
      done.then(({ untranslated }) => lack(untranslated), () => {});
      document.head.append(script);
    }
    return loading.get(kept);
  }

  // "ratio:3.17,3.2" -> the rule and the records of its parts, texts in place of their numbers.
  async function read(key) {
    const [, how, parts] = /^(?:([a-z-]+):)?(.+)$/.exec(key);
    const found = await Promise.all(
      parts.split(",").map(async (part) => {
        const [name, place] = part.split(".");
        const { texts, records } = await load(name);
        return unpack(name, records[place], texts);
      }),
    );
    const { texts, records } = await load("how");
    const headings = records[records.length - 1].map((number) => texts[number]);
    const rule = how && records.find((record) => texts[record[0]] === how).map((number) => texts[number]);
    return { rule, parts: found.map((make) => make(headings)) };
  }

  const unpack = (name, record, texts) => {
    const say = (number) => texts[number];
    if (name === "p") {
      const [what, amount, range, age, offers, sources, remark, command] = record.map(say);
      const facts = [
        [words("Seen"), age], [words("Range"), range], [words("Offers"), offers], [words("Source"), sources],
        [words("Remark"), remark],
      ];
      return () => ({ title: words("Price: {what}", { what }), value: amount, facts, command, sources: [sources] });
    }
    if (name === "d") {
      const [title, source, day, confidence, remark] = record.map(say);
      const stated = words("{source}, {day}", { source, day });
      const facts = [
        [words("Stated by"), words("its maker")], [words("Source"), stated], [words("Confidence"), confidence],
        [words("Remark"), remark],
      ];
      return () => ({ title, value: "", facts, sources: [stated] });
    }
    if (name === "a") {
      const [title, ...rest] = record.map(say);
      const facts = rest.flatMap((label, place) => (place % 2 ? [] : [[label, rest[place + 1]]]));
      return () => ({ title: words("Assumptions: {title}", { title }), value: "", facts });
    }
    const [task, system, unit, ended, rate, low, high, combined, rows] = record;
    return (headings) => ({
      title: words("{system}: {task}", { system: say(system), task: say(task) }),
      value: rate === null ? say(ended) : `${amount(rate, say(unit))}${low === null ? "" : ` [${span(low, high)}]`}`,
      raw: { rate, low, high, unit: say(unit) },
      combined: say(combined),
      rows: rows.map(([source, address, command, ...facts]) => ({
        source: say(source),
        address: say(address),
        command: say(command),
        row: say(facts.at(-1)),
        facts: facts.flatMap((place, at) => (at % 2 ? [] : [[headings[place], say(facts[at + 1])]])),
      })),
    });
  };

  // Three significant digits, as guide/show/figures.py has them.
  const places = (value) => (value ? Math.max(0, 2 - Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3)))))) : 0);
  const fixed = (value, digits) =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  function amount(value, unit) {
    const [size, prefix] = (/^(B|FLOP)\/s$/.test(unit) && PREFIXES.find(([least]) => value >= least)) || [1, ""];
    return `${fixed(value / size, places(value / size))}\u00a0${prefix}${unit}`;
  }
  function span(low, high) {
    const size = high >= 1e6 ? PREFIXES.find(([least]) => high >= least)[0] : 1;
    const digits = places(high / size);
    return `${fixed(low / size, digits)}–${fixed(high / size, digits)}`;
  }

  // The card --------------------------------------------------------------------------------------------------

  function make() {
    card = element("div", "provenance");
    card.id = "figure-card";
    card.popover = "manual";
    card.setAttribute("role", "dialog");
    card.tabIndex = -1;
    document.body.append(card);
  }

  const list = (facts) => {
    const made = element("dl", "provenance__facts");
    for (const [heading, text] of facts)
      if (text) made.append(element("div", "", element("dt", "", heading), element("dd", "", text)));
    return made;
  };

  function commandBox(command) {
    const button = element("button", "provenance__copy", words("Copy"));
    button.type = "button";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command);
      button.textContent = words("Copied");
    });
    const made = element("p", "provenance__command", element("code", "", command));
    if (navigator.clipboard) made.append(" ", button);
    return made;
  }

  function rowBox(row) {
    const made = [list(row.facts)];
    if (/^https?:/.test(row.address)) {
      const link = element("a", "", words("Open the source"));
      link.href = row.address;
      link.rel = "noopener";
      made.push(element("p", "provenance__source", link));
    }
    const again = row.command.startsWith("bench import") ? words("Bring it in again") : words("Measure it again");
    if (row.command) made.push(element("p", "provenance__label", again), commandBox(row.command));
    return made;
  }

  function partBody(part) {
    const made = [];
    if (part.combined) made.push(element("p", "provenance__combined", words("This is {combined}.", part)));
    if (part.facts) made.push(list(part.facts));
    if (part.command) made.push(element("p", "provenance__label", words("See its offers")), commandBox(part.command));
    const rows = part.rows || [];
    rows.slice(0, 6).forEach((row, place) => {
      if (rows.length > 1) made.push(element("p", "provenance__label", words("Row {number} of {all}", { number: place + 1, all: rows.length })));
      made.push(...rowBox(row));
    });
    return made;
  }

  // Whose figure, and of what: the headings of its row and column.
  function headingOf(figure) {
    const cell = figure.closest("td, th");
    const table = cell?.closest("table");
    if (!table?.tHead) return "";
    const text = (node) => (node.querySelector("a, .vendor, .dt-column-title, .data__sort") || node).textContent.trim();
    const heading = table.tHead.rows[0].cells[cell.cellIndex];
    const row = cell.parentElement.cells[0];
    const column = heading ? heading.textContent.replace(/\s+/g, " ").trim() : "";
    return joined([row === cell ? "" : text(row), column], ", ");
  }

  const shownBy = (figure) => {
    const copy = figure.cloneNode(true);
    copy.querySelectorAll(".data__sub, .sr, .traced__note").forEach((node) => node.remove());
    return copy.textContent.replace(/\s+/g, " ").trim();
  };

  function fill(figure, { rule, parts }) {
    const heading = headingOf(figure);
    const single = !rule && parts.length === 1 ? parts[0] : null;
    const made = [];
    made.push(element("p", "provenance__title", heading || (single ? single.title : rule?.[1] || "")));
    made.push(element("p", "provenance__value", shownBy(figure)));
    if (figure.dataset.note) made.push(element("p", "provenance__combined", words("{note}.", figure.dataset)));
    if (single) {
      if (heading) made.push(element("p", "provenance__of", single.title));
      made.push(...partBody(single));
    } else {
      if (rule) made.push(element("p", "provenance__rule", words("{title}: {rule}.", { title: rule[1], rule: rule[2] })));
      const names = rule ? rule.slice(3) : [];
      parts.forEach((part, place) => {
        const name = names[Math.min(place, names.length - 1)] || words("It rests on");
        const told = element("summary", "", element("span", "provenance__part", name), ` ${part.value || ""} `);
        told.append(element("span", "provenance__of", part.title));
        made.push(element("details", "provenance__input", told, ...partBody(part)));
      });
    }
    const close = element("button", "provenance__close", "×");
    close.type = "button";
    close.setAttribute("aria-label", words("Close"));
    card.setAttribute("aria-label", words("Where this figure comes from"));
    close.addEventListener("click", hide);
    const body = element("div", "provenance__body", ...made);
    body.id = "figure-card-text";
    card.replaceChildren(close, body);
  }

  function place(figure) {
    const sheet = NARROW.matches;
    card.classList.toggle("provenance--sheet", sheet);
    if (sheet) {
      card.style.left = card.style.top = "";
      return;
    }
    const at = (linkOf(figure) || figure).getBoundingClientRect();
    const room = { width: document.documentElement.clientWidth, height: window.innerHeight };
    const { offsetWidth: width, offsetHeight: height } = card;
    const below = at.bottom + 6 + height <= room.height || at.top < room.height / 2;
    card.style.left = `${Math.max(8, Math.min(at.left - 12, room.width - width - 8))}px`;
    card.style.top = `${Math.max(8, below ? Math.min(at.bottom + 6, room.height - height - 8) : at.top - height - 6)}px`;
  }

  async function show(figure, pinned) {
    if (!card) make();
    if (state.figure !== figure) hide();
    Object.assign(state, { figure, pinned });
    let found;
    try {
      found = await read(figure.dataset.key);
    } catch (error) {
      Object.assign(state, { figure: null, pinned: false });
      throw error;
    }
    if (state.figure !== figure || !figure.isConnected) return; // the reader went on meanwhile
    fill(figure, found);
    if (!card.matches(":popover-open")) card.showPopover();
    place(figure);
    const link = linkOf(figure);
    link?.setAttribute("aria-describedby", "figure-card-text");
    link?.setAttribute("aria-details", "figure-card");
    if (state.pinned) card.querySelector(".provenance__close").focus();
  }

  function hide() {
    const { figure } = state;
    Object.assign(state, { figure: null, pinned: false });
    if (!card?.matches(":popover-open")) return;
    const inside = card.contains(document.activeElement);
    card.hidePopover();
    const link = figure && linkOf(figure);
    link?.removeAttribute("aria-describedby");
    link?.removeAttribute("aria-details");
    state.returning = true; // this focus is no question
    if (inside) link?.focus();
    state.returning = false;
  }

  const has = (node) => Boolean(card?.contains(node));
  const stops = () => [...card.querySelectorAll("button, a[href], summary")].filter((one) => one.checkVisibility());

  NARROW.addEventListener("change", hide);
  window.hwguideCard = { read, show, hide, has, stops, state, forget: () => loading.clear() };
})();
