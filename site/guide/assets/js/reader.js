// The form for a reader's own numbers. What is typed goes through decide.js and answer.js, which come with the page's
// data when the form is first used; what comes out stands in place of the guide's own parts until "reset".
// The numbers live in the address (#b=3000&h=6), so that a reload and a shared link show the same.
(() => {
  "use strict";
  const { words, counted, phrase, joined, foreign, lack, language } = window.hwguideWords;
  const onDisk = location.protocol === "file:"; // no server that finds a folder's page
  const KEEP_MS = 300; // the address follows when typing rests
  const LATER_MS = 120; // what takes a moment waits for a pause
  let live = null; // of the page that is shown
  let kept = { path: "", state: "" }; // the last numbers that were set, and on which page

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // Scripts, each once a visit -------------------------------------------------------------------------------

  const loaded = new Map();
  function load(address) {
    if (!loaded.has(address)) {
      const arrival = new Promise((resolve, reject) => {
        const script = element("script");
        script.src = address;
        script.async = false;
        script.onload = resolve;
        script.onerror = () => reject(new Error(words("The page's numbers could not be loaded")));
        document.head.append(script);
      });
      arrival.catch(() => loaded.delete(address));
      loaded.set(address, arrival);
    }
    return loaded.get(address);
  }
  async function dataOf(form) {
    const names = [...form.dataset.scripts.trim().split(/\s+/), form.dataset.src];
    for (const name of names) await load(new URL(name, document.baseURI).href);
    const data = window.hwguideAnswers[joined([form.dataset.key, language()], ".")];
    lack(data.untranslated);
    return data;
  }

  // The form and the numbers ---------------------------------------------------------------------------------

  const fields = (form) => [...form.querySelectorAll("input, select")];
  // Letter of a field -> how its number is read from a reader's numbers and put back.
  function slots(data) {
    const found = new Map();
    for (const name of Object.keys(data.given))
      found.set(data.limits[name][0], [(n) => n.given[name], (n, value) => (n.given[name] = value)]);
    const need = { m: "model", d: "dtype", [data.limits.context[0]]: "context" };
    for (const [letter, name] of Object.entries(need))
      found.set(letter, [(n) => n.needs[0][name], (n, value) => (n.needs[0][name] = value)]);
    data.floors.forEach((_, i) => {
      found.set(`${data.limits.floor[0]}${i}`, [(n) => n.floors[i], (n, value) => (n.floors[i] = value)]);
    });
    return found;
  }

  // [value, fault]: a fault is a sentence, and there is no value then.
  function valueOf(field) {
    if (field.tagName === "SELECT") return [field.value, ""];
    const { low, high, whole, optional } = field.dataset;
    const text = field.value.trim();
    if (!text) return optional === undefined ? [null, words("Enter a number.")] : [null, ""];
    const value = window.hwguideDecide.parse(text);
    if (Number.isNaN(value)) return [null, words("Not a number. Write it like {first} or {second}.", { first: "1500", second: "0.25" })];
    if (value < Number(low) || value > Number(high)) {
      const { number, general } = window.hwguideFigures;
      const [least, most] = [low, high].map(Number).map((end) => (end < 100 ? general(end) : number(end)));
      return [null, words("Between {low} and {high}.", { low: least, high: most })];
    }
    if (whole !== undefined && !Number.isInteger(value)) return [null, words("A whole number.")];
    return [value, ""];
  }
  function complain(field, fault) {
    if (field.tagName === "SELECT") return;
    const told = document.getElementById(`${field.id}-error`);
    told.textContent = fault;
    told.hidden = !fault;
    if (fault) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }

  // Drawing --------------------------------------------------------------------------------------------------

  function cell(tag, { text, sub, interval, blank, tone, title, note, sort, link, vendor, key }, column, root) {
    const made = element(tag, column.number ? "data__number" : "");
    if (blank) {
      made.classList.add("data__blank");
      made.textContent = blank;
      return made;
    }
    if (tone) made.classList.add(`tone--${tone}`);
    if (title) made.title = title;
    if (column.number && sort !== undefined) made.dataset.sort = sort;
    if (note && key) made.dataset.note = note; // the card of the figure says it
    else if (note) made.title = note;
    const name = vendor ? element("span", `vendor vendor--${vendor}`, text) : document.createTextNode(text);
    if (key) {
      made.dataset.key = key; // the card of a figure: provenance.js
      const anchor = element("a");
      anchor.href = "#figures-from";
      anchor.append(name);
      made.append(anchor);
    } else if (link === undefined) made.append(name);
    else {
      const anchor = foreign(element("a"));
      anchor.href = new URL(onDisk && link.endsWith("/") ? `${link}index.html` : link, root).href;
      anchor.append(name);
      made.append(anchor);
    }
    if (interval) made.append(" ", element("span", "num__interval", `[${interval}]`));
    if (sub) made.append(element("span", "data__sub", sub));
    return made;
  }
  // As templates/parts/table.html has them, so that tables.js sorts, searches, folds and copies it as any other.
  const TOOL_ROWS = 4; // guide/show/tables.py
  const FOLD_ROWS = 8;
  const FILTER_ROWS = 12;
  function table({ caption, columns, rows }, root, id) {
    const made = element("table", "data__table");
    made.dataset.sortable = "";
    if (rows.length > FOLD_ROWS + 2) made.dataset.fold = "";
    made.append(element("caption", "sr", caption));
    const head = made.createTHead().insertRow();
    for (const { title, unit, number, help } of columns) {
      const heading = element("th", number ? "data__number" : "data__text", title);
      heading.scope = "col";
      heading.dataset.kind = number ? "number" : "text";
      if (help) heading.title = help;
      if (unit) heading.append(" ", element("span", "data__unit", unit));
      head.append(heading);
    }
    const body = made.createTBody();
    body.id = `yours-${id}-body`;
    for (const { tone, cells } of rows) {
      const row = body.insertRow();
      if (tone) row.className = tone;
      cells.forEach((one, i) => row.append(cell(i ? "td" : "th", one, columns[i], root)));
      row.firstChild.scope = "row";
    }
    const scroll = element("div", "data__scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", caption);
    scroll.append(made);
    const box = element("div", "data");
    if (rows.length >= TOOL_ROWS) box.append(tools(rows.length > FILTER_ROWS, caption, body.id));
    box.append(scroll);
    return box;
  }
  function tools(filterable, caption, controls) {
    const made = element("div", "data__tools");
    if (filterable) {
      const label = element("label", "data__filter");
      const input = element("input", "data__box");
      Object.assign(input, { type: "search", placeholder: words("Filter rows"), autocomplete: "off", spellcheck: false });
      input.setAttribute("aria-controls", controls);
      label.append(element("span", "sr", words("Filter: {table}", { table: caption })), input);
      made.append(label);
    }
    const count = element("output", "data__count");
    count.setAttribute("aria-live", "polite");
    made.append(count);
    for (const [act, name] of [["columns", words("Columns")], ["copy", words("Copy as CSV")]]) {
      const button = element("button", "data__do", name);
      button.type = "button";
      button.dataset.do = act;
      if (act === "columns") button.setAttribute("aria-expanded", "false");
      made.append(button);
    }
    return made;
  }
  // What a reader has asked of a table stays when their next number draws it anew.
  function asked(yours) {
    const [open, text] = [yours.querySelector("table.is-open"), yours.querySelector(".data__box")?.value];
    return () => {
      window.hwguideDress?.(yours);
      if (open) yours.querySelector(".data__more")?.click();
      const box = yours.querySelector(".data__box");
      if (!text || !box) return;
      box.value = text;
      box.dispatchEvent(new Event("input", { bubbles: true }));
    };
  }
  function list(name, lines) {
    const made = element("ul", name);
    made.append(...lines.map((line) => element("li", "", line)));
    return made;
  }
  const LEVELS = { low: phrase("Low confidence."), medium: phrase("Medium confidence."), high: phrase("High confidence.") };
  function sureness({ level, held, failed }) {
    const made = element("p", "verdict__sure");
    const dots = element("span", "sure");
    dots.classList.add(`sure--${level}`);
    dots.append(element("i"), element("i"), element("i"));
    dots.setAttribute("aria-hidden", "true");
    made.append(dots, element("strong", "", words(LEVELS[level])), " ");
    if (failed.length) made.append(element("span", "", words("Against it: {doubts}.", { doubts: joined(failed, "; ") })), " ");
    if (held.length) made.append(element("span", "", words("For it: {reasons}.", { reasons: joined(held, "; ") })));
    return made;
  }
  function verdict({ call, headline, notes, guide, sure }, numbers) {
    const made = element("div", "verdict reader__verdict");
    made.append(element("p", "verdict__call", call), element("p", "verdict__headline", headline));
    if (notes.length) made.append(list("verdict__notes", notes));
    if (sure) made.append(sureness(sure));
    const kept = element("p", "verdict__sure");
    kept.append(element("strong", "", numbers), element("span", "", guide));
    made.append(kept);
    return made;
  }
  function ways(found) {
    const made = element("dl", "ways");
    for (const { title, name, lines, none } of found) {
      const group = element("div");
      group.append(element("dt", "", title));
      const told = element("dd", none ? "ways__none" : "", none);
      if (name) told.append(element("strong", "", name), ...lines.flatMap((line) => [" ", element("span", "", line)]));
      group.append(told);
      made.append(group);
    }
    return made;
  }
  function fallen(groups) {
    const made = element("div", "fallen");
    for (const { title, count, rows } of groups) {
      const group = element("details", "more");
      const summary = element("summary", "", `${title} `);
      summary.append(element("span", "quiet", count));
      const told = element("dl", "fallen__list");
      for (const [who, why] of rows) {
        const row = element("div");
        row.append(element("dt", "", who), element("dd", "", why));
        told.append(row);
      }
      group.append(summary, told);
      made.append(group);
    }
    return made;
  }
  function bar(share) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const rect = (name, width) => {
      const part = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [key, value] of Object.entries({ class: name, width, height: 10 })) part.setAttribute(key, value);
      return part;
    };
    made.setAttribute("class", "shares__bar");
    made.setAttribute("viewBox", "0 0 100 10");
    made.setAttribute("preserveAspectRatio", "none");
    made.setAttribute("aria-hidden", "true");
    made.append(rect("meter__all", 100), rect("meter__part", share * 100));
    return made;
  }
  function shares({ cells, shares: found }) {
    const made = element("div");
    const told = element("ul", "shares");
    for (const { name, share, text } of found) {
      const line = element("li");
      line.append(element("span", "shares__key", "·"), element("span", "shares__name", name), bar(share));
      line.append(element("span", "shares__share", text));
      told.append(line);
    }
    const what = words(
      "How often each choice wins if prices, electricity and use turn out otherwise: {cells} combinations that count alike.",
      { cells },
    );
    made.append(element("p", "", what), told);
    return made;
  }
  // The first lines of a list, and the others folded.
  function lines({ lines: all, shown }) {
    const more = all.length - shown;
    if (more <= 0) return list("findings", all);
    const made = element("div");
    const rest = element("details", "more");
    rest.append(element("summary", "", counted(more, "{count}\u00a0more change", "{count}\u00a0more changes")));
    rest.append(list("findings", all.slice(shown)));
    made.append(list("findings", all.slice(0, shown)), rest);
    return made;
  }
  function drawn(name, part, root, numbers) {
    if (!part) return element("p", "quiet", words("Nothing under your numbers."));
    if (name === "verdict") return verdict(part, numbers);
    if (name === "ways") return ways(part);
    if (name === "fallen") return fallen(part);
    if (name === "shares" && part.shares) return shares(part);
    if (part.lines) return lines(part);
    return part.columns ? table(part, root, name) : element("p", "", part.text);
  }

  // Each part of the guide's own that has a reader's twin is hidden while the twin stands behind it.
  function show(parts, root, numbers) {
    for (const guide of document.querySelectorAll("[data-guide]")) {
      const name = guide.dataset.guide;
      if (!(name in parts)) continue;
      let yours = guide.nextElementSibling;
      if (!yours || yours.dataset.yours !== name) {
        yours = element(guide.tagName === "DD" ? "dd" : "div", "reader__yours");
        yours.dataset.yours = name;
        guide.after(yours);
      }
      const opened = [...yours.querySelectorAll("details[open] > summary")].map((s) => s.firstChild.textContent);
      const made = drawn(name, parts[name], root, numbers);
      const dress = asked(yours);
      if (guide.tagName === "DD") yours.textContent = made.textContent;
      else yours.replaceChildren(made);
      dress();
      window.hwguideOwn?.beside(guide, yours); // the reader's own machine, where the guide's table takes it in
      for (const summary of yours.querySelectorAll("summary"))
        summary.parentElement.open = opened.includes(summary.firstChild.textContent);
      guide.hidden = true;
    }
  }
  function showGuide() {
    for (const yours of document.querySelectorAll("[data-yours]")) yours.remove();
    for (const guide of document.querySelectorAll("[data-guide]")) guide.hidden = false;
  }

  // The chart ------------------------------------------------------------------------------------------------

  const DRAWN = "[data-reader-chart] .chart[data-spec]";
  let marks = null; // of the reader's chart; null while the guide's stands
  const told = new WeakMap(); // chart -> what the guide says of it
  function redraw(points) {
    const drawable = points && points.length > 1 ? points : null;
    if (!drawable && !marks) return;
    marks = drawable;
    for (const chart of document.querySelectorAll(DRAWN)) {
      if (!told.has(chart)) told.set(chart, chart.getAttribute("aria-label"));
      window.dispatchEvent(new CustomEvent("hwguide-reader", { detail: chart }));
    }
  }
  window.hwguideReader = {
    // What charts.js has to draw in place of `spec`; null where the guide's own stands.
    chart(chart, spec) {
      const yours = marks && chart.matches(DRAWN);
      chart.toggleAttribute("data-yours-drawn", Boolean(yours));
      if (!told.has(chart)) told.set(chart, chart.getAttribute("aria-label"));
      chart.setAttribute("aria-label", yours ? window.hwguideReaderChart.inWords(marks) : told.get(chart));
      return yours ? window.hwguideReaderChart.withMarks(spec, marks) : null;
    },
  };

  // A page ---------------------------------------------------------------------------------------------------

  class Reader {
    constructor(form, data) {
      Object.assign(this, { form, data, slots: slots(data), timer: 0, written: null });
      this.root = new URL(form.dataset.root, document.baseURI).href;
      this.sound = window.hwguideDecide.own(data);
      this.untouched = new Map(fields(form).map((field) => [field, field.tagName === "SELECT" ? [...field.options].findIndex((o) => o.defaultSelected) : field.defaultValue]));
    }
    get status() {
      return this.form.querySelector(".reader__status");
    }
    // From an address to the fields.
    adopt(hash) {
      this.sound = window.hwguideDecide.read(this.data, hash.slice(1));
      const own = window.hwguideDecide.own(this.data);
      const told = new URLSearchParams(hash.slice(1));
      let refused = 0;
      for (const field of fields(this.form)) {
        const slot = this.slots.get(field.name);
        if (!slot) continue;
        const value = slot[0](this.sound);
        if (value === slot[0](own)) this.restore(field);
        else field.value = String(value);
        complain(field, "");
        const asked = told.get(field.name);
        if (asked !== null && asked !== String(value) && Number(asked) !== value) refused += 1;
      }
      this.draw(0, refused);
    }
    restore(field) {
      const before = this.untouched.get(field);
      if (field.tagName === "SELECT") field.selectedIndex = before;
      else field.value = before;
    }
    // From the fields to the answer; a field that makes no sense keeps its last sound number.
    take() {
      let faults = 0;
      const own = window.hwguideDecide.own(this.data);
      for (const field of fields(this.form)) {
        const slot = this.slots.get(field.name);
        if (!slot) continue;
        const same = field.tagName !== "SELECT" && field.value.trim() === this.untouched.get(field);
        const [value, fault] = same ? [slot[0](own), ""] : valueOf(field);
        complain(field, fault);
        if (fault) faults += 1;
        else slot[1](this.sound, value);
      }
      this.draw(faults);
      this.keep();
    }
    draw(faults, refused = 0) {
      const address = window.hwguideDecide.write(this.data, this.sound);
      const wrong = faults && counted(faults, "One number makes no sense; the last sound one counts.", "{count} numbers make no sense; the last sound ones count.");
      const found = address && window.hwguideAnswer[this.data.kind](this.data, this.sound);
      clearTimeout(this.later);
      if (!found) {
        showGuide();
        redraw(null);
      } else {
        const waiting = { text: words("Being worked out …") };
        show(found.later ? { ...found.parts, flips: waiting, shares: waiting } : found.parts, this.root, this.numbers());
        this.later = setTimeout(() => {
          if (live !== this) return;
          if (found.later) show(found.later(), this.root, this.numbers());
          redraw(found.points);
        }, LATER_MS);
      }
      document.documentElement.classList.toggle("has-reader", Boolean(found));
      kept = { path: location.pathname, state: address ? `#${address}` : "" };
      const passed = refused && counted(refused, "A number in the address was not usable: the guide's stands.", "{count} numbers in the address were not usable: the guide's stand.");
      const status = joined([passed, wrong, found ? found.status : words("These are the guide's numbers.")], " ");
      if (this.status.textContent !== status) this.status.textContent = status;
    }
    // "Budget over the years: 3,000 USD; …": what differs from the guide's own.
    numbers() {
      const own = window.hwguideDecide.own(this.data);
      const told = fields(this.form).flatMap((field) => {
        const slot = this.slots.get(field.name);
        const value = slot && slot[0](this.sound);
        if (!slot || value === slot[0](own)) return [];
        const label = field.labels[0].firstChild.textContent.trim();
        const unit = field.labels[0].querySelector(".reader__unit");
        const shown = field.tagName === "SELECT" ? field.selectedOptions[0].text : value === null ? words("no bound") : window.hwguideFigures.number(value);
        return [joined([label, shown + (unit ? ` ${unit.textContent}` : "")], ": ")];
      });
      return words("Your numbers: {numbers}.", { numbers: joined(told, "; ") });
    }
    keep() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.write(), KEEP_MS);
    }
    write() {
      clearTimeout(this.timer);
      if (live !== this || !this.form.isConnected) return;
      const address = window.hwguideDecide.write(this.data, this.sound);
      const wanted = address ? `#${address}` : location.pathname + location.search;
      if (address || /=/.test(location.hash)) history.replaceState(history.state, "", wanted);
    }
    reset() {
      for (const field of fields(this.form)) {
        this.restore(field);
        complain(field, "");
      }
      this.sound = window.hwguideDecide.own(this.data);
      this.draw(0);
      this.write();
    }
  }

  const isState = (hash) => /^#[a-z]\d*=/.test(hash);

  async function wake(form) {
    if (live && live.form === form) return live;
    const data = await dataOf(form);
    if (live && live.form === form) return live;
    live = new Reader(form, data);
    form.dataset.ready = "yes";
    return live;
  }
  function failed(form) {
    return (error) => (form.querySelector(".reader__status").textContent = words("{fault}. The guide's numbers stand.", { fault: error.message }));
  }

  function start() {
    const form = document.querySelector("form.reader");
    if (!live || live.form !== form) marks = null;
    const known = Boolean(form && live && live.form === form);
    document.documentElement.classList.toggle("has-reader", known && Boolean(kept.state));
    if (!form) live = null;
    if (!form || form.dataset.started) {
      if (known && location.hash && !isState(location.hash)) live.write();
      return;
    }
    form.dataset.started = "yes";
    form.hidden = false;
    for (const field of fields(form)) if (field.tagName !== "SELECT") field.value = field.defaultValue;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("pointerenter", () => wake(form).catch(() => {}), { once: true });
    form.addEventListener("focusin", () => wake(form).catch(failed(form)), { once: true });
    form.addEventListener("input", () => wake(form).then((reader) => reader.take(), failed(form)));
    form.querySelector(".reader__reset").addEventListener("click", () => wake(form).then((reader) => reader.reset(), failed(form)));
    // A link to a section of the page that is shown makes the theme load it anew, without the reader's numbers.
    const same = location.hash && kept.path === location.pathname ? kept.state : "";
    const state = isState(location.hash) ? location.hash : same;
    if (location.hash === `#${form.id}`) form.scrollIntoView(); // it was hidden when the browser looked for it
    if (!state) return;
    wake(form).then((reader) => {
      reader.adopt(state);
      if (state === same) reader.write();
    }, failed(form));
  }

  // Another state in the address is taken up; a link to a section must not lose the one that is shown.
  window.addEventListener("hashchange", () => {
    const form = document.querySelector("form.reader");
    if (!form) return;
    if (isState(location.hash)) wake(form).then((reader) => reader.adopt(location.hash), failed(form));
    else if (live && live.form === form) {
      if (location.hash) live.write();
      else live.reset();
    }
  });

  // With instant navigation on, the theme announces no page that is opened from a disk.
  if (window.document$ && !onDisk) window.document$.subscribe(start);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
