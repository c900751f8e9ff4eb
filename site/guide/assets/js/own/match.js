// A machine's figures held against the guide's tasks: by task key for rows of bench collect; for llama-bench by
// every value of the test, never by likeness. own.json is made by guide/views/own.py.
const { ratio, combine, rate: rateWords, rateSpan, fixed } = window.hwguideFigures;
const { words, phrase, joined, language, lack } = window.hwguideWords;

const NAMES = {
  workload: phrase("what is timed"),
  family: phrase("the model’s family"),
  params: phrase("the model’s parameters"),
  weights: phrase("the type of the weights"),
  batch: phrase("sequences at once"),
  fed: phrase("prompt tokens"),
  made: phrase("generated tokens"),
  depth: phrase("tokens already in the cache"),
  flash: phrase("flash attention"),
  at_once: phrase("prompt tokens computed at once"),
  rest: phrase("further settings"),
};
const KINDS = {
  extrapolated: phrase("extrapolated"),
  estimated: phrase("estimated"),
  inferred: phrase("inferred"),
  derived: phrase("derived"),
};
/** More differences than this, and no test of the guide is near enough to be named. */
const NEAR = 3;
/** Parameters further apart than this are another model's, whatever its family. */
const SAME_MODEL = 0.05;

const indexes = new Map();
/** The guide's index, fetched once; the only thing that is asked for. Throws when it cannot be had. */
export function index(root) {
  const address = new URL(`assets/data/${joined(["own", language(), "json"], ".")}`, root).href;
  if (!indexes.has(address)) {
    const fetched = fetch(address, { cache: "no-cache" }).then((answer) => {
      if (!answer.ok) throw new Error(`${answer.status} for the guide's tasks`);
      return answer.json();
    });
    fetched.then(({ untranslated }) => lack(untranslated), () => {});
    indexes.set(address, fetched);
    fetched.catch(() => indexes.delete(address));
  }
  return indexes.get(address);
}

const rounded = (value, digits) => Number(value.toPrecision(digits));

function sameParams(asked, test) {
  if (asked === null) return false;
  return test.digits ? rounded(asked, test.digits) === test.params : asked === test.params;
}

/** In what a test asked for differs from one of the guide's: names of NAMES, and backend, build, split. */
export function differences(asked, version, test) {
  const found = Object.keys(NAMES).filter((name) =>
    name === "params" ? !sameParams(asked.params, test) : asked[name] !== test[name],
  );
  const several = test.backends.length > 1;
  if (several ? asked.backend === "CPU" || asked.backend.includes("+") : asked.backend !== test.backends[0]) found.push("backend");
  if (asked.split && !test.splits.includes(asked.split)) found.push("split");
  if (test.build && !(version ?? "").includes(test.build.slice(0, 7))) found.push("build");
  return found;
}

/** Keys of the guide's tasks that are the figure's own, and have its unit: no figure is divided by one in another. */
export function tasksOf(figure, { tasks }) {
  const alike = (key) => tasks[key].unit === figure.unit;
  if (figure.key && Object.hasOwn(tasks, figure.key)) return [figure.key].filter(alike);
  if (!figure.asked) return [];
  return Object.keys(tasks).filter((key) => tasks[key].llama && alike(key) && !differences(figure.asked, figure.version, tasks[key].llama).length);
}

const said = (value) => (value === null || value === undefined ? words("none") : typeof value === "number" ? fixed(value, 0) : String(value));

function inWords(name, { asked, version }, test) {
  if (name === "backend")
    return words("the backend is {mine}, the guide’s table is of {theirs}", { mine: asked.backend, theirs: joined(test.backends, ", ") });
  if (name === "split") return words("it ran on several devices, the guide’s table is of single ones");
  if (name === "build")
    return words("the build is {mine}, all of the guide’s table ran with {theirs}", { mine: version ?? words("not stated"), theirs: test.build });
  if (name === "flash" && asked.flash === "auto")
    return words("flash attention was left to the program (auto), and the file does not say whether it was used");
  if (name === "rest") return words("further settings were changed ({settings})", { settings: asked.rest.replace(/["{}]/g, "") });
  return words("{what}: {mine}, in the guide {theirs}", { what: words(NAMES[name]), mine: said(asked[name]), theirs: said(test[name]) });
}

const nearlySame = (a, b) => a !== null && Math.abs(a / b - 1) < SAME_MODEL;

// How far the lengths of two tests are apart, of equally many differences.
function distance(asked, test) {
  const far = (a, b) => (a && b ? Math.abs(Math.log(a / b)) : 0);
  return ["fed", "made", "at_once"].reduce((sum, name) => sum + far(asked[name], test[name]), Math.abs(asked.depth - test.depth) / 1e4);
}

/** Why the guide has no counterpart of a figure, in a sentence. */
export function whyNone(figure, { tasks }) {
  const { asked } = figure;
  if (!asked) return words("No machine of the guide has run this task (its key is in none of the guide’s rows).");
  if (asked.workload === "generate") return words("It counts prompt and generated tokens together; the guide’s tables keep them apart.");
  if (asked.rest.includes("runs_on")) return words("It ran on the processor; the guide’s tables of llama-bench are of GPUs.");
  const alike = Object.values(tasks).filter(({ llama }) => llama && llama.family === asked.family && nearlySame(asked.params, llama.params));
  if (!alike.length) return words("No published table of the guide is of this model.");
  const near = alike
    .map((task) => ({ test: task.llama, found: differences(asked, figure.version, task.llama) }))
    .sort((a, b) => a.found.length - b.found.length || distance(asked, a.test) - distance(asked, b.test))[0];
  if (!near || near.found.length > NEAR) return words("No published table of the guide holds such a test.");
  const differs = joined(near.found.map((name) => inWords(name, figure, near.test)), "; ");
  return words("The nearest test of the guide differs: {differs}.", { differs });
}

/** The figure as the guide's own results are: see `result` in own.js. */
function asResult({ values, unit, kind, version, flags, job, more }, disturbed) {
  const [rate, low, high] = values;
  const shown = rateWords(rate, unit) + (low === null ? "" : ` [${rateSpan(low, high, rate, unit)}]`);
  const remarks = [
    Object.hasOwn(KINDS, kind) ? words(KINDS[kind]) : "",
    joined(Object.keys(disturbed).filter((flag) => flags.includes(flag)).map((flag) => disturbed[flag]), ", "),
    flags.includes("slow-for-hardware") ? words("slow for the hardware") : "",
    version ?? "",
  ];
  return [...values, shown, joined(remarks, "; "), job ?? null, more ?? {}];
}

/** What of a machine the guide's tasks hold: see `window.hwguideOwn`. */
export async function match(machine, root) {
  const guide = machine ? await index(root) : { tasks: {}, systems: {} };
  const results = new Map();
  const without = [];
  for (const figure of machine?.figures ?? []) {
    const keys = tasksOf(figure, guide);
    for (const key of keys) results.set(key, asResult(figure, guide.disturbed));
    if (!keys.length) without.push([figure.label, whyNone(figure, guide)]);
  }
  const theirs = (key, system) => {
    const found = guide.tasks[key]?.results[system];
    return found && found[0] !== null ? found : null;
  };
  const over = (key, system) => {
    const [mine, other] = [results.get(key), theirs(key, system)];
    return mine && other ? ratio(mine, other) : null;
  };
  const speed = (tasks, system) => {
    const found = tasks.map(([key, weight]) => [weight, over(key, system)]);
    if (!found.length || found.some(([, one]) => one === null)) return null;
    const known = found.every(([, { interval }]) => interval);
    const part = ({ value, interval }) => (known ? [interval[0], value, interval[1]] : [value, value, value]);
    const [low, value, high] = combine(found.map(([weight, one]) => [weight, part(one)]));
    return { value, interval: known ? [low, high] : null };
  };
  return { guide, keys: [...results.keys()], without, result: (key) => results.get(key) ?? null, over, speed };
}
