// The Compare page's place for a reader's own file: where it is dropped, what was read, what an upgrade would
// bring. Text of the file is only ever set as text.
import { read, Fault } from "./read.js";
import { index, match } from "./match.js";
import { nameOf } from "./tables.js";

const { table, element, verdictOf } = window.hwguidePairs;
const { times, span, usd, perSpeedup, ratio } = window.hwguideFigures;
const { words, counted, phrase, foreign, joined } = window.hwguideWords;

// What each 1x costs by each way of paying, as a heading and as an order.
const ROUTES = {
  "buy-new": [phrase("New: USD per 1×"), phrase("USD per 1×: new")],
  "buy-used": [phrase("Used: USD per 1×"), phrase("USD per 1×: used")],
  rent: [phrase("Rented, an hour: USD per 1×"), phrase("USD per 1×: rented, an hour")],
};
const BASIS = { card: phrase("bare card"), system: phrase("whole computer"), rental: phrase("host included") };
const PHONE = matchMedia("(max-width: 44.98em)");
const shownRows = () => (PHONE.matches ? 3 : 8);

/** Wires the panel up; called once for each time the page comes. */
export function panel(box, own) {
  const said = box.querySelector(".own__said");
  const input = box.querySelector(".own__file");
  const say = (text, bad = false) => {
    said.textContent = text;
    said.classList.toggle("is-bad", bad);
  };
  const busy = { count: 0 };

  async function take(file) {
    const turn = (busy.count += 1); // of two files the later one counts
    say(words("Reading {name} …", { name: file.name.slice(0, 80) }));
    await tried(async () => {
      const machines = await read(file, await index(own.root));
      const place = await first(machines, own.root);
      if (turn === busy.count && box.isConnected) await accept(machines, place);
    });
  }

  async function tried(act) {
    try {
      await act();
    } catch (error) {
      say(error instanceof Fault ? error.message : words("The file cannot be read ({fault}).", { fault: error.message }), true);
    }
  }

  async function accept(machines, place) {
    const { keys, without } = await match(machines[place], own.root);
    if (!keys.length) {
      const reasons = [...new Map(without.map(([label, why]) => [why, label]))].slice(0, 3);
      const told = reasons.map(([why, label]) => words("{label}: {why}", { label, why }));
      const none = counted(
        machines[place].figures.length,
        "None of the {count}\u00a0figure of this file has a counterpart in the guide.",
        "None of the {count}\u00a0figures of this file has a counterpart in the guide.",
      );
      throw new Fault(joined([none, ...told], " "));
    }
    const room = own.keep(machines[place]);
    await own.ready();
    say(room ? "" : words("The browser gives no room to keep it: it is gone when you leave this page."));
    own.others = machines.length > 1 ? { machines, place, choose: (other) => tried(() => accept(machines, other)) } : null;
    show();
  }

  function show() {
    const place = box.querySelector(".own__machine");
    if (!own.machine || !own.matched().keys?.length) return place.replaceChildren();
    return place.replaceChildren(...described(own, forget));
  }

  function forget() {
    own.others = null;
    own.forget();
    show();
    say(words("Forgotten: nothing of your file is left in this browser."));
    input.focus();
  }

  const over = (event, on) => {
    if (!box.isConnected) return;
    event.preventDefault();
    box.classList.toggle("is-over", on);
  };
  const whole = new AbortController(); // a file dropped beside the box must not replace the page
  const listen = { signal: whole.signal };
  document.addEventListener("dragover", (event) => over(event, true), listen);
  document.addEventListener("dragleave", (event) => event.relatedTarget || over(event, false), listen);
  document.addEventListener("drop", (event) => {
    if (!box.isConnected) return whole.abort();
    over(event, false);
    const file = event.dataTransfer?.files[0];
    return file ? take(file) : say(words("That was no file."), true);
  }, listen);
  window.addEventListener("hwguide-own", () => (box.isConnected ? show() : whole.abort()), listen);
  input.addEventListener("change", () => {
    if (input.files[0]) take(input.files[0]);
    input.value = ""; // the same file again is a change, too
  });
  box.hidden = false;
  index(own.root).catch(() => {}); // here before the file is: nothing of the guide is asked for after the drop
  own.ready().then(show);
}

// The first machine of a file with a counterpart in the guide; of a file without any the one with most figures.
async function first(machines, root) {
  for (const [place, machine] of machines.entries()) if ((await match(machine, root)).keys.length) return place;
  return 0;
}

function described(own, forget) {
  const { machine } = own;
  const matched = own.matched();
  const day = machine.time ? new Date(machine.time).toISOString().slice(0, 10) : "";
  const head = element("p", "own__head");
  head.append(nameOf(machine));
  const several = machine.count > 1 && words("{count} devices", machine);
  const facts = joined([several, machine.tool, machine.file, day], ", ");
  const found = counted(
    machine.figures.length - matched.without.length,
    "{count}\u00a0figure of {all} with a counterpart in the guide.",
    "{count}\u00a0figures of {all} with a counterpart in the guide.",
    { all: machine.figures.length },
  );
  const button = element("button", "own__forget", words("Forget it"));
  button.type = "button";
  button.addEventListener("click", forget);
  const note = element(
    "p",
    "own__note",
    joined(
      [
        words("{facts}.", { facts }),
        found,
        known(machine, matched.guide) && words("These results are already in the guide: against the same device there, the file is compared with itself."),
        words("It is read in this browser, sent nowhere, and kept until you close this tab or press the button."),
        words("Until then it stands, hollow and outside the tiers, in every chart and table of the guide about a task that it ran."),
      ],
      " ",
    ),
  );
  return [head, ...others(own), note, button, ...pages(own, matched), upgrades(own, matched), ...lists(machine, matched)];
}

// Whether the guide was made with every run of the file.
const known = ({ runs = [] }, guide) => runs.length > 0 && runs.every((run) => guide.runs.includes(run));

function others({ others: more }) {
  if (!more) return [];
  const label = element("label", "own__which", `${words("Which of the machines in the file?")} `);
  const select = element("select", "compare__select");
  more.machines.forEach((machine, place) => {
    const name = `${machine.count > 1 ? `${machine.count} × ` : ""}${machine.name}`;
    const told = counted(machine.figures.length, "{name}: {count}\u00a0figure", "{name}: {count}\u00a0figures", { name });
    const option = element("option", "", told);
    option.value = place;
    select.append(option);
  });
  select.value = more.place;
  select.addEventListener("change", () => more.choose(Number(select.value)));
  label.append(select);
  return [label];
}

function pages(own, { guide, keys }) {
  const found = [...new Set(keys.map((key) => guide.tasks[key].page))].sort();
  const link = (page, name) => {
    const made = foreign(element("a", "", name));
    made.href = new URL(page, own.root).href;
    return made;
  };
  const line = element("p", "own__pages");
  const titleOf = (page) => page.replace(/\/$/, "").split("/").slice(1).join(": ") || page;
  const named = found.slice(0, 12).flatMap((page, place) => [place ? ", " : "", link(page, titleOf(page))]);
  line.append(...around(words("It also appears on {pages}."), "{pages}", named));
  const same = Object.values(guide.systems).find(({ device, count }) => device && device === own.machine.device && count === own.machine.count);
  if (same) {
    line.append(" ", ...around(words("The guide has figures of such a device, too: {device}."), "{device}", [link(same.page, same.label)]));
  }
  return found.length ? [line] : [];
}

// A sentence with elements in place of its only place.
const around = (sentence, place, parts) => {
  const [before, after] = sentence.split(place);
  return [before, ...parts, after];
};

// What an upgrade brings -------------------------------------------------------------------------------------

/** The systems with a figure on a task, fastest first: [key, system, ratio over the reader's machine]. */
export function gains({ guide, result }, key) {
  const mine = result(key);
  const found = Object.entries(guide.tasks[key].results)
    .filter(([, theirs]) => theirs[0] !== null)
    .map(([name, theirs]) => ({ key: name, system: guide.systems[name], theirs, ratio: ratio(theirs, mine) }));
  return found.sort((a, b) => b.ratio.value - a.ratio.value || (a.key < b.key ? -1 : 1));
}

/** What each 1x of a gain costs by each way of paying: {route: {price, value, interval}}; nothing for no gain. */
export function costs({ system, ratio: gain }) {
  if (gain.verdict !== "faster") return {};
  return Object.fromEntries(system.prices.map((price) => [price.route, { price, ...perSpeedup(price.usd, gain) }]));
}

function upgrades(own, matched) {
  const { guide, keys } = matched;
  const width = (key) => Object.values(guide.tasks[key].results).filter(([rate]) => rate !== null).length;
  const ordered = [...keys].sort((a, b) => width(b) - width(a) || (guide.tasks[a].label < guide.tasks[b].label ? -1 : 1));
  const box = element("div", "own__gains");
  const pick = choice(words("On"), ordered.map((key) => [key, words("{label} ({origin})", guide.tasks[key])]));
  const order = choice(words("Order by"), [["", words("speed")], ...Object.entries(ROUTES).map(([route, [, name]]) => [route, words(name)])]);
  const place = element("div");
  const draw = () => place.replaceChildren(gainsTable(own, matched, pick.select.value, order.select.value));
  for (const { select } of [pick, order]) select.addEventListener("change", draw);
  box.append(pick.label, order.label, place);
  draw();
  return box;
}

function choice(name, options) {
  const label = element("label", "own__which", `${name} `);
  const select = element("select", "compare__select");
  for (const [value, text] of options) {
    const option = element("option", "", text);
    option.value = value;
    select.append(option);
  }
  label.append(select);
  return { label, select };
}

function gainsTable(own, matched, key, order) {
  const { guide, result } = matched;
  const task = guide.tasks[key];
  const rows = gains(matched, key).map((gain) => ({ ...gain, costs: costs(gain) }));
  const price = (row) => (row.costs[order]?.price.fresh ? row.costs[order].value : Infinity);
  if (order) rows.sort((a, b) => price(a) - price(b));
  const headings = [
    { text: words("System") },
    { text: words("Over yours"), numeric: true },
    ...Object.values(ROUTES).map(([name]) => ({ text: words(name), numeric: true })),
  ];
  const lines = rows.map((row) => [
    { text: row.system.label, link: new URL(row.system.page, own.root).href },
    gainCell(row),
    ...Object.keys(ROUTES).map((route) => costCell(row, route)),
  ]);
  const unit = task.unit.includes("FLOP") || task.unit === "B/s" ? "" : task.unit;
  const caption = words("{task}: yours {figure}", { task: task.label, figure: `${result(key)[5]} ${unit}`.trim() });
  const made = table(caption, headings, lines, "data--cards own__table", shownRows());
  made.prepend(element("p", "own__caption", caption));
  made.append(element("p", "own__note", words("Price over speedup, as on the Cost page: the device alone, without the computer around a card. What you own counts for nothing, and is sold for nothing.")));
  return made;
}

function gainCell({ ratio: found }) {
  const sub = found.verdict === "faster" ? "" : verdictOf(found);
  return {
    text: times(found.value),
    interval: found.interval ? span(...found.interval) : "",
    sub: joined([sub, found.interval ? "" : words("no interval stated")], ", "),
    tone: { faster: "good", slower: "bad" }[found.verdict],
  };
}

function costCell({ system, costs: found, ratio: { verdict } }, route) {
  if (verdict !== "faster") return { text: words("no gain"), blank: true };
  const one = found[route];
  if (!one) return { text: system.prices.length ? words("no such price seen") : words("no price seen"), blank: true };
  const { price } = one;
  const doubts = [price.fresh ? "" : words("stale"), price.any_size ? words("perhaps with less memory") : ""];
  const paid = words("at {price}", { price: usd(price.usd[1]) });
  return {
    text: usd(one.value),
    interval: one.interval ? span(...one.interval) : "",
    sub: joined([paid, words(BASIS[price.basis]), price.seen, ...doubts], ", "),
    tone: price.fresh ? "" : "quiet",
  };
}

// What has no place ------------------------------------------------------------------------------------------

const MOST_LISTED = 200;

function lists(machine, matched) {
  return [
    list(
      matched.without,
      counted(
        matched.without.length,
        "{count}\u00a0figure without a counterpart in the guide",
        "{count}\u00a0figures without a counterpart in the guide",
      ),
    ),
    list(machine.refused, counted(machine.refused.length, "{count}\u00a0row not taken", "{count}\u00a0rows not taken")),
  ].filter(Boolean);
}

function list(entries, title) {
  if (!entries.length) return null;
  const box = element("details", "more own__list");
  box.append(element("summary", "", title));
  const lines = element("dl", "fallen__list");
  for (const [label, why] of entries.slice(0, MOST_LISTED)) {
    const line = element("div");
    line.append(element("dt", "", label || words("In the file")), element("dd", "", why));
    lines.append(line);
  }
  if (entries.length > MOST_LISTED) lines.append(element("p", "quiet", words("And {count} more.", { count: entries.length - MOST_LISTED })));
  box.append(lines);
  return box;
}
