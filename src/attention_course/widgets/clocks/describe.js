// The clocks where no script runs, and their read-outs.
import { formatNumber } from "../kit/numbers.js";
import { tell } from "./index.js";
import { look } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const { constants, kind } = state.limits;
  const now = look(state, constants);
  const { distance, score, moved, parts, curves } = now;
  return {
    readouts: { distance, score, moved, part: parts, curve: curves },
    sentence: tell(state, now, constants.further),
    head: ["positions", "score", `both ${constants.further} further on`],
    rows: kind.options.map((/** @type {string} */ one, /** @type {number} */ i) => {
      const other = look({ ...state, kind: one }, constants);
      return [kind.texts[i], formatNumber(other.score), formatNumber(other.moved)];
    }),
    caption: "The same two words under three kinds of position",
  };
}
