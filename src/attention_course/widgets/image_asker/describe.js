// The image asker where no script runs, and its read-outs.
// @ts-check
import { NOTHING } from "./maths.js";
import { answered, placeInWords } from "./words.js";
import { readTensors } from "../models/tensors.js";

/** @param {any} state with the trained weights, in base64 */
export function describe({ weights, limits, ...state }) {
  if (!state.loaded)
    return { readouts: {}, sentence: "Nothing is loaded before you ask for it." };
  const names = limits.constants;
  const bytes = Uint8Array.from(atob(weights), (byte) => byte.charCodeAt(0));
  const { tensors } = readTensors(bytes);
  const { now, said } = answered(tensors, state, names);
  const { contents, photograph } = state;
  const asked = names.QUESTIONS.slice(0, 4).map((/** @type {string} */ question) => [
    question,
    0,
  ]);
  const forced = contents.flatMap((/** @type {number} */ kind, /** @type {number} */ i) =>
    kind === NOTHING ? [] : [[names.QUESTIONS[0], i + 1]],
  );
  return {
    readouts: now
      ? {
          chance: now.chances,
          ...Object.fromEntries(now.looks.map((w, t) => [`look-${t + 1}`, w])),
        }
      : {},
    sentence: said,
    head: ["question", "first look", "second look", "answer"],
    rows: [...asked, ...forced].map(([question, first]) => {
      const found = answered(tensors, { contents, photograph, question, first }, names).now;
      if (!found) return [question, "none", "none", "none"];
      const top = (/** @type {number[]} */ x) => x.indexOf(Math.max(...x));
      const [one, two] = found.looks.map(
        (w) => `${placeInWords(top(w), contents, names)}, ${Math.max(...w).toFixed(2)}`,
      );
      return [
        question,
        first ? `${one} (forced)` : one,
        two,
        names.ANSWERS[top(found.chances)],
      ];
    }),
    caption: "What the trained model answers, and where each look goes most",
  };
}
