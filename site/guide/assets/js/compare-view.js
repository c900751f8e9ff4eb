// How the Compare page draws two systems: tables of their facts and of the tasks that both have run.
(() => {
  "use strict";
  const { ratio, howMuch, withinBand } = window.hwguideFigures;
  const { words, counted, phrase, joined, foreign } = window.hwguideWords;
  const VERDICT = { faster: phrase("faster"), slower: phrase("slower"), tied: phrase("tied") };
  const verdictOf = (found) => (withinBand(found) ? words("tied (within the band)") : words(VERDICT[found.verdict]));

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const linked = (cell, text, link) => {
    if (!link) return void cell.append(text);
    const anchor = foreign(element("a", "", text));
    anchor.href = link;
    cell.append(anchor);
  };

  // A table of text; with `shown`, further rows come at the press of a button.
  function table(caption, headings, rows, kind = "", shown = Infinity) {
    const made = element("table", "data__table");
    made.append(element("caption", "sr", caption));
    const head = made.createTHead().insertRow();
    for (const { text, numeric, link } of headings) {
      const cell = element("th", numeric ? "data__number" : "data__text");
      linked(cell, text, link);
      cell.scope = "col";
      head.append(cell);
    }
    const body = made.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach(({ text, sub, interval, blank, tone, link, of }, index) => {
        const cell = element(index ? "td" : "th", headings[index].numeric ? "data__number" : "data__text");
        if (!index) cell.scope = "row";
        cell.dataset.label = headings[index].brief ?? headings[index].text;
        if (blank) cell.classList.add("data__blank");
        if (tone) cell.classList.add(`tone--${tone}`);
        if (of && !blank) cell.dataset.of = of.join(" "); // whose figure, for its card
        const inside = element("div"); // a card sets it beside its name
        linked(inside, text, link);
        if (interval) inside.append(" ", element("span", "num__interval", `[${interval}]`));
        if (sub) inside.append(element("span", "data__sub", sub));
        cell.append(inside);
        line.append(cell);
      });
      line.hidden = body.rows.length > shown;
    }
    const scroll = element("div", "data__scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", caption);
    scroll.append(made);
    const box = element("div", `data ${kind}`);
    box.append(scroll);
    if (body.rows.length > shown) box.append(more(body));
    return box;
  }

  function more(body) {
    const button = element("button", "data__more", words("Show all {count} rows", { count: body.rows.length }));
    button.type = "button";
    button.addEventListener("click", () => {
      for (const row of body.rows) row.hidden = false;
      body.rows[0].cells[0].closest("table").parentElement.focus();
      button.remove();
    });
    return button;
  }

  function side(result) {
    if (!result) return { text: words("not run"), blank: true };
    return result[0] === null ? { text: result[1], blank: true } : { text: result[5], sub: result[6] };
  }

  // The tasks of two systems, by origin and workload, and on how many of them which is faster.
  function taskTables(data, a, b, root, shown) {
    const [one, two] = [data.results[a.key], data.results[b.key]];
    const groups = new Map();
    const count = { faster: 0, slower: 0, tied: 0, first: 0, second: 0 };
    data.tasks.forEach((task, number) => {
      const [x, y] = [one[number], two[number]];
      const hasX = x && x[0] !== null;
      const hasY = y && y[0] !== null;
      if (hasX && !hasY) count.first += 1;
      if (hasY && !hasX) count.second += 1;
      if (!(hasX && hasY) && !(x && y && (hasX || hasY))) return; // nothing to hold against each other
      const mine = (...systems) => ({ of: [number, ...systems.map(({ key }) => key)] });
      const row = [{ text: task.label, sub: task.unit }, { ...side(x), ...mine(a) }, { ...side(y), ...mine(b) }];
      if (hasX && hasY) {
        const found = ratio(x, y);
        count[found.verdict] += 1;
        row.push({ text: verdictOf(found), tone: { faster: "good", slower: "bad" }[found.verdict] }, { ...howMuch(found), ...mine(a, b) });
      } else row.push({ text: "–", blank: true }, { text: words("only one has a figure"), blank: true });
      const name = words("{origin}: {kind}", { origin: task.origin, kind: task.kind });
      groups.set(name, [...(groups.get(name) || []), row]);
    });
    const page = (system) => (system.page ? root + system.page : "");
    const headings = [
      { text: words("Task") },
      { text: a.label, numeric: true, link: page(a), brief: words("First") },
      { text: b.label, numeric: true, link: page(b), brief: words("Second") },
      { text: words("First is") },
      { text: words("By"), numeric: true },
    ];
    const tables = [...groups].map(([name, rows]) => ({ name, rows: rows.length, box: table(name, headings, rows, "data--pair", shown) }));
    return { count, tables };
  }

  // What opens at a press, so that what follows stays in reach.
  function folded(name, content, open = false) {
    const made = element("details", "more");
    made.open = open;
    made.append(element("summary", "", name), content);
    return made;
  }
  function group({ name, rows, box }, open) {
    const made = folded(`${name} `, box, open);
    made.classList.add("compare__group");
    made.firstChild.append(element("span", "quiet", counted(rows, "{count}\u00a0task", "{count}\u00a0tasks")));
    return made;
  }

  function summary(a, b, count) {
    const common = count.faster + count.slower + count.tied;
    if (a.key === b.key) return words("Choose two different systems.");
    const alone =
      count.first + count.second > 0 &&
      counted(
        count.first,
        "{count}\u00a0task with a figure of the first only, {second} of the second only.",
        "{count}\u00a0tasks with a figure of the first only, {second} of the second only.",
        { second: count.second },
      );
    const told = common
      ? counted(
          common,
          "{count}\u00a0task in common: {a} is faster than {b} on {faster}, slower on {slower}, tied on {tied}.",
          "{count}\u00a0tasks in common: {a} is faster than {b} on {faster}, slower on {slower}, tied on {tied}.",
          { a: a.label, b: b.label, faster: count.faster, slower: count.slower, tied: count.tied },
        )
      : words("No task has a figure for both: they cannot be compared.");
    return joined([told, alone], " ");
  }

  window.hwguidePairs = { element, table, taskTables, folded, group, summary, verdictOf };
})();
