// Local attention over a row of words: reference.recurrent.local in JavaScript.
import { softmax } from "../kit/attention.js";

/**
 * Softmax over the window alone, then the Gaussian; not normalised again.
 * @param {number[]} scores @param {number} p @param {number} halfWidth @param {boolean} gaussian
 */
export function localWeights(scores, p, halfWidth, gaussian) {
  const inside = scores.map((_, s) => Math.abs(s - p) <= halfWidth);
  const weights = softmax(scores.map((e, s) => (inside[s] ? e : -Infinity)));
  const sigma = halfWidth / 2;
  return weights.map((w, s) =>
    inside[s] && gaussian ? w * Math.exp(-((s - p) ** 2) / (2 * sigma * sigma)) : w,
  );
}

/**
 * All that is shown.
 * @param {number[]} scores @param {string} kind @param {number} centre @param {number} halfWidth
 */
export function look(scores, kind, centre, halfWidth) {
  const everywhere = softmax(scores);
  const whole = kind === "global";
  const p = kind === "local-m" ? Math.floor(centre + 0.5) : centre;
  const inside = scores.map((_, s) => whole || Math.abs(s - p) <= halfWidth);
  const weights = whole ? everywhere : localWeights(scores, p, halfWidth, kind === "local-p");
  return {
    weights,
    everywhere,
    p,
    inside,
    first: inside.indexOf(true),
    last: inside.lastIndexOf(true),
    total: weights.reduce((a, b) => a + b, 0),
    seen: everywhere.reduce((sum, w, s) => (inside[s] ? sum + w : sum), 0),
  };
}
