// What the widget says.
import { formatNumber } from "../kit/numbers.js";

/** How the models are called. @type {Record<string, string>} */
export const NAMES = { attention: "attention", fixed: "one fixed context" };
const OVER = 10; // steps that a shown loss is the mean of

/** The mean loss of the last steps up to one. @param {number[]} losses @param {number} step */
export function lately(losses, step) {
  const last = losses.slice(Math.max(0, step - OVER), step);
  return last.reduce((sum, x) => sum + x, 0) / last.length;
}

/** The share at the last look up to a step; null before the first. @param {Record<string, number>} exact @param {number} step @param {number} every */
export function exactAt(exact, step, every) {
  return exact[step - (step % every)] ?? null;
}

/** @param {{step: number, seed: number, every: number, tested: number, runs: {name: string, losses: number[], exact: Record<string, number>}[]}} shown */
export function sentence({ step, seed, every, tested, runs }) {
  const looked = step - (step % every);
  const losses = runs
    .map(({ name, losses: all }) => `${formatNumber(lately(all, step), 2)} with ${NAMES[name]}`)
    .join(" and ");
  const exact = runs
    .map(
      (run, i) =>
        `${NAMES[run.name]} writes ${Math.round(tested * run.exact[looked])}${i ? "" : " without an error"}`,
    )
    .join(", ");
  const tests = looked
    ? ` Of ${tested} held-out sentences, ${exact}${looked < step ? `, after ${looked} steps` : ""}.`
    : "";
  return `After ${step} ${step === 1 ? "step" : "steps"} from seed ${seed}, the loss is ${losses}.${tests}`;
}

/** How much of the weight lies on the words that the grammar translated. @param {{weights: number[][], from: number[][]}} shown */
export function shareOnSource({ weights, from }) {
  const rows = from.flatMap((places, i) =>
    places.length ? [places.reduce((sum, j) => sum + weights[i][j], 0)] : [],
  );
  return rows.reduce((sum, share) => sum + share, 0) / rows.length;
}

/** @param {{weights: number[][], from: number[][]}} shown */
export const onSource = (shown) =>
  `${formatNumber(shareOnSource(shown), 2)} of the weight lies on the word that each word comes from.`;
