// Scales, ticks and the way numbers are written: what a chart needs before it draws anything.
import { formatNumber } from "../kit/numbers.js";

/**
 * @typedef {{type?: "linear" | "log" | "category", range?: [number, number], title?: string,
 *   categories?: string[], ticks?: {at: number, text: string}[], reversed?: boolean,
 *   say?: (value: number) => string}} Axis
 * @typedef {{at: number, text: string}} Tick
 */

/**
 * Write a number for a tick or a read-out: without the zeros that end it.
 * @param {number | null} value
 */
export function tidyNumber(value, digits = 3) {
  if (value === null || Number.isNaN(value)) return "no value";
  return formatNumber(value, digits)
    .replace(/(\.\d*?)0+(?=$| )/, "$1")
    .replace(/\.(?=$| )/, "");
}

/** The largest of 1, 2, 5 times a power of ten that gives about `count` steps. */
export function niceStep(/** @type {number} */ span, count = 5) {
  const raw = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const rest = raw / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

/** Round ticks from `low` to `high`. @param {number} low @param {number} high @returns {Tick[]} */
export function linearTicks(low, high, count = 5) {
  if (!(high > low)) return [{ at: low, text: tidyNumber(low) }];
  const step = niceStep(high - low, count);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) {
    const at = Number((k * step).toPrecision(12));
    const large = Math.abs(at) >= 1e6 || (step < 1e-4 && at !== 0);
    const text = large ? tidyNumber(at) : Math.abs(at).toFixed(decimals);
    ticks.push({ at, text: !large && at < 0 ? `−${text}` : text });
  }
  return ticks;
}

/**
 * Ticks at powers of ten, thinned out or filled with 2 and 5 until about `count` remain.
 * @param {number} low @param {number} high @returns {Tick[]}
 */
export function logTicks(low, high, count = 5) {
  if (!(low > 0 && high > low)) return [{ at: low, text: tidyNumber(low) }];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const parts = last - first < 2 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let exponent = first - 1; exponent <= last; exponent++) {
    if (parts.length === 1 && (exponent - first) % every !== 0) continue;
    for (const part of parts) {
      const at = Number(`${part}e${exponent}`);
      if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)) {
        ticks.push({ at, text: logText(at, exponent, part) });
      }
    }
  }
  return ticks.length > 1 ? ticks : linearTicks(low, high, count);
}

/** @param {number} at @param {number} exponent @param {number} part */
function logText(at, exponent, part) {
  const text = exponent >= -2 && exponent <= 4 ? String(at) : formatNumber(at, 1);
  return part === 1 ? text.replace("1 × ", "") : text;
}

/**
 * The limits of an axis in the space in which it is straight: logarithms on a log axis.
 * @param {Axis} axis @returns {[number, number]}
 */
export function straightRange(axis) {
  if (axis.type === "category") return [-0.5, (axis.categories ?? []).length - 0.5];
  const [low, high] = axis.range ?? [0, 1];
  return axis.type === "log" ? [Math.log10(low), Math.log10(high)] : [low, high];
}

/**
 * A function from data to pixels.
 * @param {Axis} axis @param {number} from pixel of the low end @param {number} to
 * @returns {(value: number) => number}
 */
export function makeScale(axis, from, to) {
  let [low, high] = straightRange(axis);
  if (axis.reversed) [low, high] = [high, low];
  const span = high - low || 1;
  const log = axis.type === "log";
  return (value) => from + (((log ? Math.log10(value) : value) - low) / span) * (to - from);
}

/**
 * The ticks of an axis: its own if it has any, else nice ones, about `count` of them.
 * @param {Axis} axis @returns {Tick[]}
 */
export function axisTicks(axis, count = 5) {
  if (axis.type === "category" && !axis.ticks) {
    return (axis.categories ?? []).map((text, at) => ({ at, text }));
  }
  const [low, high] = axis.range ?? [0, 1];
  if (axis.ticks) return axis.ticks.filter((t) => t.at >= low && t.at <= high);
  return axis.type === "log" ? logTicks(low, high, count) : linearTicks(low, high, count);
}

/** Write a position on an axis for the read-out. @param {Axis} axis @param {number} value */
export function formatAt(axis, value) {
  if (axis.say) return axis.say(value);
  if (axis.type === "category") return (axis.categories ?? [])[Math.round(value)] ?? "";
  const named = (axis.ticks ?? []).find((t) => t.at === value);
  if (named) return named.text;
  const exact = Number.isInteger(value) && Math.abs(value) < 1e6;
  return exact ? String(value).replace("-", "−") : tidyNumber(value, 4);
}
