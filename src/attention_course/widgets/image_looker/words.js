// What the image looker says.
// @ts-check
import { DRAWING, classify, ink, mapOf, pictureOf } from "./maths.js";

/** The name of a token: 0 is the class token, then the patches, row by row. @param {number} i */
export function token(i) {
  return i === 0
    ? "the class token"
    : `row ${Math.floor((i - 1) / 7) + 1}, column ${((i - 1) % 7) + 1}`;
}

/** What stands in place of what is covered or silenced: on the control, and in a sentence. @type {Record<string, {text: string, put: string}>} */
export const BLADES = {
  zero: { text: "nothing", put: "nothing instead" },
  mean: { text: "the mean", put: "the mean over the training pictures instead" },
  other: { text: "the next picture’s", put: "the next picture’s instead" },
};

/**
 * @param {{names: string[], now: number[], before: number[], covered: number[], swapped: number[], silent: number[], blade: string, picture: number, asks: number, row: number[]}} seen
 */
export function sentence({
  names,
  now,
  before,
  covered,
  swapped,
  silent,
  blade,
  picture,
  asks,
  row,
}) {
  const best = now.indexOf(Math.max(...now));
  const was = before.indexOf(Math.max(...before));
  const truth = picture < names.length ? `It shows: ${names[picture]}. ` : "";
  const answer = `The model says ${names[best]}, with probability ${now[best].toFixed(2)}.`;
  const gone = [
    covered.length && `${covered.length} ${covered.length === 1 ? "patch" : "patches"} covered`,
    silent.length && `${silent.length} ${silent.length === 1 ? "head" : "heads"} silent`,
  ].filter(Boolean);
  const cuts = [
    gone.length && `${gone.join(" and ")} (${BLADES[blade].put})`,
    swapped.length && "two patches swapped",
  ].filter(Boolean);
  const change = cuts.length
    ? ` With ${cuts.join(", ")}. Untouched it says ${was === best ? "the same" : names[was]}, with ${before[was].toFixed(2)}.`
    : "";
  const own = row.slice(1);
  const at = own.indexOf(Math.max(...own));
  return `${truth}${answer}${change} In the map ${token(asks)} looks most at ${token(at + 1)}.`;
}

/** What a state shows, and what is said of it; no numbers where nothing is drawn. @param {import("./maths.js").Tensors} tensors @param {any} state @param {{CLOTHES: string[], HEADS: number, LAYERS: number}} names */
export function looked(tensors, state, { CLOTHES, HEADS, LAYERS }) {
  const { picture, covered, silent, blade } = state;
  const pixels = picture === DRAWING ? ink(state.drawn) : pictureOf(tensors, picture);
  const other = pictureOf(tensors, (picture + 1) % DRAWING);
  const swapped = state.swapped.length === 2 ? state.swapped : [];
  const shown = { pixels, other, swapped };
  if (!pixels.some((x) => x > 0))
    return {
      ...shown,
      now: null,
      row: [],
      said: "Nothing is drawn yet, so there is nothing to name. Press and drag in the picture, or move with the arrow keys and fill patches with Space.",
    };
  const sizes = { heads: HEADS, layers: LAYERS };
  const now = classify(tensors, pixels, sizes, { covered, swapped, silent, blade, other });
  const before = classify(tensors, pixels, sizes).chances;
  const row = mapOf(now.weights[state.layer - 1], state.head, state.asks);
  const said = sentence({ ...state, swapped, names: CLOTHES, now: now.chances, before, row });
  return { ...shown, now, row, said };
}
