// What the lab says: every word depends on a computed number.
import { formatNumber } from "../kit/numbers.js";
import { N_QUERIES } from "./maths.js";
import { sayWeight } from "./keys.js";

/** A weight for the table. @param {number} w */
export function shortWeight(w) {
  return w < 1 && w > 0.9995 ? "> 0.999" : formatNumber(w);
}

/**
 * @typedef {import("./maths.js").Numbers} Numbers
 * @typedef {import("./maths.js").Setting} Setting
 */

/** @param {Setting} setting */
export function sayScale({ scale, scale_value }) {
  if (scale === "sqrt_d_k") return "divided by √d_k";
  if (scale === "d_k") return "divided by d_k";
  if (scale === "custom") return `multiplied by ${formatNumber(scale_value)}`;
  return "without scaling";
}

/** "55 of 100 queries are dead". @param {number} share */
function sayDead(share) {
  const hundred = Math.round(100 * share);
  if (share === 0) return "no query is dead";
  if (hundred === 0) return "fewer than 1 of 100 queries are dead";
  return hundred === 1 ? "1 of 100 queries is dead" : `${hundred} of 100 queries are dead`;
}

/** The sentence under the picture. @param {Numbers} numbers @param {Setting} setting */
export function sentence({ batch, scores }, setting) {
  const { n_keys } = setting;
  const where = `At d_k = ${setting.d_k}, ${sayScale(setting)}`;
  const lost = Math.round(batch.overflow * N_QUERIES);
  if (lost === N_QUERIES) {
    return `${where}, every query has a score too large for ${setting.number_format}: ${scores.infinite} scores are infinite and the weights are not numbers.`;
  }
  const overflow = lost
    ? ` In ${lost} of ${N_QUERIES} queries a score is too large for ${setting.number_format}, and the weights are not numbers; the other figures leave them out.`
    : "";
  const share = batch.entropy_median / Math.log(n_keys);
  const uniform = share > 0.99 ? ` That is nearly uniform (1/${n_keys} = ${formatNumber(1 / n_keys, 2)}): the scores are scaled down so far that the keys hardly matter.` : "";
  const [median, mean] = [batch.gradient_norm_median, batch.gradient_norm_mean];
  const tail = `, the mean ${formatNumber(mean)}: ${sayShare(median, mean)}.`;
  return `${where}, the median query puts ${batch.top_weight_median === 1 ? "all" : sayWeight(batch.top_weight_median)} of its weight on one key, and ${sayDead(batch.dead)}.${uniform} The median gradient that reaches a query is ${formatNumber(median)}${tail}${overflow}`;
}

/** What a mean far above the median means. @param {number} median @param {number} mean */
function sayShare(median, mean) {
  if (mean === 0) return "nothing arrives";
  if (mean > 3 * median) return "a few queries near a tie get nearly all of it, so learning is starved and spiky";
  return mean > 1.3 * median ? "some queries get much more than others" : "the queries share it evenly";
}

/** The table of figures: [name, text for the row, digits of its value]. */
export const FIGURES = /** @type {const} */ ([
  ["top_weight", "Top weight", "top_weight", "top_weight_median", "top_weight_mean"],
  ["entropy", "Entropy (nats)", "entropy", "entropy_median", ""],
  ["jacobian_norm", "Jacobian norm", "jacobian_norm", "jacobian_norm_median", ""],
  ["gradient_norm", "Gradient to q", "gradient_norm", "gradient_norm_median", "gradient_norm_mean"],
]);
