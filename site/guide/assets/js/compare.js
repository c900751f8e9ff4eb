// Compare: two selects over one file of figures; the choice lives in the address (#a=…&b=…).
// The arithmetic is that of guide/ratios.py, and a test holds the two against each other.
(() => {
  "use strict";
  const MINUS = "\u2212";

  const decimals = (value) => {
    if (value === 0) return 0;
    return Math.max(0, 2 - Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3))))));
  };
  const fixed = (value, places) =>
    value
      .toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places })
      .replace("-", MINUS);
  const times = (value) => `×${fixed(value, decimals(value))}`;
  const span = (low, high) => {
    const [least, most] = [Math.abs(low), Math.abs(high)].sort((x, y) => x - y);
    let places = decimals(most);
    if (fixed(low, places) === fixed(high, places)) places = decimals(least);
    return `${fixed(low, places)}–${fixed(high, places)}`;
  };

  // [rate, low, high, band low, band high, …] of both sides -> ratio, its interval, verdict.
  function ratio(a, b) {
    const value = a[0] / b[0];
    const tied = a[3] <= b[4] && b[3] <= a[4];
    const verdict = tied ? "tied" : value > 1 ? "faster" : "slower";
    if (a[1] === null || b[1] === null) return { value, interval: null, verdict };
    const down = Math.hypot(Math.log(a[0] / a[1]), Math.log(b[2] / b[0]));
    const up = Math.hypot(Math.log(a[2] / a[0]), Math.log(b[0] / b[1]));
    return { value, interval: [value * Math.exp(-down), value * Math.exp(up)], verdict };
  }

  // A ratio as people say it: how many times as fast the faster one is, whichever that is.
  function howMuch({ value, interval }) {
    const up = value >= 1;
    const ends = interval && (up ? interval : [1 / interval[1], 1 / interval[0]]);
    return { text: times(up ? value : 1 / value), interval: ends && span(...ends), sub: ends ? "" : "no interval stated" };
  }

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  function table(caption, headings, rows, kind = "") {
    const made = element("table", "data__table");
    made.append(element("caption", "sr", caption));
    const head = made.createTHead().insertRow();
    for (const { text, numeric, link } of headings) {
      const cell = element("th", numeric ? "data__number" : "data__text", link ? undefined : text);
      if (link) {
        const anchor = element("a", "", text);
        anchor.href = link;
        cell.append(anchor);
      }
      cell.scope = "col";
      head.append(cell);
    }
    const body = made.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach(({ text, sub, interval, blank, tone }, index) => {
        const numeric = headings[index].numeric;
        const cell = element(index ? "td" : "th", numeric ? "data__number" : "data__text", text);
        if (!index) cell.scope = "row";
        cell.dataset.label = headings[index].text;
        if (blank) cell.classList.add("data__blank");
        if (tone) cell.classList.add(`tone--${tone}`);
        if (interval) cell.append(" ", element("span", "num__interval", `[${interval}]`));
        if (sub) cell.append(element("span", "data__sub", sub));
        line.append(cell);
      });
    }
    const scroll = element("div", "data__scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", caption);
    scroll.append(made);
    const box = element("div", `data ${kind}`);
    box.append(scroll);
    return box;
  }

  function side(result) {
    if (!result) return { text: "not run", blank: true };
    return result[0] === null ? { text: result[1], blank: true } : { text: result[5], sub: result[6] };
  }

  function taskTables(data, a, b, root) {
    const one = data.results[a.key];
    const two = data.results[b.key];
    const groups = new Map();
    const count = { faster: 0, slower: 0, tied: 0, first: 0, second: 0 };
    data.tasks.forEach((task, number) => {
      const x = one[number];
      const y = two[number];
      const hasX = x && x[0] !== null;
      const hasY = y && y[0] !== null;
      if (hasX && !hasY) count.first += 1;
      if (hasY && !hasX) count.second += 1;
      if (!(hasX && hasY) && !(x && y && (hasX || hasY))) return; // nothing to hold against each other
      const row = [{ text: task.label, sub: task.unit }, side(x), side(y)];
      if (hasX && hasY) {
        const found = ratio(x, y);
        count[found.verdict] += 1;
        row.push(
          { text: found.verdict, tone: { faster: "good", slower: "bad" }[found.verdict] },
          howMuch(found),
        );
      } else row.push({ text: "–", blank: true }, { text: "only one has a figure", blank: true });
      const name = `${task.origin}: ${task.kind.split(",")[0]}`;
      groups.set(name, [...(groups.get(name) || []), row]);
    });
    const headings = [
      { text: "Task" },
      { text: a.label, numeric: true, link: root + a.page },
      { text: b.label, numeric: true, link: root + b.page },
      { text: "First is" },
      { text: "By", numeric: true },
    ];
    return { count, tables: [...groups].map(([name, rows]) => ({ name, box: table(name, headings, rows, "data--cards") })) };
  }

  // The first groups stand open; the others open at a press, so that the pairs below stay in reach.
  const OPEN_GROUPS = 3;
  function group({ name, box }, index) {
    const made = element("details", "more compare__group");
    made.open = index < OPEN_GROUPS;
    const rows = box.querySelectorAll("tbody tr").length;
    const summary = element("summary", "", `${name} `);
    summary.append(element("span", "quiet", plural(rows, "task")));
    made.append(summary, box);
    return made;
  }

  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  function summary(a, b, count) {
    const common = count.faster + count.slower + count.tied;
    if (a.key === b.key) return "Choose two different systems.";
    const alone = count.first + count.second
      ? ` ${plural(count.first, "task")} with a figure of the first only, ${count.second} of the second only.`
      : "";
    if (!common) return `No task has a figure for both: they cannot be compared.${alone}`;
    return (
      `${plural(common, "task")} in common: ${a.label} is faster than ${b.label} on ${count.faster}, ` +
      `slower on ${count.slower}, tied on ${count.tied}.${alone}`
    );
  }

  function render(box, data) {
    const find = (id) => data.systems.find((s) => s.key === box.querySelector(`#compare-${id}`).value);
    const a = find("a");
    const b = find("b");
    const root = new URL(box.dataset.root, document.baseURI).href;
    const { count, tables } = taskTables(data, a, b, root);
    box.querySelector(".compare__summary").textContent = summary(a, b, count);
    const facts = a.facts.map(([name, text], i) => [{ text: name }, { text }, { text: b.facts[i][1] }]);
    box
      .querySelector(".compare__facts")
      .replaceChildren(table("What they are", [{ text: "" }, { text: a.label }, { text: b.label }], facts));
    const shown = a.key === b.key ? [] : tables;
    box.querySelector(".compare__tasks").replaceChildren(...shown.map(group));
  }

  const chosen = () => new URLSearchParams(location.hash.slice(1));

  function choose(box, data) {
    const wanted = chosen();
    for (const id of ["a", "b"]) {
      const select = box.querySelector(`#compare-${id}`);
      const key = wanted.get(id);
      if (key && data.systems.some((s) => s.key === key)) select.value = key;
      else if (!select.dataset.ready) select.value = box.dataset[id];
      select.dataset.ready = "yes";
    }
    render(box, data);
  }

  function fill(select, systems) {
    const groups = new Map();
    for (const system of systems) groups.set(system.vendor, [...(groups.get(system.vendor) || []), system]);
    for (const [vendor, members] of [...groups].sort(([x], [y]) => x.localeCompare(y, "en"))) {
      const group = element("optgroup");
      group.label = vendor;
      for (const { key, label } of members) {
        const option = element("option", "", label);
        option.value = key;
        group.append(option);
      }
      select.append(group);
    }
  }

  async function start() {
    const box = document.getElementById("compare");
    if (!box || box.dataset.started) return;
    box.dataset.started = "yes";
    if (location.protocol === "file:") {
      document.querySelector(".compare__file").hidden = false;
      return;
    }
    const answer = await fetch(new URL(box.dataset.src, document.baseURI));
    if (!answer.ok) return; // the static pairs stay
    const data = await answer.json();
    const selects = ["a", "b"].map((id) => box.querySelector(`#compare-${id}`));
    const keep = () => {
      history.replaceState(history.state, "", `#a=${selects[0].value}&b=${selects[1].value}`);
      render(box, data);
    };
    selects.forEach((select) => {
      fill(select, data.systems);
      select.addEventListener("change", keep);
    });
    box.querySelector(".compare__swap").addEventListener("click", () => {
      [selects[0].value, selects[1].value] = [selects[1].value, selects[0].value];
      keep();
    });
    const onHash = () => (box.isConnected ? choose(box, data) : window.removeEventListener("hashchange", onHash));
    window.addEventListener("hashchange", onHash);
    choose(box, data);
    box.hidden = false;
  }

  window.hwguideCompare = { ratio, times, span, howMuch }; // for the test that holds it against Python
  window.document$ ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
