// What would change the answer under a reader's numbers: guide/decide/flips.py over the contenders of decide.js, found by
// deciding again. No document here; tests/browser/reader/test_parity.py holds it against Python.
(() => {
  "use strict";
  const { decimals, fixed, number, usd } = window.hwguideFigures;
  const { named, priceKey, rank } = window.hwguideDecide;
  const { words, phrase } = window.hwguideWords;
  const WINS = {
    "buy-new": phrase("buying {device} new wins"),
    "buy-used": phrase("buying {device} used wins"),
    rent: phrase("renting {device} wins"),
  };
  const NOTHING = "nothing";
  // From where on another wins: of what is counted in years, and of all else.
  const WHERE = {
    years: {
      at: { below: phrase("at {value} years and below"), above: phrase("at {value} years and above") },
      past: { below: phrase("below {value} years"), above: phrase("above {value} years") },
    },
    other: {
      at: { below: phrase("at {value} and below"), above: phrase("at {value} and above") },
      past: { below: phrase("below {value}"), above: phrase("above {value}") },
    },
  };
  // The price at which a rival wins: by the hour, and of what is bought.
  const CHEAPER = {
    hour: {
      again: phrase("At {price} an hour, seen afresh (the known price is too old), {wins}."),
      now: phrase("At {price} an hour or less (now {now}), {wins}."),
      last: phrase("At {price} an hour or less (last seen at {now}), {wins}."),
      unknown: phrase("At {price} an hour or less (no price is known), {wins}."),
    },
    piece: {
      again: phrase("At {price}, seen afresh (the known price is too old), {wins}."),
      now: phrase("At {price} or less (now {now}), {wins}."),
      last: phrase("At {price} or less (last seen at {now}), {wins}."),
      unknown: phrase("At {price} or less (no price is known), {wins}."),
    },
  };

  const hourly = ({ route }) => route === "rent";
  const choosing = ({ system, route }) => words(WINS[route], { device: system.label });
  const afterIt = (winner) => (winner ? choosing(winner) : words("nothing is left to pick"));
  const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  function steps({ flips }, now, end) {
    const all = [...Array(flips.steps + 1).keys()];
    if (now > 0 && end > 0) return all.map((step) => now * (end / now) ** (step / flips.steps));
    return all.map((step) => now + ((end - now) * step) / flips.steps);
  }
  function bisect({ flips }, outside, inside, holds, places) {
    while (Math.abs(inside - outside) > Math.max(flips.precision * 10 ** -places(inside), flips.leastStep)) {
      const middle = (inside + outside) / 2;
      [inside, outside] = holds(middle) ? [middle, outside] : [inside, middle];
    }
    return inside;
  }
  const placesOfUsd = (value) => (value >= 100 ? 0 : value >= 1 ? 2 : decimals(value));
  // The printed value nearest to `outside` at which it holds, and the last one at which it does not where it does
  // just beyond that one. Below a power of ten a value is printed with a digit more.
  function printable(data, outside, inside, holds, places) {
    const at = bisect(data, outside, inside, holds, places);
    const digits = places(at);
    const finer = places(at - 10 ** -digits);
    const [one, other] = [Math.max(digits, finer), Math.min(digits, finer)];
    const found = nearest(data, at, outside, inside < outside, holds, places, one);
    return found || one === other ? found : nearest(data, at, outside, inside < outside, holds, places, other);
  }
  function nearest(data, at, outside, below, holds, places, digits) {
    const step = 10 ** -digits;
    const floor = Math.floor(at / step);
    let before = null;
    for (const whole of below ? [floor + 1, floor, floor - 1] : [floor, floor + 1, floor + 2]) {
      const value = Number((whole * step).toFixed(digits));
      if (Number(value.toFixed(places(value))) !== value) continue;
      if (value !== outside && holds(value)) {
        const near = before !== null && holds(before + (below ? -step : step) * data.flips.hair);
        return [value, near ? before : null];
      }
      before = value;
    }
    return null;
  }
  function first(data, points, holds, places) {
    for (let i = 1; i < points.length; i += 1) {
      const found = holds(points[i]) && printable(data, points[i - 1], points[i], holds, places);
      if (found) return found;
    }
    return null;
  }

  // Every change of the pick on the way from `now` to `end`: [at, bound, winner], the nearest first.
  function turns(data, now, end, winner, pick, places) {
    const found = [];
    let [start, before] = [now, pick.key];
    while ((end - start) * (end - now) > 0) {
      const last = before;
      const nearest = first(data, steps(data, start, end), (value) => winner(value)?.key !== last, places);
      if (nearest === null) break;
      const [at, bound] = nearest;
      const wins = winner(at);
      found.push([at, bound, wins]);
      [start, before] = [at, wins?.key];
    }
    return found;
  }
  const inTurn = (told) => {
    const parts = told.map(([where, winner]) => words("{where}, {wins}", { where, wins: afterIt(winner) }));
    const sentence = parts.reduce((before, part) => words("{before}, but {part}", { before, part }));
    return words("{sentence}.", { sentence });
  };
  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  function inputs(data, contenders, given, pick) {
    const { flips } = data;
    const ranges = { ...flips.ranges };
    const budget = given.budget_usd;
    if (budget) ranges.budget_usd = [budget / flips.budgetSpan, budget * flips.budgetSpan];
    const found = [];
    for (const name of Object.keys(ranges)) {
      const now = given[name];
      const winner = (value) => rank(data, contenders, { ...given, [name]: value }).ranked[0];
      for (const [end, direction] of [[ranges[name][0], "below"], [ranges[name][1], "above"]]) {
        if (end < now !== (direction === "below")) continue;
        const [label, unit] = flips.labels[name];
        const places = unit === "USD" ? placesOfUsd : decimals;
        const changes = turns(data, now, end, winner, pick, places);
        if (!changes.length) continue;
        const told = changes.map(([value, bound, wins]) => {
          const at = bound === null ? value : bound;
          const shown = unit === "USD" ? usd(at) : unit === "years" ? number(at) : `${number(at)} ${unit}`.trim();
          const where = WHERE[unit === "years" ? "years" : "other"][bound === null ? "at" : "past"][direction];
          return [words(where, { value: shown }), wins];
        });
        const [[at]] = changes;
        const sentence = words("{input}: {turns}", { input: capital(label), turns: inTurn(told) });
        found.push({ input: name, now, at, sentence });
      }
    }
    return found;
  }

  function prices(data, contenders, given, pick) {
    const winner = (key, amount) => rank(data, contenders, given, { [key]: amount }).ranked[0];
    const found = [dearer(data, winner, pick)];
    for (const one of contenders)
      if (priceKey(one) !== priceKey(pick)) found.push(cheaper(data, winner, one));
    const ordered = found.filter(Boolean);
    const change = ({ now, at }) => (now ? Math.abs(at / now - 1) : at);
    ordered.sort((a, b) => (a.now === 0) - (b.now === 0) || change(a) - change(b) || byText(a.input, b.input));
    const seen = new Set(); // of the others one route and bin of a device is enough: the smallest change
    return ordered.filter(({ input, system }) => {
      const device = `${system.device} ${system.count}`;
      return input === `price:${pick.key}` || (!seen.has(device) && seen.add(device));
    });
  }
  function dearer(data, winner, pick) {
    const now = pick.price ? pick.price.usd : 0;
    if (now <= 0) return null;
    const other = (amount) => winner(priceKey(pick), amount);
    const changes = turns(data, now, now * data.flips.mostDearer, other, pick, placesOfUsd);
    if (!changes.length) return null;
    const from = (at) =>
      hourly(pick) ? words("from {price} an hour on", { price: usd(at) }) : words("from {price} on", { price: usd(at) });
    const told = changes.map(([at, , wins]) => [from(at), wins]);
    const [[at]] = changes;
    const start = { price: usd(at), choice: named(pick), now: usd(now) };
    told[0][0] = hourly(pick)
      ? words("from {price} an hour on for {choice} (now {now})", start)
      : words("from {price} on for {choice} (now {now})", start);
    const sentence = capital(inTurn(told));
    return { input: `price:${pick.key}`, now, at, sentence, system: pick.system };
  }
  function cheaper(data, winner, rival) {
    const { leastPrice, mostUsd } = data.flips;
    const least = leastPrice[rival.route] * rival.system.count;
    const wins = (amount) => winner(priceKey(rival), amount)?.key === rival.key;
    if (!wins(least)) return null;
    const now = rival.price ? rival.price.usd : 0;
    const kinds = CHEAPER[hourly(rival) ? "hour" : "piece"];
    let at = now;
    let how = kinds.again;
    if (now <= 0 && wins(mostUsd)) [at, how] = [mostUsd, phrase("At any price (none is known), {wins}.")];
    else if (!(now > 0 && wins(now))) {
      const nearest = printable(data, now > 0 ? now : mostUsd, least, wins, placesOfUsd);
      if (nearest === null) return null;
      [at] = nearest;
      how = now <= 0 ? kinds.unknown : rival.price.fresh ? kinds.now : kinds.last;
    }
    const sentence = words(how, { price: usd(at), now: usd(now), wins: choosing(rival) });
    return { input: `price:${rival.key}`, now, at, sentence, system: rival.system };
  }

  // How often each choice wins over all combinations of the grid's axes, the most often first: [name, share].
  function grid(data, contenders, given, pick) {
    const axes = data.flips.grid;
    const wins = new Map();
    let same = 0; // the pick's device, however it is paid for
    const now = pick.price ? pick.price.usd : 0;
    let combinations = [{}];
    for (const [name, values] of axes)
      combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
    for (const { price_factor: factor = 1, ...at } of combinations) {
      const [best] = rank(data, contenders, { ...given, ...at }, { [priceKey(pick)]: now * factor }).ranked;
      const key = best ? best.key : "";
      if (best && best.system.device === pick.system.device && best.system.count === pick.system.count) same += 1;
      wins.set(key, (wins.get(key) || 0) + 1);
    }
    const names = new Map(contenders.map((c) => [c.key, named(c)]));
    const shares = [...wins].sort(([a, x], [b, y]) => y - x || byText(a, b));
    return {
      cells: combinations.length,
      deviceShare: same / combinations.length,
      shares: shares.map(([key, count]) => [names.get(key) || NOTHING, count / combinations.length]),
    };
  }

  // Everything that would change the pick; null where there is none.
  function flips(data, { contenders, ranked: [pick] }, { given }) {
    if (!pick) return null;
    const found = [...inputs(data, contenders, given, pick), ...prices(data, contenders, given, pick)];
    return { flips: found, grid: grid(data, contenders, given, pick) };
  }
  function percent(fraction) {
    const value = fraction * 100;
    return `${Math.abs(value) >= 9.95 ? fixed(value, 0) : fixed(value, 1).replace(/\.0$/, "")}\u00a0%`;
  }

  window.hwguideFlips = { flips, percent, NOTHING };
})();
