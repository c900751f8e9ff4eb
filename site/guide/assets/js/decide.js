// A decision under a reader's numbers: the arithmetic of guide/decide/fit.py, cost.py, tiers.py, screen.py and judge.py over
// the records of guide/decide/reader.py, with the same steps in the same order, so that the last digit is the same.
// No document here: tests/browser/reader/test_parity.py holds it against Python.
(() => {
  "use strict";
  const { fixed, general, gibibytes, number, usd } = window.hwguideFigures;
  const { words, phrase, joined } = window.hwguideWords;
  const DAYS_PER_MONTH = 365 / 12;
  const HOURS_PER_DAY_MAX = 24;

  const NAMED = {
    "buy-new": phrase("{device}, bought new"),
    "buy-used": phrase("{device}, bought used"),
    rent: phrase("{device}, rented"),
  };
  // "GeForce RTX 4090, rented"; the device alone where no way of getting it is meant.
  const named = ({ system, route }) => (route ? words(NAMED[route], { device: system.label }) : system.label);

  // Fit ------------------------------------------------------------------------------------------------------

  function halfEven(value) {
    const down = Math.floor(value);
    const rest = value - down;
    return rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
  }
  function needBytes(data, need) {
    const shape = data.models.find((m) => m.name === need.model);
    const type = data.dtypes.find((d) => d.name === need.dtype.toLowerCase());
    const { cacheBytes, passTokens } = data.fit;
    const cache = halfEven(2 * shape.layers * shape.kvHeads * shape.headDim * need.batch * need.context * cacheBytes);
    const width = 2 * shape.hidden + 2 * shape.headDim * (shape.heads + shape.kvHeads) + 3 * shape.intermediate;
    const fresh = Math.min(need.context, passTokens);
    const activations = halfEven(
      need.batch * fresh * width * cacheBytes + need.batch * shape.vocab * (cacheBytes + 4),
    );
    return halfEven(shape.params * type.bytes) + cache + activations;
  }
  function needLabel(data, need) {
    const model = data.models.find((m) => m.name === need.model).words;
    const type = data.dtypes.find((d) => d.name === need.dtype.toLowerCase()).words;
    const context = words("{count} tokens of context", { count: fixed(need.context, 0) });
    const many = need.batch > 1 && words("{count} sequences", { count: need.batch });
    return joined([model, type, context, many], ", ");
  }
  const settles = ([tokens, batch, ran], need) =>
    ran ? tokens >= need.context && batch >= need.batch : tokens > 0 && tokens <= need.context && batch <= need.batch;
  function fit(data, need, system) {
    const shape = data.models.find((m) => m.name === need.model).shape;
    const same = data.dtypes.find((d) => d.name === need.dtype.toLowerCase()).same;
    const asked = needLabel(data, need);
    const wanted = needBytes(data, need);
    const usable = system.usable;
    const run = (system.runs[`${shape}|${same}`] || []).findLast((one) => settles(one, need));
    if (run) {
      const [tokens, batch, ran] = run;
      const told = { asked, tokens: fixed(tokens, 0), batch };
      const failed = () =>
        batch > 1
          ? words("{asked}: ran out of memory at {tokens} tokens and {batch} sequences (measured).", told)
          : words("{asked}: ran out of memory at {tokens} tokens (measured).", told);
      const sentence = ran ? words("{asked}: ran with {tokens} tokens (measured).", told) : failed();
      return { verdict: ran ? "fits" : "no", basis: "measured", sentence };
    }
    if (usable === null)
      return {
        verdict: "unknown",
        basis: "computed",
        sentence: words("{asked}: the memory of {system} is not known.", { asked, system: system.label }),
      };
    const sizes = { asked, wanted: gibibytes(wanted), usable: gibibytes(usable), assumed: system.assumed };
    const sentence = system.assumed
      ? words("{asked}: needs {wanted}, usable {usable} {assumed}.", sizes)
      : words("{asked}: needs {wanted}, usable {usable}.", sizes);
    if (wanted > usable) return { verdict: "no", basis: "computed", sentence };
    return { verdict: usable - wanted < data.fit.tight * usable ? "tight" : "fits", basis: "computed", sentence };
  }
  const WORST_FIRST = ["no", "unknown", "tight", "fits"];
  function fitAll(data, needs, system) {
    const all = needs.filter((need) => need.model).map((need) => fit(data, need, system));
    return WORST_FIRST.map((verdict) => all.find((f) => f.verdict === verdict)).find(Boolean) || null;
  }

  // Money ----------------------------------------------------------------------------------------------------

  function energyUsdPerMonth(power, hosted, given) {
    const host = hosted ? given.host_power_w : 0;
    const hours = given.hours_per_day;
    const resting = Math.max(0, given.on_hours_per_day - hours);
    const wattHours =
      hours * (power * given.load_share + host) + resting * (power * given.idle_share + host);
    return ((DAYS_PER_MONTH * wattHours) / 1000) * given.usd_per_kwh;
  }
  function cost(price, count, power, given, wholeMachine = true) {
    const months = 12 * given.years;
    const hours = given.hours_per_day * DAYS_PER_MONTH;
    if (price.route === "rent") {
      const rent = price.usd * hours;
      return { route: "rent", upFront: 0, host: 0, total: rent * months, month: rent, capital: 0, energy: 0, hours };
    }
    const hosted = wholeMachine && price.basis === "card";
    const host = hosted ? given.host_usd + given.host_extra_card_usd * (count - 1) : 0;
    const upFront = price.usd + host;
    const capital = (upFront * (1 - given.resale_share)) / months;
    const energy = power === null ? 0 : energyUsdPerMonth(power, hosted, given);
    return { route: price.route, upFront, host, total: upFront, month: capital + energy, capital, energy, hours };
  }
  const usdPerMillion = (month, rate, hours) => (month / (rate * 3600 * hours)) * 1e6;
  const usdPerJob = (month, seconds, hours) => ((month / hours) * seconds) / 3600;

  // Hours a day from which owning costs less than renting the same system; null where it never does.
  function breakEven(system, own, rent, given, wholeMachine = true) {
    const difference = (hours) => {
      const at = { ...given, hours_per_day: hours };
      return cost(own, system.count, system.power, at, wholeMachine).month - cost(rent, system.count, null, at).month;
    };
    const points = [0, Math.min(given.on_hours_per_day, HOURS_PER_DAY_MAX), HOURS_PER_DAY_MAX];
    for (let i = 0; i < 2; i += 1) {
      const [start, end] = [points[i], points[i + 1]];
      if (start === end) continue;
      const [atStart, atEnd] = [difference(start), difference(end)];
      if (atStart > 0 && atEnd <= 0) return start + ((end - start) * atStart) / (atStart - atEnd);
    }
    return null;
  }

  // Decision -------------------------------------------------------------------------------------------------

  function tiers(bands) {
    const surer = (a, b) => bands[b][0] - bands[a][0] || bands[a][2] - bands[b][2];
    let rest = bands.map((_, i) => i).sort((a, b) => bands[b][1] - bands[a][1] || surer(a, b));
    const placed = [];
    for (let tier = 1; rest.length; tier += 1) {
      const anchor = bands[rest[0]];
      const tied = (i) => bands[i] === anchor || (bands[i][0] <= anchor[2] && anchor[0] <= bands[i][2]);
      for (const i of rest.filter(tied)) placed[i] = tier;
      rest = rest.filter((i) => !tied(i)); // a wide band may tie with the best across a narrow one that does not
    }
    return placed;
  }

  // Who is in the running before money is looked at, and who fell out: [code, sentence].
  function screen(data, numbers) {
    const contenders = [];
    const out = [];
    for (const system of data.systems) {
      let verdict = system.out === undefined ? null : data.reasons[system.out];
      let fitted = null;
      if (!verdict) {
        fitted = fitAll(data, numbers.needs, system);
        verdict = byFit(fitted) || (system.gap === undefined ? null : data.reasons[system.gap]);
        verdict ||= byFloor(data, numbers, system);
      }
      if (!verdict && !system.offers.length) verdict = data.reasons[system.none];
      if (verdict) out.push({ system, route: null, code: verdict[0], reason: verdict[1], fit: fitted });
      else
        for (const offer of system.offers) {
          const { route, basis, price } = offer;
          const [unsure, sized] = bySize(data, numbers, system, offer, fitted);
          if (unsure) out.push({ system, route, price, code: "price-size", reason: unsure, fit: sized });
          else contenders.push({ key: `${system.key}:${route}`, system, route, basis, price, fit: sized });
        }
    }
    return { contenders, out };
  }
  function byFit(fitted) {
    if (!fitted || fitted.verdict === "fits" || fitted.verdict === "tight") return null;
    return fitted.verdict === "no"
      ? ["memory", words("Too little memory: {sentence}", fitted)]
      : ["no-evidence", words("Not known to fit: {sentence}", fitted)];
  }
  // Why a price may buy too small a machine, and the fit of what it surely buys.
  function bySize(data, numbers, system, { least }, fitted) {
    if (!fitted || !least) return [null, fitted];
    if (least.usable === null)
      return [words("The price may be of a machine with less memory; how much less is not known."), fitted];
    const found = fitAll(data, numbers.needs, { ...system, usable: least.usable, runs: {}, assumed: "" });
    const told = { least: found.sentence.replace(/[.。]$/, ""), size: least.words };
    const sized = { ...found, sentence: words("{least} on the smallest size sold, {size}.", told) };
    const unsure = found.verdict === "no" || found.verdict === "unknown";
    return [unsure ? words("The price may be of a machine with less memory: {sentence}", sized) : null, sized];
  }
  function byFloor(data, numbers, system) {
    for (const [i, { label, because }] of data.floors.entries()) {
      const least = numbers.floors[i];
      const best = system.floors[i];
      const told = { label, because, least: general(least) };
      if (!best) return ["no-evidence", words("No figure for {label}, which must reach {least}.", told)];
      if (best[0] < least) {
        Object.assign(told, { rate: number(best[0]), unit: best[1], task: best[2] });
        return because
          ? ["slow", words("{rate} {unit} on {task}; at least {least} are needed ({because}).", told)]
          : ["slow", words("{rate} {unit} on {task}; at least {least} are needed.", told)];
      }
    }
    return null;
  }

  // What has one price: the bins and memory sizes of a device are not priced apart.
  const priceKey = ({ system, route }) => `${system.device}:${system.count}:${route}`;

  // A place in the running, or the code of the reason against it. `supposed` maps price keys to USD.
  function judge(data, contender, given, supposed) {
    const { system, route, basis } = contender;
    let { price } = contender;
    const amount = supposed && supposed[priceKey(contender)];
    if (amount !== undefined) price = { route, basis: price ? price.basis : basis, usd: amount, fresh: true };
    else if (!price) return "price-missing";
    else if (!price.fresh) return "price-stale";
    if (data.objective === "least-energy" && system.power === null) return "power";
    const spent = cost(price, system.count, system.power, given, data.wholeMachine);
    if (given.budget_usd !== null && spent.total > given.budget_usd) return "budget";
    return { ...contender, cost: spent, merit: merit(data, contender, spent) };
  }
  function explain(data, { system, price, route }, given, code) {
    if (!price) return words("No price is known ({route}).", { route: data.routes[route] });
    if (code === "price-stale") {
      const told = { price: usd(price.usd), days: fixed(price.age, 0) };
      return words("The newest price, {price}, is {days} days old: too old to carry a pick.", told);
    }
    if (code === "power") return words("Its rated power is not known.");
    return words("Over budget: {over}", { over: over(cost(price, system.count, null, given, data.wholeMachine), given) });
  }
  // By how much a budget is too small.
  function over(spent, given) {
    const [total, budget, host] = [spent.total, given.budget_usd, spent.host].map(usd);
    if (spent.route === "rent")
      return words("{years} years of rent takes {total}, the budget is {budget}.", { years: general(given.years), total, budget });
    if (!spent.host) return words("the purchase takes {total}, the budget is {budget}.", { total, budget });
    return words(
      "the purchase takes {total} (with {host} for the computer around it), the budget is {budget}.",
      { total, host, budget },
    );
  }
  function merit(data, { system }, spent) {
    if (data.objective === "fastest") return system.speed;
    let factor = data.referenceRate / (system.power || 1);
    if (data.objective !== "least-energy") {
      const seconds = spent.hours * 3600;
      factor = (data.referenceRate * seconds) / Math.max(spent.month, 1e-9);
    }
    return system.speed.map((part) => part * factor);
  }

  // The contenders under these assumptions: `ranked` best first, `out` with the code of the reason.
  const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  function rank(data, contenders, given, supposed) {
    const running = [];
    const out = [];
    for (const contender of contenders) {
      const judged = judge(data, contender, given, supposed);
      if (typeof judged === "string") out.push({ ...contender, code: judged });
      else running.push(judged);
    }
    const places = tiers(running.map((r) => r.merit));
    const ranked = running.map((r, i) => ({ ...r, tier: places[i] }));
    ranked.sort(
      (a, b) => a.tier - b.tier || a.cost.month - b.cost.month || b.merit[1] - a.merit[1] || byText(a.key, b.key),
    );
    return { ranked, out };
  }

  // Places first, best first; then everyone that fell out, the faster first.
  function decide(data, numbers) {
    const screened = screen(data, numbers);
    const { ranked, out: judged } = rank(data, screened.contenders, numbers.given);
    const out = judged.map((one) => ({ ...one, reason: explain(data, one, numbers.given, one.code) }));
    out.push(...screened.out);
    const speed = ({ system }) => (system.speed ? system.speed[1] : 0);
    out.sort(
      (a, b) =>
        speed(b) - speed(a) || byText(a.system.key, b.system.key) || byText(a.route || "", b.route || ""),
    );
    ranked.forEach((one, i) => Object.assign(one, score(data, one), { place: i + 1 }));
    return { ranked, out, contenders: screened.contenders };
  }
  function score(data, { system, cost: spent, merit: [, value] }) {
    if (data.objective === "fastest") return { score: value, scoreUnit: `times ${data.reference}` };
    const work = data.unit.replace(/\/s$/, "");
    if (data.objective === "least-energy")
      return { score: 1 / value, scoreUnit: `J per ${work.replace(/s$/, "")} at rated power` };
    const rate = system.speed[1] * data.referenceRate;
    return { score: usdPerMillion(spent.month, rate, spent.hours), scoreUnit: `USD per million ${work}` };
  }

  // A reader's numbers in an address -------------------------------------------------------------------------

  const own = (data) => ({
    given: { ...data.given },
    needs: (data.needs || []).map((need) => ({ ...need })),
    floors: (data.floors || []).map((floor) => floor.least),
  });
  const inside = (value, [, low, high]) => Number.isFinite(value) && value >= low && value <= high;

  // "b=3000&h=6": whatever is unknown, malformed or out of bounds is passed over.
  function read(data, text) {
    const numbers = own(data);
    const told = new URLSearchParams(text);
    const take = (letter, limit, keep) => {
      const value = told.get(letter);
      if (value !== null && /^\d+(\.\d+)?$/.test(value) && inside(Number(value), limit)) keep(Number(value));
    };
    for (const name of Object.keys(numbers.given)) {
      const limit = data.limits[name];
      take(limit[0], limit, (value) => (numbers.given[name] = value));
    }
    const [need] = numbers.needs;
    if (need) {
      if (data.models.some((m) => m.name === told.get("m"))) need.model = told.get("m");
      if (data.dtypes.some((d) => d.name === told.get("d"))) need.dtype = told.get("d");
      take(data.limits.context[0], data.limits.context, (value) => {
        if (Number.isInteger(value)) need.context = value;
      });
    }
    numbers.floors.forEach((_, i) => {
      take(`${data.limits.floor[0]}${i}`, data.limits.floor, (value) => (numbers.floors[i] = value));
    });
    return numbers;
  }
  // Only what differs from the guide's own; "" where nothing does.
  function write(data, numbers) {
    const base = own(data);
    const told = new URLSearchParams();
    for (const [name, value] of Object.entries(numbers.given))
      if (value !== base.given[name] && value !== null) told.set(data.limits[name][0], plain(value));
    const [need] = numbers.needs;
    if (need) {
      if (need.model !== base.needs[0].model) told.set("m", need.model);
      if (need.dtype !== base.needs[0].dtype) told.set("d", need.dtype);
      if (need.context !== base.needs[0].context) told.set(data.limits.context[0], plain(need.context));
    }
    numbers.floors.forEach((value, i) => {
      if (value !== base.floors[i]) told.set(`${data.limits.floor[0]}${i}`, plain(value));
    });
    return told.toString();
  }
  // Without an exponent: the shortest digits that read back as the same number.
  const plain = (value) => (/e/.test(String(value)) ? value.toFixed(20).replace(/\.?0+$/, "") : String(value));

  // What a reader typed as a number: "1,500", "$ 2500", "0,25"; NaN where it is none.
  function parse(text) {
    let bare = text.replace(/[\s$\u00a0\u202f']/g, "");
    if (/^\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare)) bare = bare.replaceAll(",", "");
    else if (/^\d+,\d+$/.test(bare)) bare = bare.replace(",", ".");
    return /^[+\u2212-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) ? Number(bare.replace("\u2212", "-")) : NaN;
  }

  window.hwguideDecide = {
    named, needBytes, needLabel, fit, fitAll, over, cost, usdPerMillion, usdPerJob, breakEven, tiers, screen, priceKey, rank, decide,
    own, inside, read, write, parse,
  };
})();
