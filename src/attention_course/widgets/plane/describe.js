// The plane where no script runs, and its read-outs.
import { formatNumber } from "../kit/numbers.js";
import { attend, tell } from "./maths.js";

/** @param {any} state */
export function describe({ query, key_points: keys, score, temperature }) {
  const now = attend(query, keys, score, temperature);
  const { scores, weights, entropy, context } = now;
  return {
    readouts: { score: scores, weight: weights, entropy, context },
    sentence: tell(query, keys, now),
    head: ["key", "score", "weight"],
    rows: keys.map((/** @type {number[]} */ at, /** @type {number} */ j) => [
      `key ${j + 1} at (${at.join(", ")})`,
      formatNumber(scores[j]),
      weights[j].toFixed(3),
    ]),
    caption: "Scores and weights",
  };
}
