// The image looker where no script runs, and its read-outs.
// @ts-check
import { looked } from "./words.js";
import { readTensors } from "../models/tensors.js";

/** @param {any} state with the trained weights, in base64 */
export function describe({ weights, limits, ...state }) {
  if (!state.loaded)
    return { readouts: {}, sentence: "Nothing is loaded before you ask for it." };
  const names = limits.constants;
  const bytes = Uint8Array.from(atob(weights), (byte) => byte.charCodeAt(0));
  const { now, row, said } = looked(readTensors(bytes).tensors, state, names);
  return {
    readouts: now ? { chance: now.chances, weight: row } : {},
    sentence: said,
    head: ["class", "probability"],
    rows: now
      ? names.CLOTHES.map((/** @type {string} */ name, /** @type {number} */ i) => [
          name,
          now.chances[i].toFixed(2),
        ])
      : [],
    caption: "What the Vision Transformer makes of it",
  };
}
