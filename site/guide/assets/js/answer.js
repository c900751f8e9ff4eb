// What a reader is told under their own numbers, as plain records (text, tables, lists): the sentences of
// guide/decide/wording.py, views/ranking.py, views/answers.py, views/owning.py and views/costs.py, made from decide.js.
// No document here: reader.js draws the records, and tests hold the sentences against Python.
(() => {
  "use strict";
  const { decide, cost, breakEven, fitAll, needLabel, usdPerMillion, usdPerJob } = window.hwguideDecide;
  const { fixed, number, usd, general, plural } = window.hwguideFigures;
  const NBSP = "\u00a0";
  const BOUGHT = ["buy-new", "buy-used"];
  const WHY_NOT = {
    budget: "over the budget",
    "price-stale": "with too old a price",
    "price-missing": "without a price",
    "price-size": "with a price that may be of less memory",
    power: "without a known power",
  };
  const small = (words) => words[0].toUpperCase() + words.slice(1);
  const asDevice = ({ system }) => system.device;
  const least = (list, key) => list.reduce((a, b) => (a === null || key(b) < key(a) ? b : a), null);

  // A scenario -----------------------------------------------------------------------------------------------

  const named = (data, one) => (one.route ? `${one.system.label}, ${data.routes[one.route]}` : one.system.label);

  // As if prices that are too old still held: who would then win.
  function trusting(data) {
    const fresh = (offer) => ({ ...offer, price: offer.price && { ...offer.price, fresh: true } });
    return {
      ...data,
      systems: data.systems.map((s) => (s.offers ? { ...s, offers: s.offers.map(fresh) } : s)),
    };
  }
  const seen = ({ system, route }) => system.offers.find((o) => o.route === route).seen;
  // "$950 (15 May 2024, stale)": a price never stands without its day.
  const dated = (offer) => (offer.price.fresh ? offer.seen : offer.seen.replace(/\)$/, ", stale)"));

  // How plainly a pick may be shown, as guide/decide/wording.py calls it; `grid` is null until it is worked out.
  function callOf({ sure }, ranked, grid) {
    if (!ranked.length) return "none";
    if (new Set(ranked.map(asDevice)).size === 1) return "alone";
    if (!grid || grid.deviceShare >= sure.robust) return "clear";
    return grid.deviceShare >= sure.fragile ? "close" : "depends";
  }

  function headline(data, numbers, ranked, out, grid = null) {
    if (!ranked.length) {
      const [leader] = decide(trusting(data), numbers).ranked;
      const unsure = out.find((one) => one.code === "price-size");
      const small = unsure ? ` ${named(data, unsure)}: the price may be of a machine with less memory.` : "";
      if (!leader)
        return `Not enough evidence: no system that fits and is fast enough has a price inside the budget.${small}`;
      return (
        "Not enough evidence: every price that matters is missing, too old or over the budget. At its last known " +
        `price it would be ${named(data, leader)}: ${seen(leader)}.${small}`
      );
    }
    const pick = ranked[0];
    const scored = data.objective === "fastest" ? "" : `${scoreWords(pick)}, `;
    const what = `${named(data, pick)} at ${seen(pick)}: ${scored}${pick.system.says}`;
    const called = callOf(data, ranked, grid);
    if (called === "alone")
      return new Set(ranked.map(({ system }) => system.key)).size > 1
        ? `Hardly a choice, only versions of one device are left, first ${what}.`
        : `Hardly a choice, the only device left is ${what}.`;
    if (called === "close") return `A close call: ${what}.`;
    if (called !== "depends") return `${what}.`;
    const [best, share] = grid.shares[0];
    const combinations = `${grid.cells} plausible combinations`;
    const often =
      best === named(data, pick)
        ? `no choice wins in half of ${combinations}`
        : `${best}, wins in ${window.hwguideFlips.percent(share)} of ${combinations}`;
    return `It depends: ${often}; with your numbers it is ${what}.`;
  }
  const scoreWords = ({ score, scoreUnit }) =>
    scoreUnit.startsWith("USD ") ? `${usd(score)} ${scoreUnit.slice(4)}` : `${number(score)} ${scoreUnit}`;

  function notes(data, numbers, ranked) {
    const [pick] = ranked;
    if (!pick) return [];
    const lines = [];
    if (pick.fit) lines.push(`${pick.fit.verdict === "tight" ? "Fits only just: " : "Fits: "}${pick.fit.sentence}`);
    const tied = ranked.filter((r) => r.tier === pick.tier && r.system.key !== pick.system.key);
    const labels = [...new Set(tied.map((r) => r.system.label))].sort();
    const more = labels.length > 2 ? ` and ${labels.length - 2} more` : "";
    const same = callOf(data, ranked, null) === "alone" ? ", the same device in another version" : "";
    if (labels.length) lines.push(`Tied with ${labels.slice(0, 2).join(", ")}${more}${same}.`);
    return lines;
  }

  // How many of the pick the budget pays for; null where the question is not asked.
  function howMany(data, { given }, [pick]) {
    if (!data.countHowMany || given.budget_usd === null || !pick) return null;
    const floor = (a, b) => Math.round((a - (a % b)) / b);
    if (pick.price.basis === "card") {
      const rest = given.budget_usd - pick.cost.upFront;
      return 1 + floor(rest, pick.price.usd + given.host_extra_card_usd * pick.system.count);
    }
    return floor(given.budget_usd, pick.cost.total);
  }

  // Why a place is what it is.
  function standing(data, one, first, ranked) {
    const month = `${usd(one.cost.month)} a month`;
    if (one.place === 1) return `The pick: first tier, and the cheapest in it at ${month}.`;
    const best = named(data, first);
    if (one.tier === first.tier)
      return one.cost.month === first.cost.month
        ? `Tied with ${best}, at the same cost: ${month}.`
        : `Tied with ${best}, but dearer: ${month} against ${usd(first.cost.month)}.`;
    const better = least(
      ranked.filter((o) => o.system.speed[0] > one.system.speed[2] && o.cost.month <= one.cost.month),
      (o) => o.cost.month,
    );
    if (better) return `${named(data, better)} is faster and costs no more (${usd(better.cost.month)} against ${month}).`;
    return one.cost.month > first.cost.month
      ? `Tier ${one.tier}, and dearer than ${best}: ${month}.`
      : `Tier ${one.tier}: behind ${best}, though cheaper at ${month}.`;
  }

  // Speeds are those of the model that was timed; for another one only the fit is known.
  function modelNote(data, numbers) {
    const other = numbers.needs.filter((need) => {
      if (!need.model) return false;
      const { shape } = data.models.find((m) => m.name === need.model);
      const { same } = data.dtypes.find((d) => d.name === need.dtype.toLowerCase());
      return !data.timed.some(([model, dtype]) => model === shape && dtype === same);
    });
    if (!other.length) return "";
    const what = other.map((need) => needLabel(data, need)).join("; ");
    return `Speeds are those measured on ${data.task}. ${what}: only whether it fits is worked out, no speed is known.`;
  }

  function ways(data, ranked, out) {
    return data.ways.map((route) => {
      const best = ranked.find((r) => r.route === route);
      const title = small(data.routes[route]);
      if (!best) return { title, none: `Nothing. ${whyNot(out.filter((o) => o.route === route))}` };
      const lines = [`${seen(best)}; ${usd(best.cost.month)} a month`, best.system.briefly];
      return { title, name: best.system.label, lines };
    });
  }
  function whyNot(fell) {
    const told = Object.entries(WHY_NOT)
      .map(([code, words]) => [fell.filter((f) => f.code === code).length, words])
      .filter(([count]) => count)
      .map(([count, words]) => `${count} ${words}`)
      .join(", ");
    if (!told) return "No device that fits has a price of this kind.";
    const over = fell.filter((f) => f.code === "budget");
    over.sort((a, b) => a.price.usd - b.price.usd || (a.system.key < b.system.key ? -1 : 1));
    const tail = over.length ? over[0].reason.slice(over[0].reason.indexOf(": ") + 2) : "";
    const near = over.length ? ` The cheapest over it, ${over[0].system.label}: ${tail}` : "";
    return `Of those that fit: ${told}.${near}`;
  }

  const device = (system, sub) => ({ text: system.label, link: system.page, vendor: system.vendor, sub });
  const amount = (value, more = {}) => ({ text: usd(value), ...more });

  function ranking(data, ranked) {
    if (!ranked.length) return null;
    const unit = ranked[0].scoreUnit;
    const energy = unit.startsWith("J ");
    const heading = energy
      ? ["Energy", unit.replace(" at rated power", "").replace(" per ", "/")]
      : ["Cost", unit.replace(" per million ", "/M ")];
    const scored = data.objective !== "fastest";
    const columns = [
      { title: "Device" },
      { title: "Tier", number: true, help: "Systems of one tier are tied with its best" },
      ...(scored ? [{ title: heading[0], unit: heading[1], number: true }] : []),
      { title: data.speedHeading[0], unit: data.speedHeading[1], number: true },
      { title: "Price", unit: "USD", number: true },
      { title: "A month", unit: "USD", number: true, help: `Under your numbers; 1× is ${data.over}` },
      { title: "Rated", unit: "W", number: true },
      { title: "Fits" },
      { title: "Rests on" },
    ];
    const rows = ranked.map((one) => {
      const { system, cost: spent, fit } = one;
      const hourly = one.route === "rent" ? "/h" : "";
      const price = system.offers.find((o) => o.route === one.route).cell;
      return {
        tone: one.place === 1 ? "is-pick" : one.tier % 2 ? "is-band" : "",
        cells: [
          device(system, data.routes[one.route]),
          { text: String(one.tier), title: standing(data, one, ranked[0], ranked) },
          ...(scored ? [{ text: number(one.score) }] : []),
          system.speedCell,
          { ...price, text: price.text + hourly },
          amount(spent.month, {
            sub: `${usd(spent.month / system.speed[1])} per 1×`.replaceAll(" ", NBSP),
            title: madeOf(spent),
          }),
          system.power === null ? { blank: "not known" } : { text: number(system.power) },
          fitCell(fit),
          system.evidence,
        ],
      };
    });
    return { caption: "In the running under your numbers, best first", columns, rows };
  }
  function madeOf(spent) {
    if (spent.route === "rent") return `${number(spent.hours)} hours a month`;
    const parts = [`${usd(spent.capital)} for the purchase less resale`, `${usd(spent.energy)} for electricity`];
    if (spent.host) parts.push(`with ${usd(spent.host)} for the computer around it`);
    return parts.join(" · ");
  }
  function fitCell(fit) {
    if (!fit) return { blank: "nothing asked" };
    const text = { fits: "fits", tight: "only just" }[fit.verdict] || "not known";
    return { text, sub: fit.basis, tone: fit.verdict === "fits" ? "good" : "warn", title: fit.sentence };
  }

  function fallen(data, out) {
    const told = new Set(data.headings.map(([code]) => code));
    const others = [...new Set(out.map((o) => o.code))].filter((code) => !told.has(code)).sort();
    return [...data.headings, ...others.map((code) => [code, code])]
      .map(([code, title]) => {
        const group = out.filter((o) => o.code === code);
        const byReason = new Map();
        for (const one of group) byReason.set(one.reason, [...(byReason.get(one.reason) || []), named(data, one)]);
        const what = group.some((o) => o.route) ? "choice" : "system";
        return { title, count: plural(group.length, what), rows: [...byReason].map(([why, who]) => [who.join(", "), why]) };
      })
      .filter((group) => group.rows.length);
  }

  // Owning against renting ------------------------------------------------------------------------------------

  function scenarioPairs(ranked) {
    return [...new Set(ranked.map((r) => r.system))].flatMap((system) => {
      const offer = (route) => system.offers.find((o) => o.route === route && o.price);
      const rent = offer("rent");
      return rent ? BOUGHT.map(offer).filter(Boolean).map((own) => ({ system, own, rent })) : [];
    });
  }
  function owning(data, { given }, pairs) {
    if (!pairs.length) return null;
    const columns = [
      { title: "Device" },
      { title: "Bought", unit: "USD", number: true },
      { title: "Rent", unit: "USD an hour", number: true },
      { title: "Owned", unit: "USD a month", number: true },
      { title: "Rented", unit: `USD a month, ${general(given.hours_per_day)} h a day`, number: true },
      { title: "Owning wins from", unit: "hours a day", number: true },
    ];
    const rows = pairs.map((pair) => {
      const { system, own, rent } = pair;
      const even = breakEven(system, own.price, rent.price, given, data.wholeMachine);
      const owned = cost(own.price, system.count, system.power, given, data.wholeMachine).month;
      const rented = cost(rent.price, system.count, null, given).month;
      const unknown = system.power === null ? { sub: "without electricity: power not known" } : {};
      const note = pair.note ? `${data.routes[own.route]}; ${pair.note}` : data.routes[own.route];
      return {
        tone: pair.note || !(own.price.fresh && rent.price.fresh) ? "is-out" : "",
        figures: { owned, rented, even },
        cells: [
          device(system, note),
          own.cell,
          rent.cell,
          amount(owned, unknown),
          amount(rented),
          even === null ? { blank: "never: dearer even at 24 hours" } : { text: fixed(even, 1) },
        ],
      };
    });
    return { caption: "Owned against rented under your numbers", columns, rows };
  }

  // The marks of the chart of speed against money: views/money.py.
  function points(data, { ranked, out }, { given }) {
    const running = ranked.map((one) => ({ ...one, spent: one.cost }));
    const kept = out
      .filter(({ code, price, system }) => (code === "budget" || code === "price-stale") && price && system.speed)
      .map((one) => ({ ...one, spent: cost(one.price, one.system.count, one.system.power, given, data.wholeMachine) }));
    const speedOf = ({ system }) => system.speed[1];
    return [...running, ...kept].map((one) => {
      const [x, speed] = [one.spent.month, speedOf(one)];
      const beaten = running.some((other) => {
        const [paid, fast] = [other.spent.month, speedOf(other)];
        return (fast > speed && paid <= x) || (fast >= speed && paid < x);
      });
      const { mark } = one.system;
      const hollow = !one.place;
      return {
        ...mark, x, hollow, label: named(data, one), frontier: !hollow && !beaten, pick: one.place === 1,
        note: hollow ? one.reason : "", shown_x: usd(x), shown_y: number(mark.y),
      };
    });
  }

  // What takes a moment to find: what would change the answer, and how often each choice wins.
  function later(data, decision, numbers, verdict) {
    const found = window.hwguideFlips.flips(data, decision, numbers);
    if (!found)
      return { flips: { text: "Without a pick there is nothing to hold against other prices." }, shares: { text: "" } };
    const { percent, NOTHING } = window.hwguideFlips;
    const { ranked, out } = decision;
    const none = "No single price or number within the searched ranges changes it.";
    return {
      verdict: {
        ...verdict,
        call: data.calls[callOf(data, ranked, found.grid)],
        headline: headline(data, numbers, ranked, out, found.grid),
      },
      flips: found.flips.length ? { lines: found.flips.map((flip) => flip.sentence), shown: data.flips.shown } : { text: none },
      shares: {
        cells: found.grid.cells,
        shares: found.grid.shares.map(([name, share]) => ({
          name: name === NOTHING ? "Nothing is left to pick" : name,
          share,
          text: percent(share),
        })),
      },
    };
  }

  function scenario(data, numbers) {
    const decision = decide(data, numbers);
    const { ranked, out } = decision;
    const [pick] = ranked;
    const many = howMany(data, numbers, ranked);
    const pairs = scenarioPairs(ranked);
    const lines = notes(data, numbers, ranked);
    if (many) lines.push(`The budget pays for ${many} of it, for work that runs side by side.`);
    const own = owning(data, numbers, pairs);
    pairs.forEach(({ system, own: bought, rent }, i) => {
      if (!pick || system !== pick.system) return;
      const { even } = own.rows[i].figures;
      const how = `${data.routes[bought.route]} for ${dated(bought)}, against ${dated(rent)}`;
      lines.push(
        even === null
          ? `Owning it, ${how}, does not get cheaper than renting even at 24 hours a day.`
          : `Owning it, ${how}, costs less than renting from ${fixed(even, 1)} hours a day on.`,
      );
    });
    const model = modelNote(data, numbers);
    const verdict = {
      call: pick ? "With your numbers" : data.calls.none, // until the grid is worked out
      headline: headline(data, numbers, ranked, out),
      notes: model ? [...lines, model] : lines,
      guide: `The guide's own answer: ${data.headline}`,
    };
    return {
      status: pick
        ? `${named(data, pick)}: ${usd(pick.cost.month)} a month. ${plural(ranked.length, "choice")} in the running.`
        : verdict.headline,
      later: () => later(data, decision, numbers, verdict),
      points: points(data, decision, numbers),
      parts: {
        verdict,
        ways: ways(data, ranked, out),
        ranking: ranking(data, ranked),
        fallen: fallen(data, out),
        owning: own,
      },
    };
  }

  // The page about cost ---------------------------------------------------------------------------------------

  // Why a system is no choice for this reader; "" where it is one.
  function barred(data, numbers, system, rate) {
    const fitted = fitAll(data, numbers.needs, system);
    if (fitted && fitted.verdict === "no") return "too little memory";
    if (fitted && fitted.verdict === "unknown") return "not known to fit";
    return rate !== undefined && rate < numbers.floors[0] ? "too slow" : "";
  }
  const overBudget = (price, system, { given }) =>
    given.budget_usd !== null && cost(price, system.count, system.power, given).total > given.budget_usd;

  function workRows(data, numbers, view) {
    const rows = view.rows.map((row) => {
      const system = data.systems[row.system];
      const choices = Object.entries(row.offers).map(([route, offer]) => {
        const spent = cost(offer.price, system.count, system.power, numbers.given);
        const value = view.job
          ? usdPerJob(spent.month, row.job, spent.hours)
          : usdPerMillion(spent.month, row.rate, spent.hours);
        return { route, offer, value, over: overBudget(offer.price, system, numbers) };
      });
      const note = barred(data, numbers, system, view.job ? undefined : row.rate);
      const open = note ? [] : choices.filter((c) => c.offer.price.fresh && !c.over);
      const fresh = choices.filter((c) => c.offer.price.fresh);
      const best = Math.min(...(open.length ? open : fresh.length ? fresh : choices).map((c) => c.value));
      const rank = open.length ? 0 : note || fresh.length ? 1 : 2;
      return { row, system, choices, note, open, best, rank };
    });
    const byKey = (a, b) => (a.row.system < b.row.system ? -1 : a.row.system > b.row.system ? 1 : 0);
    return rows.sort((a, b) => a.rank - b.rank || a.best - b.best || byKey(a, b));
  }
  const OWNED = { rent: "Rented", "buy-new": "Owned, new", "buy-used": "Owned, used" };
  function work(data, numbers, view) {
    const found = workRows(data, numbers, view);
    const columns = [
      { title: "System" },
      { ...view.head, number: true },
      ...view.routes.map((route) => ({ title: OWNED[route], unit: "USD", number: true })),
    ];
    const rows = found.map(({ row, system, choices, note, open }) => ({
      tone: open.length ? "" : "is-out",
      cells: [
        device(system, note),
        row.cell,
        ...view.routes.map((route) => {
          const choice = choices.find((c) => c.route === route);
          if (!choice) return { blank: "no price seen" };
          const { value, offer, over } = choice;
          const sub = over ? `${offer.at} · over your budget` : offer.at;
          return amount(value, { sub, tone: over || !offer.price.fresh ? "quiet" : "", key: offer.key });
        }),
      ],
    }));
    const cheapest = view.routes
      .map((route) => {
        const open = found.flatMap((f) => f.open.filter((c) => c.route === route).map((c) => [c.value, f.system.label]));
        open.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : x > y ? 1 : 0));
        return open.length ? `${data.routes[route]}: ${open[0][1]}, ${usd(open[0][0])}` : "";
      })
      .filter(Boolean)
      .join("; ");
    return { table: { caption: `${view.caption}, under your numbers`, columns, rows }, cheapest };
  }

  function costPage(data, numbers) {
    const { given } = numbers;
    const pairs = data.owning.map(({ system, own, rent }) => {
      const one = data.systems[system];
      const over = overBudget(own.price, one, numbers) && overBudget(rent.price, one, numbers);
      return { system: one, own, rent, note: barred(data, numbers, one) || (over ? "over your budget" : "") };
    });
    const stale = ({ own, rent }) => !(own.price.fresh && rent.price.fresh);
    pairs.sort((a, b) => Boolean(a.note) - Boolean(b.note) || stale(a) - stale(b));
    const table = owning(data, numbers, pairs);
    const parts = {
      owning: table,
      "owning-words": {
        text:
          "Owned: the card and the computer around it less resale, over " +
          `${number(given.years)} years, and electricity at ${usd(given.usd_per_kwh)} a kWh. Rented: the hours of ` +
          "work. Greyed rows rest on a price that is too old, or are no choice under your numbers.",
      },
      "tokens-words": {
        text:
          "Tokens written, at full use of the hours that are paid for: a machine that waits costs more a token. " +
          "Rented: the hour. Owned: a month of the whole machine under your numbers, at " +
          `${number(given.hours_per_day)} hours a day.` +
          (numbers.needs.some((need) => need.model)
            ? " Rates stay those of the model that a table names; yours only greys what cannot hold it."
            : ""),
      },
    };
    for (const view of data.work) {
      const made = work(data, numbers, view);
      parts[view.id] = made.table;
      parts[`${view.id}-cheapest`] = { text: made.cheapest || "None under your numbers." };
    }
    const open = table ? table.rows.filter((row) => !row.tone) : [];
    const wins = open.filter((row) => row.figures.even !== null && row.figures.even <= given.hours_per_day);
    const often = `${general(given.hours_per_day)} hours a day`;
    return {
      status: open.length
        ? `At ${often} owning costs less than renting for ${wins.length} of ${plural(open.length, "choice")} with prices of today.`
        : "No device that can be bought and rented at prices of today is left under your numbers.",
      parts,
    };
  }

  window.hwguideAnswer = {
    scenario, cost: costPage, callOf, headline, notes, howMany, standing, modelNote, ways, fallen, ranking, owning,
    workRows, scenarioPairs, points,
  };
})();
