// The server where no script runs, and its read-outs.
import { inUnits, tell } from "./index.js";
import { play } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const { constants, prompts, way } = state.limits;
  const { requests, now } = play(state, constants, prompts.options);
  return {
    readouts: now,
    sentence: tell(state, now, requests.length),
    head: [
      "way",
      ...constants.measures.map((/** @type {[string, string]} */ [, words]) => words),
    ],
    rows: way.options.map((/** @type {string} */ one) => {
      const numbers = play({ ...state, way: one }, constants, prompts.options).now;
      return [
        one,
        ...constants.measures.map((/** @type {[string, string]} */ [name]) =>
          inUnits(name, numbers[name]),
        ),
      ];
    }),
    caption: `${requests.length} requests on one GPU, ${state.places} places, three ways to serve`,
  };
}
