// The window where no script runs, and its read-outs.
import { tell } from "./index.js";
import { look } from "./maths.js";

/** @param {any} state */
export function describe({ words, scores, kind, centre, half_width }) {
  const now = look(scores, kind, centre, half_width);
  const { weights, everywhere, p, first, last, total, seen } = now;
  return {
    readouts: { weight: weights, global_weight: everywhere, p, first, last, total, seen },
    sentence: tell(words, kind, now),
    head: ["word", "global", "here"],
    rows: words.map((/** @type {string} */ word, /** @type {number} */ s) => [
      `${s}: ${word}`,
      everywhere[s].toFixed(3),
      weights[s].toFixed(3),
    ]),
    caption: `Weights, ${kind}`,
  };
}
