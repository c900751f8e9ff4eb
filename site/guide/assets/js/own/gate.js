// No impossible figure: a test of llama-bench held against what the catalog's device of that name can do at most
// (bench/importers/physics.py, bench/verify/physics.py). A device that is not found by its whole name is not judged.
const { fixed } = window.hwguideFigures;
const { words, joined } = window.hwguideWords;

const MIXTURE = /\d+x\d|\d\.?\d*b[ .-]?a\d|moe|-\d+e\b|next|mixtral/i;
const FLOPS_PER_PARAMETER = 2;
const CACHED_BYTES = 1.5e9;

/** Whether every parameter works on every token, as far as the model's name tells. */
export function isDense(model, dense) {
  if (!model || MIXTURE.test(model)) return false;
  const name = model.toLowerCase().split("/").at(-1).replace(/^meta-/, "").replace(/^meta /, "");
  const parts = name.split(/[ _:-]/);
  if (parts[0] === "deepseek") return parts.includes("distill");
  return dense.includes(parts[0]) && !(parts[0] === "llama" && parts[1] === "4");
}

const workingShare = (params) => (params >= 6e9 ? 0.9 : params >= 1.5e9 ? 0.8 : 0.5);

/** `{device, broken}`: the catalog's device, if its name is known, and why it cannot have been so fast. */
export function impossible({ device: { name, count, processor, listed }, rate, model, size, split, asked }, { ceilings, dense, tolerance }) {
  const wanted = (name ?? "").toLowerCase();
  const id = listed ? undefined : Object.keys(ceilings).find((key) => ceilings[key].names.includes(wanted));
  const found = id && ceilings[id];
  if (!found || processor !== found.cpu || !rate) return { device: found && processor === found.cpu ? id : null, broken: null };
  if (!asked.params || !isDense(model, dense)) return { device: id, broken: null };
  const params = asked.params * workingShare(asked.params);
  const [bytes, half, any] = found.most;
  const flops = ["fp32", "fp16", "bf16"].includes(asked.weights) ? half : any;
  const reasons = [];
  const arithmetic = rate * FLOPS_PER_PARAMETER * params;
  if (flops && arithmetic > flops * count * tolerance)
    reasons.push(words("it would take {share} of the arithmetic that {name} can do", { share: percent(arithmetic / (flops * count)), name }));
  const moved = asked.workload === "decode" && size > CACHED_BYTES ? rate * size * workingShare(asked.params) : 0;
  const most = bytes * (split === "row" ? count : 1);
  if (bytes && moved > most * tolerance)
    reasons.push(words("it would take {share} of the memory rate that {name} has", { share: percent(moved / most), name }));
  return { device: id, broken: joined(reasons, "; ") || null };
}

const percent = (share) => `${fixed(share * 100, 0)} %`;
