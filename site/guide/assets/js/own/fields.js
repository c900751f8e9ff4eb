// Typed access to what a file states, and faults that a reader understands (bench/importers/fields.py).

const { words } = window.hwguideWords;

/** Something in the file that cannot be taken: the message says where and what. */
export class Fault extends Error {}

// The schema takes any finite figure: a probe's rate is in FLOP/s, beyond 1e15 on a large device.
const MOST = 1e24;
const WHOLE = /^[+-]?\d{1,18}$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;
const WORDS = { true: true, false: false, 1: true, 0: false, on: true, off: false };
// Terminal commands, control characters, marks that reverse or hide text.
const UNSEEN = /\x1b\[[0-?]*[ -/]*[@-~]|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line of text without characters that cannot be seen. */
export function plain(text, limit = 160) {
  const shown = String(text).slice(0, 20 * limit).replace(/[\n\r\t]/g, " ").replace(UNSEEN, "").replace(/ +/g, " ").trim();
  return shown.length > limit ? `${shown.slice(0, limit - 1).trimEnd()}…` : shown;
}

function shown(value) {
  if (value === undefined || value === null) return words("nothing");
  if (Array.isArray(value)) return words("a list of {count}", { count: value.length });
  if (typeof value === "object") return words("an object");
  return `“${plain(value, 60)}”`;
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A mapping from a file; `where` is its place. Getters return null for a key that is absent or null. */
export class Fields {
  constructor(values, where) {
    if (!isObject(values)) throw new Fault(words("{where}: expected an object, found {found}", { where, found: shown(values) }));
    this.values = values;
    this.where = where;
  }

  raw(name) {
    const value = Object.hasOwn(this.values, name) ? this.values[name] : null;
    return value === undefined || value === "" ? null : value;
  }

  fault(name, expected) {
    const found = shown(this.raw(name));
    return new Fault(words("{where}, {name}: found {found}, expected {expected}", { where: this.where, name, found, expected }));
  }

  text(name, limit = 160) {
    const value = this.raw(name);
    if (value === null) return null;
    if (typeof value !== "string") throw this.fault(name, words("text"));
    return plain(value, limit) || null;
  }

  number(name, low = -MOST, high = MOST) {
    let value = this.raw(name);
    if (value === null) return null;
    if (typeof value === "string" && NUMBER.test(value.trim())) value = Number(value);
    if (typeof value !== "number" || !Number.isFinite(value) || value < low || value > high)
      throw this.fault(name, words("a number from {low} to {high}", { low, high }));
    return value;
  }

  count(name, low = 0, high = 1e15) {
    let value = this.raw(name);
    if (value === null) return null;
    if (typeof value === "string" && WHOLE.test(value.trim())) value = Number(value);
    if (!Number.isSafeInteger(value) || value < low || value > high)
      throw this.fault(name, words("a whole number from {low} to {high}", { low, high }));
    return value;
  }

  flag(name) {
    const value = this.raw(name);
    if (value === null) return null;
    const found = WORDS[String(value).trim().toLowerCase()];
    if (typeof value === "object" || found === undefined) throw this.fault(name, words("true or false"));
    return found;
  }

  numbers(name, most = 100_000) {
    const value = this.raw(name);
    if (value === null) return [];
    if (!Array.isArray(value) || value.length > most) throw this.fault(name, words("a list of at most {most} numbers", { most }));
    if (!value.every((v) => typeof v === "number" && v >= 0 && v <= MOST)) throw this.fault(name, words("numbers from 0 only"));
    return value;
  }

  /** An ISO 8601 time as milliseconds; null when absent. */
  time(name) {
    const value = this.raw(name);
    if (value === null) return null;
    const text = value instanceof Date ? value.toISOString() : String(value);
    const found = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
    const year = new Date(found).getUTCFullYear();
    if (!(year >= 2000 && year < 2100)) throw this.fault(name, words("a time between {first} and {last}", { first: 2000, last: 2100 }));
    return found;
  }
}
