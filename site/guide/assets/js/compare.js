// Compare: two selects over one file of figures; the choice lives in the address (#a=…&b=…). The reader's own
// machine, where there is one (own.js), is one of the systems: #a=own.
(() => {
  "use strict";
  const { words, lack } = window.hwguideWords;
  const { element, table, taskTables, folded, group, summary } = window.hwguidePairs;
  const PHONE = matchMedia("(max-width: 44.98em)");
  const OWN = "own";
  // Groups that stand open, and rows that a group shows at once.
  const openGroups = () => (PHONE.matches ? 1 : 3);
  const shownRows = () => (PHONE.matches ? 5 : 12);

  function render(box, data) {
    const find = (id) => data.systems.find((s) => s.key === box.querySelector(`#compare-${id}`).value);
    const [a, b] = [find("a"), find("b")];
    const root = new URL(box.dataset.root, document.baseURI).href;
    const { count, tables } = taskTables(data, a, b, root, shownRows());
    box.querySelector(".compare__summary").textContent = summary(a, b, count);
    const facts = a.facts.map(([name, text], i) => [{ text: name }, { text }, { text: b.facts[i][1] }]);
    const about = words("What they are");
    const told = table(about, [{ text: "" }, { text: a.label }, { text: b.label }], facts, "data--facts");
    box.querySelector(".compare__facts").replaceChildren(PHONE.matches ? folded(about, told) : told);
    const shown = a.key === b.key ? [] : tables;
    box.querySelector(".compare__tasks").replaceChildren(...shown.map((one, place) => group(one, place < openGroups())));
  }

  const chosen = () => new URLSearchParams(location.hash.slice(1));

  function choose(box, data) {
    const wanted = chosen();
    for (const id of ["a", "b"]) {
      const select = box.querySelector(`#compare-${id}`);
      const key = wanted.get(id);
      if (key && data.systems.some((s) => s.key === key)) select.value = key;
      else if (!select.dataset.ready || !select.value) select.value = box.dataset[id];
      select.dataset.ready = "yes";
    }
    render(box, data);
  }

  function fill(select, systems) {
    const groups = new Map();
    for (const system of systems) groups.set(system.vendor, [...(groups.get(system.vendor) || []), system]);
    const yours = words("Yours");
    const made = [...groups].sort(([x], [y]) => (y === yours) - (x === yours) || x.localeCompare(y, "en"));
    select.replaceChildren(
      ...made.map(([vendor, members]) => {
        const options = element("optgroup");
        options.label = vendor === "Other" ? words("Other") : vendor;
        for (const { key, label } of members) {
          const option = element("option", "", label);
          option.value = key;
          options.append(option);
        }
        return options;
      }),
    );
  }

  // The figures with the reader's machine among the systems, or as they were.
  function withOwn(data) {
    const own = window.hwguideOwn;
    if (!own?.machine) return data;
    const results = {};
    data.tasks.forEach(({ key }, number) => {
      const found = key && own.result(key);
      if (found) results[number] = found;
    });
    if (!Object.keys(results).length) return data;
    // The first three are of the device, the others its prices (guide/views/pairs.py).
    const told = (place) => (place < 3 ? words("not in your file") : words("yours already"));
    const facts = data.systems[0].facts.map(([name], place) => [name, told(place)]);
    const label = words("Your machine ({name})", own.machine);
    const mine = { key: OWN, label, vendor: words("Yours"), page: "", facts };
    return { ...data, systems: [mine, ...data.systems], results: { ...data.results, [OWN]: results } };
  }

  // The system with most tasks in common with the reader's machine; the one that is chosen, if it has any.
  function against(data, chosen) {
    const common = ({ key }) => Object.keys(data.results[OWN]).filter((number) => (data.results[key][number] ?? [null])[0] !== null).length;
    const others = data.systems.filter(({ key }) => key !== OWN);
    const now = others.find(({ key }) => key === chosen);
    return now && common(now) ? chosen : others.reduce((best, one) => (common(one) > common(best) ? one : best)).key;
  }

  // The figures' cards (provenance.js): their keys are asked for when a reader first comes near a figure.
  function cards(box) {
    const tasks = box.querySelector(".compare__tasks");
    let keys = null;
    const mark = () => {
      for (const cell of tasks.querySelectorAll("[data-of]")) {
        const [number, ...systems] = cell.dataset.of.split(" ");
        const found = systems.map((system) => keys[system]?.[number]);
        delete cell.dataset.of;
        if (!found.every(Boolean)) continue; // a reader's own machine
        cell.dataset.key = found.length > 1 ? `ratio:${found.join(",")}` : found[0];
        const link = document.createElement("a");
        link.href = "#figures-from";
        link.append(cell.firstChild.firstChild);
        cell.firstChild.prepend(link);
      }
      for (const table of tasks.querySelectorAll("table")) table.dispatchEvent(new CustomEvent("hwguide:drawn", { bubbles: true }));
    };
    const ask = async () => {
      if (!tasks.querySelector("[data-of]")) return;
      keys ??= fetch(new URL(box.dataset.keys, document.baseURI)).then((answer) => (answer.ok ? answer.json() : {}));
      keys = await keys;
      mark();
    };
    for (const kind of ["pointerover", "focusin", "pointerdown"]) tasks.addEventListener(kind, ask);
  }

  async function start() {
    const box = document.getElementById("compare");
    if (!box || box.dataset.started) return;
    box.dataset.started = "yes";
    if (location.protocol === "file:") {
      document.querySelector(".compare__file").hidden = false;
      for (const place of document.querySelectorAll("#own, #compare")) place.remove(); // their room with them
      return;
    }
    const answer = await fetch(new URL(box.dataset.src, document.baseURI));
    if (!answer.ok) return; // the static pairs stay
    const guides = await answer.json();
    lack(guides.untranslated);
    await window.hwguideOwn?.ready();
    let data = withOwn(guides);
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
    const gone = new AbortController();
    const here = (act) => () => (box.isConnected ? act() : gone.abort());
    window.addEventListener("hashchange", here(() => choose(box, data)), { signal: gone.signal });
    window.addEventListener("hwguide-own", here(() => {
      const before = selects.map((select) => select.value);
      const had = data !== guides;
      data = withOwn(guides);
      const has = data !== guides;
      selects.forEach((select, place) => {
        fill(select, data.systems);
        const key = !has || had ? before[place] : place ? against(data, before[1]) : OWN;
        select.value = data.systems.some((s) => s.key === key) ? key : box.dataset[select.id.at(-1)];
      });
      if (has || had) keep();
    }), { signal: gone.signal });
    choose(box, data);
    cards(box);
    box.hidden = false;
  }

  // For the test that holds the arithmetic against Python.
  window.hwguideCompare = window.hwguideFigures;
  window.document$ ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
