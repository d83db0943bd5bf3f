// What the lab says: every word depends on a computed number.
import { formatNumber } from "../kit/numbers.js";

/**
 * @typedef {import("./maths.js").Numbers} Numbers
 * @typedef {import("./maths.js").Setting} Setting
 */

/** A weight in words that never rounds up to 1. @param {number} w */
export function sayWeight(w) {
  if (w < 1 && w > 0.9995) return "more than 0.999";
  return w === 1 ? "1" : formatNumber(w, w >= 0.1 && w < 0.985 ? 2 : 3);
}

/** A weight for the table. @param {number} w */
export function shortWeight(w) {
  return w < 1 && w > 0.9995 ? "> 0.999" : formatNumber(w);
}

/** @param {Setting} setting */
function sayScale({ scale }) {
  if (scale === "sqrt_d_k") return "With the factor";
  if (scale === "d_k") return "Divided by the width itself";
  return scale === "custom" ? "With a factor of your own" : "Without the factor";
}

/** "55% of the queries are dead". @param {number} share @param {number} queries */
export function sayDead(share, queries) {
  const count = Math.round(share * queries);
  if (count === 0) return "no query is dead";
  if (count === queries) return "every query is dead";
  return count === 1
    ? "one query is dead"
    : `${Math.round(100 * share) || "fewer than 1"}% of the queries are dead`;
}

/** The sentence beside the pictures: two numbers, no more. @param {Numbers} numbers @param {Setting} setting @param {number} queries */
export function sentence({ batch }, setting, queries) {
  const lost = Math.round(batch.overflow * queries);
  if (lost === queries)
    return `Every query has a score too large for ${setting.number_format}: its weights are not numbers.`;
  if (lost)
    return `In ${lost} of ${queries} queries a score is too large for ${setting.number_format}, and the weights are not numbers. Nothing else counts them.`;
  const dead = sayDead(batch.dead, queries);
  const even = batch.entropy_median / Math.log(setting.n_keys) > 0.99;
  if (even)
    return `${sayScale(setting)}, a typical query spreads its weight almost evenly, so it can hardly tell its keys apart; ${dead}.`;
  return `${sayScale(setting)}, a typical query puts ${batch.top_weight_median === 1 ? "all" : sayWeight(batch.top_weight_median)} of its weight on one key, and ${dead}.`;
}

/** The table of figures: [name, text for the row, of the shown query, median, mean]. */
export const FIGURES = /** @type {const} */ ([
  ["top_weight", "Top weight", "top_weight", "top_weight_median", "top_weight_mean"],
  ["entropy", "Entropy (nats)", "entropy", "entropy_median", ""],
  ["jacobian_norm", "Jacobian norm", "jacobian_norm", "jacobian_norm_median", ""],
  [
    "gradient_norm",
    "Gradient to q",
    "gradient_norm",
    "gradient_norm_median",
    "gradient_norm_mean",
  ],
]);
