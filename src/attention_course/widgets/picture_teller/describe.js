// The picture teller where no script runs, and its read-outs.
// @ts-check
import { readTensors } from "../models/tensors.js";
import { told } from "./words.js";

/** @param {any} state with the trained weights, in base64 */
export function describe({ weights, limits, ...state }) {
  if (!state.loaded)
    return { readouts: {}, sentence: "Nothing is loaded before you ask for it." };
  const bytes = Uint8Array.from(atob(weights), (byte) => byte.charCodeAt(0));
  const { words, steps, said } = told(readTensors(bytes).tensors, state, limits.constants);
  const at = steps[Math.min(state.word, steps.length) - 1];
  return {
    readouts: { chance: words.map(({ chance }) => chance), weight: at.weights },
    sentence: said,
    head: ["word", "probability", "on the left garment", "on the right one"],
    rows: words.map(({ text, chance, left, rightSide }) => [
      text,
      ...[chance, left, rightSide].map((x) => x.toFixed(2)),
    ]),
    caption: "What the captioner writes, and where it looks before each word",
  };
}
