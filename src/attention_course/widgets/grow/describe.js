// The growing model where no script runs, and its read-outs.
import { beside, mean, tell } from "./maths.js";

/** @param {any} state */
export function describe({ losses, samples, prompt, stage, guesses, limits: { constants } }) {
  const { STAGES: stages, WHOLE: whole } = constants;
  /** @type {number[]} */
  const means = losses.map(mean);
  const shown = means.slice(0, stage + 1);
  const changes = shown.map((x, i) => [i, x - means[beside(i, whole)]]).slice(1);
  return {
    readouts: { mean: shown, change: Object.fromEntries(changes) },
    sentence: tell({ stages, losses, stage, guesses, whole }),
    head: ["model", "loss, mean", "each run", "a text that the first run wrote"],
    rows: means.map((x, i) => [
      stages[i].name,
      x.toFixed(2),
      losses[i].map((/** @type {number} */ run) => run.toFixed(2)).join(" "),
      `${prompt} ${samples[i]}`.trim(),
    ]),
    caption: "Loss on text not seen",
  };
}
