// Hard choices where no script runs, and their read-outs.
import { formatNumber } from "../kit/numbers.js";
import { tell } from "./index.js";
import { estimate } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const now = estimate(state);
  const { weights, rewards, exact, mean, counts, distance, error } = now;
  return {
    readouts: { weight: weights, exact, mean, count: counts, distance, error },
    sentence: tell(state, now),
    head: ["position", "weight", "reward", "chosen", "exact gradient", "mean estimate"],
    rows: weights.map((w, j) => [
      String(j + 1),
      w.toFixed(3),
      formatNumber(rewards[j]),
      String(counts[j]),
      formatNumber(exact[j]),
      formatNumber(mean[j]),
    ]),
    caption: `Choices and gradients, ${state.estimator}`,
  };
}
