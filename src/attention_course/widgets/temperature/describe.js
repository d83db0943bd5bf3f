// The temperature where no script runs, and its read-outs.
import { tidyNumber } from "../chart/scale.js";
import { formatNumber } from "../kit/numbers.js";
import { namesOf, quoted, temper, tell, weightText } from "./maths.js";

/** @param {any} state */
export function describe({ scores, temperature, words }) {
  const { scaled, weights, entropy, top } = temper(scores, temperature);
  const rows = [1, 5, 10, 25, 50, 100].map((t) => {
    const now = temper(scores, t);
    const rest = (/** @type {number} */ i) =>
      now.weights.reduce((sum, w, j) => (j === i ? sum : sum + w), 0);
    return [
      String(t),
      ...now.weights.map((w, i) => weightText(w, rest(i))),
      formatNumber(now.entropy),
    ];
  });
  return {
    readouts: { scaled, weight: weights, entropy, top_weight: weights[top] },
    sentence: tell(scores, temperature, quoted(words, scores)),
    head: [
      "temperature",
      ...namesOf(words, scores).map((word, i) => `${word} (score ${tidyNumber(scores[i])})`),
      "entropy (nats)",
    ],
    rows,
    caption: "Weights at six temperatures",
  };
}
