// What a reader is told under their own numbers, as plain records (text, tables, lists): the sentences of
// guide/decide/wording.py, views/ranking.py, views/answers.py, views/owning.py and views/work_costs.py, made from decide.js.
// No document here: reader.js draws the records, and tests hold the sentences against Python.
(() => {
  "use strict";
  const { decide, named, cost, over, breakEven, fitAll, needLabel, usdPerMillion, usdPerJob } = window.hwguideDecide;
  const { fixed, number, usd, general } = window.hwguideFigures;
  const { words, counted, phrase, joined } = window.hwguideWords;
  const NBSP = "\u00a0";
  const BOUGHT = ["buy-new", "buy-used"];
  const WHY_NOT = {
    budget: phrase("{count} over the budget"),
    "price-stale": phrase("{count} with too old a price"),
    "price-missing": phrase("{count} without a price"),
    "price-size": phrase("{count} with a price that may be of less memory"),
    power: phrase("{count} without a known power"),
  };
  const BASIS = { measured: phrase("measured"), computed: phrase("computed") };
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const asDevice = ({ system }) => system.device;
  const least = (list, key) => list.reduce((a, b) => (a === null || key(b) < key(a) ? b : a), null);

  // A scenario -----------------------------------------------------------------------------------------------


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
  const dated = ({ price, seen: told }) => {
    const [, paid, day] = /^(.*?) ?[(（](.*)[)）]$/.exec(told);
    return price.fresh ? told : words("{price} ({day}, stale)", { price: paid, day });
  };

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
      const small =
        unsure && words("{choice}: the price may be of a machine with less memory.", { choice: named(unsure) });
      const none = leader
        ? words(
            "Not enough evidence: every price that matters is missing, too old or over the budget. " +
              "At its last known price it would be {choice}: {seen}.",
            { choice: named(leader), seen: seen(leader) },
          )
        : words("Not enough evidence: no system that fits and is fast enough has a price inside the budget.");
      return joined([none, small], " ");
    }
    const pick = ranked[0];
    const says =
      data.objective === "fastest"
        ? pick.system.says
        : words("{score}, {speed}", { score: scoreWords(data, pick), speed: pick.system.says });
    const what = words("{choice} at {seen}: {says}", { choice: named(pick), seen: seen(pick), says });
    const called = callOf(data, ranked, grid);
    if (called === "alone")
      return new Set(ranked.map(({ system }) => system.key)).size > 1
        ? words("Hardly a choice, only versions of one device are left, first {what}.", { what })
        : words("Hardly a choice, the only device left is {what}.", { what });
    if (called === "close") return words("A close call: {what}.", { what });
    if (called !== "depends") return words("{what}.", { what });
    const [best, part] = grid.shares[0];
    const { cells } = grid;
    const often =
      best === named(pick)
        ? words("no choice wins in half of {cells} plausible combinations", { cells })
        : words("{best}, wins in {share} of {cells} plausible combinations", {
            best, cells, share: window.hwguideFlips.percent(part),
          });
    return words("It depends: {often}; with your numbers it is {what}.", { often, what });
  }
  const scoreWords = (data, { score, scoreUnit }) =>
    scoreUnit.startsWith("USD ")
      ? words("{amount} per million {work}", { amount: usd(score), work: data.done.many })
      : words("{amount} per {work} at rated power", { amount: `${number(score)} J`, work: data.done.one });

  function notes(data, numbers, ranked) {
    const [pick] = ranked;
    if (!pick) return [];
    const lines = [];
    if (pick.fit)
      lines.push(
        pick.fit.verdict === "tight" ? words("Fits only just: {sentence}", pick.fit) : words("Fits: {sentence}", pick.fit),
      );
    const tied = ranked.filter((r) => r.tier === pick.tier && r.system.key !== pick.system.key);
    const labels = [...new Set(tied.map((r) => r.system.label))].sort();
    if (!labels.length) return lines;
    const told = { names: joined(labels.slice(0, 2), ", "), count: labels.length - 2 };
    if (callOf(data, ranked, null) === "alone")
      lines.push(
        told.count > 0
          ? words("Tied with {names} and {count} more, the same device in another version.", told)
          : words("Tied with {names}, the same device in another version.", told),
      );
    else lines.push(told.count > 0 ? words("Tied with {names} and {count} more.", told) : words("Tied with {names}.", told));
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
    const told = { month: usd(one.cost.month), less: usd(first.cost.month), best: named(first), tier: one.tier };
    if (one.place === 1) return words("The pick: first tier, and the cheapest in it at {month} a month.", told);
    if (one.tier === first.tier)
      return one.cost.month === first.cost.month
        ? words("Tied with {best}, at the same cost: {month} a month.", told)
        : words("Tied with {best}, but dearer: {month} a month against {less}.", told);
    const better = least(
      ranked.filter((o) => o.system.speed[0] > one.system.speed[2] && o.cost.month <= one.cost.month),
      (o) => o.cost.month,
    );
    if (better)
      return words("{choice} is faster and costs no more ({amount} against {month} a month).", {
        ...told, choice: named(better), amount: usd(better.cost.month),
      });
    return one.cost.month > first.cost.month
      ? words("Tier {tier}, and dearer than {best}: {month} a month.", told)
      : words("Tier {tier}: behind {best}, though cheaper at {month} a month.", told);
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
    const needs = joined(other.map((need) => needLabel(data, need)), "; ");
    return words(
      "Speeds are those measured on {task}. {needs}: only whether it fits is worked out, no speed is known.",
      { task: data.task, needs },
    );
  }

  function ways(data, numbers, ranked, out) {
    return data.ways.map((route) => {
      const best = ranked.find((r) => r.route === route);
      const title = capital(data.routes[route]);
      if (!best) {
        const why = whyNot(data, numbers, out.filter((o) => o.route === route));
        return { title, none: words("Nothing. {why}", { why }) };
      }
      const paid = words("{seen}; {month} a month", { seen: seen(best), month: usd(best.cost.month) });
      const lines = [paid, best.system.briefly];
      return { title, name: best.system.label, lines };
    });
  }
  function whyNot(data, { given }, fell) {
    const told = Object.entries(WHY_NOT).map(([code, why]) => {
      const count = fell.filter((f) => f.code === code).length;
      return count ? words(why, { count }) : "";
    });
    if (!told.some(Boolean)) return words("No device that fits has a price of this kind.");
    const dear = fell.filter((f) => f.code === "budget");
    dear.sort((a, b) => a.price.usd - b.price.usd || (a.system.key < b.system.key ? -1 : 1));
    const [near] = dear;
    const reasons = joined(told, ", ");
    if (!near) return words("Of those that fit: {reasons}.", { reasons });
    return words("Of those that fit: {reasons}. The cheapest over it, {device}: {over}", {
      reasons,
      device: near.system.label,
      over: over(cost(near.price, near.system.count, null, given, data.wholeMachine), given),
    });
  }

  const device = (system, sub) => ({ text: system.label, link: system.page, vendor: system.vendor, sub });
  const amount = (value, more = {}) => ({ text: usd(value), sort: value, ...more });
  // The key of a figure that follows from others by a rule of guide/show/derivations.py; none where one has none.
  const rule = (name, ...keys) => (keys.every(Boolean) ? `${name}:${keys.join(",")}` : "");

  function ranking(data, ranked) {
    if (!ranked.length) return null;
    const unit = ranked[0].scoreUnit;
    const heading = unit.startsWith("J ")
      ? [words("Energy"), words("J/{work}", { work: data.done.one })]
      : [words("Cost"), words("USD/M {work}", { work: data.done.many })];
    const scored = data.objective !== "fastest";
    const columns = [
      { title: words("Device") },
      { title: words("Tier"), number: true, help: words("Systems of one tier are tied with its best") },
      ...(scored ? [{ title: heading[0], unit: heading[1], number: true }] : []),
      { title: data.speedHeading[0], unit: data.speedHeading[1], number: true },
      { title: words("Price"), unit: "USD", number: true },
      { title: words("A month"), unit: "USD", number: true, help: words("Under your numbers; 1× is {over}", data) },
      { title: words("Rated"), unit: "W", number: true },
      { title: words("Fits") },
      { title: words("Rests on") },
    ];
    const rows = ranked.map((one) => {
      const { system, cost: spent, fit } = one;
      const price = system.offers.find((o) => o.route === one.route).cell;
      return {
        tone: one.place === 1 ? "is-pick" : one.tier % 2 ? "is-band" : "",
        cells: [
          device(system, data.routes[one.route]),
          {
            text: String(one.tier),
            title: standing(data, one, ranked[0], ranked),
            key: rule("tier", system.keys.rate, ranked.find((other) => other.tier === one.tier).system.keys.rate),
          },
          ...(scored
            ? [{ text: number(one.score), sort: one.score, key: rule("your-score", system.keys.rate, price.key, system.keys.device) }]
            : []),
          system.speedCell,
          { ...price, text: one.route === "rent" ? words("{price}/h", { price: price.text }) : price.text },
          amount(spent.month, {
            sub: words("{price} per 1×", { price: usd(spent.month / system.speed[1]) }).replaceAll(" ", NBSP),
            key: rule("your-month", price.key, system.keys.device),
            note: madeOf(spent),
          }),
          system.power === null ? { blank: words("not known") } : { text: number(system.power), key: system.keys.device },
          fitCell(fit, system.keys.device),
          system.evidence,
        ],
      };
    });
    return { caption: words("In the running under your numbers, best first"), columns, rows };
  }
  function madeOf(spent) {
    if (spent.route === "rent") return words("{hours} hours a month", { hours: number(spent.hours) });
    const parts = [
      words("{amount} for the purchase less resale", { amount: usd(spent.capital) }),
      words("{amount} for electricity", { amount: usd(spent.energy) }),
    ];
    if (spent.host) parts.push(words("with {amount} for the computer around it", { amount: usd(spent.host) }));
    return parts.join(" · ");
  }
  function fitCell(fit, device) {
    if (!fit) return { blank: words("nothing asked") };
    const fits = fit.verdict === "fits";
    const text = fits ? words("fits") : fit.verdict === "tight" ? words("only just") : words("not known");
    return { text, sub: words(BASIS[fit.basis]), tone: fits ? "good" : "warn", key: rule("fit", device), note: fit.sentence };
  }

  // By the device's name, numbers in it as numbers, then by how many there are: by_name in views/devices.py.
  const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const nameOf = (label) => label.toLowerCase().split(/([0-9]+)/).map((part, i) => (i % 2 ? Number(part) : part));
  const bare = ({ label, count }) => (label.startsWith(`${count} × `) ? label.slice(`${count} × `.length) : label);
  function byName(a, b) {
    const [one, two] = [nameOf(bare(a)), nameOf(bare(b))];
    const place = one.findIndex((part, i) => part !== two[i]);
    if (place >= 0 || one.length !== two.length)
      return place < 0 || place >= two.length ? one.length - two.length : byText(one[place], two[place]);
    return a.count - b.count || byText(a.key, b.key);
  }

  function fallen(data, unordered) {
    const out = [...unordered].sort((a, b) => byName(a.system, b.system) || byText(a.route || "", b.route || ""));
    const told = new Set(data.headings.map(([code]) => code));
    const others = [...new Set(out.map((o) => o.code))].filter((code) => !told.has(code)).sort();
    return [...data.headings, ...others.map((code) => [code, code])]
      .map(([code, title]) => {
        const group = out.filter((o) => o.code === code);
        const byReason = new Map();
        for (const one of group) byReason.set(one.reason, [...(byReason.get(one.reason) || []), named(one)]);
        const count = group.some((o) => o.route)
          ? counted(group.length, "{count}\u00a0choice", "{count}\u00a0choices")
          : counted(group.length, "{count}\u00a0system", "{count}\u00a0systems");
        return { title, count, rows: [...byReason].map(([why, who]) => [joined(who, ", "), why]) };
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
      { title: words("Device") },
      { title: words("Bought"), unit: "USD", number: true },
      { title: words("Rent"), unit: words("USD an hour"), number: true },
      { title: words("Owned"), unit: words("USD a month"), number: true },
      {
        title: words("Rented"),
        unit: words("USD a month, {hours} a day", { hours: `${general(given.hours_per_day)} h` }),
        number: true,
      },
      { title: words("Owning wins from"), unit: words("hours a day"), number: true },
    ];
    const rows = pairs.map((pair) => {
      const { system, own, rent } = pair;
      const even = breakEven(system, own.price, rent.price, given, data.wholeMachine);
      const owned = cost(own.price, system.count, system.power, given, data.wholeMachine).month;
      const rented = cost(rent.price, system.count, null, given).month;
      const unknown = system.power === null ? { sub: words("without electricity: power not known") } : {};
      const note = joined([data.routes[own.route], pair.note], "; ");
      const { keys } = system;
      return {
        tone: pair.note || !(own.price.fresh && rent.price.fresh) ? "is-out" : "",
        figures: { owned, rented, even },
        cells: [
          device(system, note),
          own.cell,
          rent.cell,
          amount(owned, { ...unknown, key: rule("your-month", own.cell.key, keys.device) }),
          amount(rented, { key: rule("your-month", rent.cell.key, keys.device) }),
          even === null
            ? { blank: words("never: dearer even at 24 hours") }
            : { text: fixed(even, 1), sort: even, key: rule("your-hours", own.cell.key, rent.cell.key, keys.device) },
        ],
      };
    });
    return { caption: words("Owned against rented under your numbers"), columns, rows };
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
        ...mark, x, hollow, label: named(one), frontier: !hollow && !beaten, pick: one.place === 1,
        note: hollow ? one.reason : "", shown_x: usd(x), shown_y: number(mark.y),
      };
    });
  }

  // How sure a pick is, as guide/decide/confidence.py says it: the level, and the checks that held and that failed.
  function confidence({ sure }, ranked, grid) {
    const [pick] = ranked;
    const offer = pick.system.offers.find((o) => o.route === pick.route);
    const devices = new Set(ranked.map(asDevice)).size;
    const share = words("the device, however it is paid for, wins in {share} of the plausible prices and uses", {
      share: window.hwguideFlips.percent(grid.deviceShare),
    });
    const checks = [
      [grid.deviceShare >= sure.robust, share, share],
      [
        devices >= sure.enough,
        counted(devices, "{count} device with a fresh price in the running", "{count} devices with a fresh price in the running"),
        counted(devices, "only {count} device with a fresh price in the running", "only {count} devices with a fresh price in the running"),
      ],
      [
        sure.preferred,
        words("the question is the one the reader asks"),
        words("a better question could not be answered"),
      ],
    ];
    const parts = [pick.system.checks, offer.checks];
    const held = [...parts.flatMap((p) => p.held), ...checks.filter(([good]) => good).map(([, told]) => told)];
    const failed = [...parts.flatMap((p) => p.failed), ...checks.filter(([good]) => !good).map(([, , told]) => told)];
    const low = grid.deviceShare < sure.fragile || devices === 1 || pick.system.checks.disturbed || failed.length > sure.most;
    return { level: low ? "low" : failed.length ? "medium" : "high", held, failed };
  }

  // What takes a moment to find: what would change the answer, and how often each choice wins.
  function later(data, decision, numbers, verdict) {
    const found = window.hwguideFlips.flips(data, decision, numbers);
    if (!found)
      return {
        flips: { text: words("Without a pick there is nothing to hold against other prices.") },
        shares: { text: "" },
      };
    const { percent, NOTHING } = window.hwguideFlips;
    const { ranked, out } = decision;
    const [called, sure] = [callOf(data, ranked, found.grid), confidence(data, ranked, found.grid)];
    const none = words("No single price or number within the searched ranges changes it.");
    return {
      verdict: {
        ...verdict,
        call: data.calls[called === "clear" && sure.level === "low" ? "thin" : called],
        sure,
        headline: headline(data, numbers, ranked, out, found.grid),
      },
      flips: found.flips.length ? { lines: found.flips.map((flip) => flip.sentence), shown: data.flips.shown } : { text: none },
      shares: {
        cells: found.grid.cells,
        shares: found.grid.shares.map(([name, share]) => ({
          name: name === NOTHING ? words("Nothing is left to pick") : name,
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
    if (many) lines.push(words("The budget pays for {many} of it, for work that runs side by side.", { many }));
    const own = owning(data, numbers, pairs);
    pairs.forEach(({ system, own: bought, rent }, i) => {
      if (!pick || system !== pick.system) return;
      const { even } = own.rows[i].figures;
      const told = { route: data.routes[bought.route], price: dated(bought), rent: dated(rent) };
      lines.push(
        even === null
          ? words(
              "Owning it, {route} for {price}, against {rent}, does not get cheaper than renting even at 24 hours a day.",
              told,
            )
          : words(
              "Owning it, {route} for {price}, against {rent}, costs less than renting from {hours} hours a day on.",
              { ...told, hours: fixed(even, 1) },
            ),
      );
    });
    const model = modelNote(data, numbers);
    const verdict = {
      call: pick ? words("With your numbers") : data.calls.none, // until the grid is worked out
      headline: headline(data, numbers, ranked, out),
      notes: model ? [...lines, model] : lines,
      guide: words("The guide's own answer: {headline}", data),
    };
    return {
      status: pick
        ? joined(
            [
              words("{choice}: {month} a month.", { choice: named(pick), month: usd(pick.cost.month) }),
              counted(ranked.length, "{count}\u00a0choice in the running.", "{count}\u00a0choices in the running."),
            ],
            " ",
          )
        : verdict.headline,
      later: () => later(data, decision, numbers, verdict),
      points: points(data, decision, numbers),
      parts: {
        verdict,
        ways: ways(data, numbers, ranked, out),
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
    if (fitted && fitted.verdict === "no") return words("too little memory");
    if (fitted && fitted.verdict === "unknown") return words("not known to fit");
    return rate !== undefined && rate < numbers.floors[0] ? words("too slow") : "";
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
  const OWNED = { rent: phrase("Rented"), "buy-new": phrase("Owned, new"), "buy-used": phrase("Owned, used") };
  function work(data, numbers, view) {
    const found = workRows(data, numbers, view);
    const columns = [
      { title: words("System") },
      { ...view.head, number: true },
      ...view.ways.map((route) => ({ title: words(OWNED[route]), unit: "USD", number: true })),
    ];
    const rows = found.map(({ row, system, choices, note, open }) => ({
      tone: open.length ? "" : "is-out",
      cells: [
        device(system, note),
        row.cell,
        ...view.ways.map((route) => {
          const choice = choices.find((c) => c.route === route);
          if (!choice) return { blank: words("no price seen") };
          const { value, offer, over: dear } = choice;
          const sub = dear ? words("{price} · over your budget", { price: offer.at }) : offer.at;
          return amount(value, { sub, tone: dear || !offer.price.fresh ? "quiet" : "", key: offer.key });
        }),
      ],
    }));
    const cheapest = view.ways
      .map((route) => {
        const open = found.flatMap((f) => f.open.filter((c) => c.route === route).map((c) => [c.value, f.system.label]));
        open.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : x > y ? 1 : 0));
        if (!open.length) return "";
        const [[price, device]] = open;
        return words("{route}: {device}, {price}", { route: data.routes[route], device, price: usd(price) });
      });
    const caption = words("{caption}, under your numbers", view);
    return { table: { caption, columns, rows }, cheapest: joined(cheapest, "; ") };
  }

  function costPage(data, numbers) {
    const { given } = numbers;
    const pairs = data.owning.map(({ system, own, rent }) => {
      const one = data.systems[system];
      const dear = overBudget(own.price, one, numbers) && overBudget(rent.price, one, numbers);
      return { system: one, own, rent, note: barred(data, numbers, one) || (dear ? words("over your budget") : "") };
    });
    const stale = ({ own, rent }) => !(own.price.fresh && rent.price.fresh);
    pairs.sort((a, b) => Boolean(a.note) - Boolean(b.note) || stale(a) - stale(b));
    const table = owning(data, numbers, pairs);
    const parts = {
      owning: table,
      "owning-words": {
        text: words(
          "Owned: the card and the computer around it less resale, over {years} years, and electricity at {price} " +
            "a kWh. Rented: the hours of work. Greyed rows rest on a price that is too old, or are no choice under " +
            "your numbers.",
          { years: number(given.years), price: usd(given.usd_per_kwh) },
        ),
      },
      "tokens-words": {
        text: joined(
          [
            words(
              "Tokens written, at full use of the hours that are paid for: a machine that waits costs more a token. " +
                "Rented: the hour. Owned: a month of the whole machine under your numbers, at {hours} hours a day.",
              { hours: number(given.hours_per_day) },
            ),
            numbers.needs.some((need) => need.model) &&
              words("Rates stay those of the model that a table names; yours only greys what cannot hold it."),
          ],
          " ",
        ),
      },
    };
    for (const view of data.work) {
      const made = work(data, numbers, view);
      parts[view.id] = made.table;
      parts[`${view.id}-cheapest`] = { text: made.cheapest || words("None under your numbers.") };
    }
    const open = table ? table.rows.filter((row) => !row.tone) : [];
    const wins = open.filter((row) => row.figures.even !== null && row.figures.even <= given.hours_per_day);
    const told = { hours: general(given.hours_per_day), wins: wins.length };
    return {
      status: open.length
        ? counted(
            open.length,
            "At {hours} hours a day owning costs less than renting for {wins} of {count}\u00a0choice with prices of today.",
            "At {hours} hours a day owning costs less than renting for {wins} of {count}\u00a0choices with prices of today.",
            told,
          )
        : words("No device that can be bought and rented at prices of today is left under your numbers."),
      parts,
    };
  }

  window.hwguideAnswer = {
    scenario, cost: costPage, callOf, headline, notes, howMany, standing, modelNote, ways, fallen, ranking, owning,
    workRows, scenarioPairs, points,
  };
})();
