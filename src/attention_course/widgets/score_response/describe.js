// Seven score functions where no script runs, and their read-outs.
import { drawn, query, respond, tell, weigh } from "./maths.js";

/** @param {any} state */
export function describe({ angle, length, d, beta, seed, limits: { constants } }) {
  const draws = drawn(d, seed, constants);
  const score = respond(draws, query(draws, angle, length), beta);
  const weight = weigh(score);
  return {
    readouts: { score, weight },
    sentence: tell(draws, score, weight),
    head: ["score", ...weight.dot.map((_, j) => `key ${j + 1}`)],
    rows: constants.scores.map((/** @type {[string, string]} */ [name, label]) => [
      label,
      ...weight[name].map((w) => w.toFixed(3)),
    ]),
    caption: "Weights of the same five keys",
  };
}
