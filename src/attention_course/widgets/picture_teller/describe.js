// The picture teller where no script runs, and its read-outs.
// @ts-check
import { readTensors } from "../models/tensors.js";
import { asked, told } from "./words.js";

/** @param {any} state with the trained weights, in base64 */
export function describe({ weights, limits, ...state }) {
  if (!state.loaded)
    return { readouts: {}, sentence: "Nothing is loaded before you ask for it." };
  const bytes = Uint8Array.from(atob(weights), (byte) => byte.charCodeAt(0));
  const { tensors } = readTensors(bytes);
  if (state.task === "questions")
    return describeAnswer(asked(tensors, state, limits.constants), state);
  const { words, steps, said } = told(tensors, state, limits.constants);
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

/** @param {ReturnType<typeof asked>} found @param {any} state */
function describeAnswer({ looks, chances, shares, said }, { word }) {
  if (!chances) return { readouts: {}, sentence: said };
  return {
    readouts: { chance: chances, weight: looks[Math.min(word, 2) - 1] },
    sentence: said,
    head: ["look", "on the left garment", "on the right one"],
    rows: shares.map((row, t) => [t ? "second" : "first", ...row.map((x) => x.toFixed(2))]),
    caption: "Where the two looks go",
  };
}
