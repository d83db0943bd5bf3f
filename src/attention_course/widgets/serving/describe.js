// The server where no script runs, and its read-outs.
import { inUnits, namesOf, tell } from "./index.js";
import { play } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const { constants, way } = state.limits;
  const names = namesOf(state.limits);
  const played = play(state, constants, names);
  return {
    readouts: played.now,
    sentence: tell(state, played),
    head: [
      "way",
      ...constants.measures.map((/** @type {[string, string]} */ [, words]) => words),
    ],
    rows: way.options.map((/** @type {string} */ one) => {
      const numbers = play({ ...state, way: one }, constants, names).now;
      return [
        one,
        ...constants.measures.map((/** @type {[string, string]} */ [name]) =>
          inUnits(name, numbers[name]),
        ),
      ];
    }),
    caption: `${played.requests.length} requests, ${state.cache} GB of memory beside a whole model, three ways to serve`,
  };
}
