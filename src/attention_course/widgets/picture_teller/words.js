// What the captioner wrote, against what is true of the picture, and what is said of it.
// @ts-check
import { annotate, ownersOf, pictureOf, tell } from "./maths.js";

/** @typedef {import("./maths.js").Names} Names */
/** @typedef {{text: string, chance: number, right: boolean, left: number, rightSide: number, turned: boolean}} Told a word with the share of its look on each garment */

/** The one right caption. @param {string[]} garments size, colour and kind of both */
export function rightCaption(garments) {
  const clauses = garments.map((garment) => {
    const [size, colour, kind] = garment.split(" ");
    // The grammar has no size for trousers.
    return kind === "trousers"
      ? `the trousers are ${colour}`
      : `the ${size} ${kind} is ${colour}`;
  });
  return `${clauses.join(" and ")} .`.split(" ");
}

/** Where a cell lies, in words. @param {number} cell */
export const cellInWords = (cell) =>
  `row ${Math.floor(cell / 14) + 1}, column ${(cell % 14) + 1}`;

/** @type {{key: string, tensors: any, cells: any} | null} the last picture: a turn of the gaze leaves it as it is */
let last = null;

/**
 * What is written in a state, word by word, and what is said of it.
 * @param {import("../models/layers.js").Tensors} tensors
 * @param {any} state
 * @param {Names} names
 */
export function told(tensors, state, names) {
  const { left, right, photograph, way } = state;
  const garments = [left, right];
  const picture = pictureOf(tensors, garments, photograph, names);
  const key = JSON.stringify([garments, photograph]);
  if (last?.key !== key || last.tensors !== tensors)
    last = { key, tensors, cells: annotate(tensors, picture) };
  const { cells } = last;
  const owners = ownersOf(picture);
  const symbols = ["", "", "", ...names.WORDS];
  const written = (/** @type {number[]} */ turned) =>
    tell(tensors, cells, { way, turned, owners, longest: names.LONGEST });
  const wanted = rightCaption(garments);
  const steps = written(state.turned);
  const words = steps.map(({ word, chance, weights }, t) => {
    const on = (/** @type {number} */ side) =>
      weights.reduce((sum, w, i) => sum + (owners[i] === side ? w : 0), 0);
    const text = symbols[word] || "(end)";
    return {
      text,
      chance,
      right: text === (wanted[t] ?? "(end)"),
      left: on(0),
      rightSide: on(1),
      turned: Boolean(state.turned[t]),
    };
  });
  const free = written([]).map(({ word }) => symbols[word] || "(end)");
  return { picture, owners, steps, words, wanted, said: sentence(words, free, state) };
}

/** @param {Told[]} words @param {string[]} free what it writes when it is not turned @param {any} state */
export function sentence(words, free, { left, right, word, way }) {
  const texts = words.map(({ text }) => text);
  const shown = texts
    .filter((text) => text !== "(end)")
    .join(" ")
    .replace(/ \.$/, ".");
  const wrong = words.filter((one) => !one.right).map(({ text }) => `“${text}”`);
  const verdict = wrong.length
    ? `Wrong for ${left} and ${right}: ${wrong.join(", ")}.`
    : "Every word is right.";
  const at = words[Math.min(word, words.length) - 1];
  const who = at.turned
    ? "you turned its look"
    : way === "even"
      ? "it looks at all alike"
      : "it looks";
  const look = `Before “${at.text}” ${who}: ${at.left.toFixed(2)} of the weight lies on the left garment, ${at.rightSide.toFixed(2)} on the right one.`;
  const turned = words.some((one) => one.turned);
  const change = texts.findIndex((text, t) => text !== free[t]);
  const effect = !turned
    ? ""
    : change < 0
      ? " With its own looks it writes the same."
      : ` With its own looks it writes “${free[change] ?? "(end)"}” in the place of “${texts[change]}”.`;
  return `It writes “${shown}” ${verdict} ${look}${effect}`;
}
