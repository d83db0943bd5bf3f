// What a translator looks at and writes, once the reader's cuts are made.
import { softmax } from "../kit/attention.js";

/** Weights from scores at one step, after the cuts: a moved gaze goes before all else. @param {number[]} scores @param {number} step @param {import("./translators.js").Cuts} cuts */
export function cutGaze(scores, step, { moves, forbidden, uniform }) {
  const moved = moves.find(([at]) => at === step);
  if (moved) return scores.map((_, j) => (j === moved[1] ? 1 : 0));
  return softmax(scores.map((e, j) => (forbidden.includes(j) ? -Infinity : uniform ? 0 : e)));
}

/** The place of the largest. @param {ArrayLike<number>} x */
export function argmax(x) {
  let best = 0;
  for (let i = 1; i < x.length; i++) if (x[i] > x[best]) best = i;
  return best;
}
