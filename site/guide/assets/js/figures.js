// Figures as the guide writes them, and its arithmetic: guide/show/figures.py, guide/analysis/ratios.py and the price of a
// unit of speed of guide/decide/cost.py. Tests hold both against Python.
(() => {
  "use strict";
  const MINUS = "\u2212";
  const NBSP = "\u00a0";

  // Decimal digits as Python rounds them: a tie goes to the even digit.
  const EXACT = 30; // further digits that tell a tie from a near one
  function fixed(value, places) {
    const size = Math.abs(value);
    const exact = size.toFixed(places + EXACT);
    const cut = exact.length - EXACT;
    let text = size.toFixed(places);
    if (/^50*$/.test(exact.slice(cut))) {
      const down = exact.slice(0, cut).replace(/\.$/, "");
      if (Number(down.at(-1)) % 2 === 0) text = down;
    }
    const [whole, rest] = text.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
    return value < 0 ? MINUS + grouped : grouped;
  }
  const exponent = (value, digits) => Number(value.toExponential(digits - 1).split("e")[1]);
  const decimals = (value) => (value === 0 ? 0 : Math.max(0, 2 - exponent(Math.abs(value), 3)));
  const number = (value) =>
    fixed(value, Number.isInteger(value) && Math.abs(value) < 1000 ? 0 : decimals(value));
  const times = (value) => `×${fixed(value, decimals(value))}`;
  const span = (low, high) => {
    const [least, most] = [Math.abs(low), Math.abs(high)].sort((x, y) => x - y);
    let places = decimals(most);
    if (fixed(low, places) === fixed(high, places)) places = decimals(least);
    return `${fixed(low, places)}–${fixed(high, places)}`;
  };
  const usd = (amount) => {
    const size = Math.abs(amount);
    if (!size) return "$0";
    return `${amount < 0 ? MINUS : ""}$${fixed(size, size >= 100 ? 0 : size >= 1 ? 2 : decimals(size))}`;
  };
  const gibibytes = (bytes) => `${number(bytes / 2 ** 30)}${NBSP}GiB`;
  // Python's format "g": six significant digits, no zeros at the end.
  function general(value) {
    if (value === 0) return "0";
    const power = exponent(value, 6);
    const strip = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    if (power >= -4 && power < 6) return strip(fixed(value, 5 - power).replaceAll(",", "").replace(MINUS, "-"));
    const [digits] = value.toExponential(5).split("e");
    return `${strip(digits)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }

  // Units that take a decimal prefix beside the figure (guide/views/words.py).
  const PREFIXED = ["B/s", "FLOP/s"];
  const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  function rate(value, unit) {
    if (!PREFIXED.includes(unit)) return number(value);
    const [size, prefix] = PREFIXES.find(([least]) => value >= least) || [1, ""];
    return `${number(value / size)}${NBSP}${prefix}${unit}`;
  }
  function rateSpan(low, high, value, unit) {
    const size = PREFIXED.includes(unit) ? (PREFIXES.find(([least]) => value >= least) || [1])[0] : 1;
    return span(low / size, high / size);
  }

  // A job's time: in seconds up to ten minutes, so that a column of them can be read down.
  const TIMES = [[86400, "d"], [3600, "h"], [60, "min"]];
  function duration(seconds) {
    const [size, unit] = (seconds >= 600 && TIMES.find(([least]) => seconds >= least)) || [1, "s"];
    return `${number(seconds / size)}${NBSP}${unit}`;
  }

  // [low, value, high] of both sides -> the interval of their ratio (bench/compare/intervals.py).
  function divide([aLow, a, aHigh], [bLow, b, bHigh]) {
    const value = a / b;
    const down = Math.hypot(Math.log(a / aLow), Math.log(bHigh / b));
    const up = Math.hypot(Math.log(aHigh / a), Math.log(b / bLow));
    return [value * Math.exp(-down), value, value * Math.exp(up)];
  }

  // Results ([rate, low, high, band low, band high, …]) of both sides -> ratio, its interval, verdict.
  function ratio(a, b) {
    const value = a[0] / b[0];
    const tied = a[3] <= b[4] && b[3] <= a[4];
    const verdict = tied ? "tied" : value > 1 ? "faster" : "slower";
    if (a[1] === null || b[1] === null) return { value, interval: null, verdict };
    const [low, , high] = divide([a[1], a[0], a[2]], [b[1], b[0], b[2]]);
    return { value, interval: [low, high], verdict };
  }

  // Tied by what such figures can tell at best, although the stated intervals alone tell them apart (guide/model.py).
  const withinBand = ({ verdict, interval }) => verdict === "tied" && interval !== null && !(interval[0] <= 1 && 1 <= interval[1]);

  // [[weight, [low, value, high]], …] -> their weighted geometric mean, as [low, value, high].
  function combine(parts) {
    const total = parts.reduce((sum, [weight]) => sum + weight, 0);
    const root = (of) => Math.sqrt(parts.reduce((sum, [w, part]) => sum + ((w / total) * Math.log(of(part))) ** 2, 0));
    const value = Math.exp(parts.reduce((sum, [w, part]) => sum + (w / total) * Math.log(part[1]), 0));
    return [value * Math.exp(-root(([low, at]) => at / low)), value, value * Math.exp(root(([, at, high]) => high / at))];
  }

  // What each 1x costs: a price [low, median, high] over a ratio, with its interval where the ratio has one.
  function perSpeedup(price, { value, interval }) {
    const found = interval && divide(price, [interval[0], value, interval[1]]);
    return { value: price[1] / value, interval: found && [found[0], found[2]] };
  }

  // A ratio as people say it: how many times as fast the faster one is, whichever that is.
  function howMuch({ value, interval }) {
    const up = value >= 1;
    const ends = interval && (up ? interval : [1 / interval[1], 1 / interval[0]]);
    return { text: times(up ? value : 1 / value), interval: ends && span(...ends), sub: ends ? "" : window.hwguideWords.words("no interval stated") };
  }

  window.hwguideFigures = {
    combine, decimals, divide, duration, fixed, general, gibibytes, howMuch, number, perSpeedup, rate, rateSpan,
    ratio, span, times, usd, withinBand,
  };
})();
