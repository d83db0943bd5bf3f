// The mask where no script runs, and its read-outs.
import { sentence } from "./index.js";
import { look } from "./maths.js";

/** @param {any} state */
export function describe({ mask, rule, token, output, seed, limits: { constants } }) {
  const seen = look(mask, rule, token, output, seed, constants);
  const { weights, moved, reach } = seen;
  // What is not a number is shown as such and has no read-out.
  const known = (/** @type {number[]} */ row) =>
    Object.fromEntries(Object.entries(row).filter(([, x]) => !Number.isNaN(x)));
  const spell = (/** @type {number} */ w, /** @type {boolean} */ visible) =>
    Number.isNaN(w)
      ? "not a number"
      : visible
        ? w.toFixed(2)
        : w
          ? `${w.toFixed(2)}, hidden`
          : "–";
  return {
    readouts: { weight: weights.map(known), moved: known(moved), reach: known(reach) },
    sentence: sentence(mask, seen, token, output),
    head: ["query", ...moved.map((_, j) => `k${j + 1}`)],
    rows: weights.map((row, i) => [
      String(i + 1),
      ...row.map((w, j) => spell(w, mask[i][j] === 1)),
    ]),
    caption: "Weights under the mask; a dash: the query may not see this key",
  };
}
