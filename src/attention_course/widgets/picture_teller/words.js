// What was written or answered, against what is true of the picture, and what is said of it.
// @ts-check
import { annotate, answer, ownersOf, pictureOf, tell } from "./maths.js";

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

/** The picture of a state, its cells and whose they are. @param {import("./maths.js").Tensors} tensors @param {any} state @param {Names} names */
function seen(tensors, { left, right, photograph }, names) {
  const picture = pictureOf(tensors, [left, right], photograph, names);
  const key = JSON.stringify([left, right, photograph]);
  if (last?.key !== key || last.tensors !== tensors)
    last = { key, tensors, cells: annotate(tensors, picture) };
  return { picture, owners: ownersOf(picture), cells: last.cells };
}

/** How much of a look lies on a garment. @param {number[]} weights @param {number[]} owners @param {number} side */
const shareOn = (weights, owners, side) =>
  weights.reduce((sum, w, i) => sum + (owners[i] === side ? w : 0), 0);

/**
 * What is written in a state, word by word, and what is said of it.
 * @param {import("../models/layers.js").Tensors} tensors
 * @param {any} state
 * @param {Names} names
 */
export function told(tensors, state, names) {
  const { left, right, way } = state;
  const { picture, owners, cells } = seen(tensors, state, names);
  const symbols = ["", "", "", ...names.WORDS];
  const written = (/** @type {number[]} */ turned) =>
    tell(tensors, cells, { way, turned, owners, longest: names.LONGEST });
  const wanted = rightCaption([left, right]);
  const steps = written(state.turned);
  const words = steps.map(({ word, chance, weights }, t) => {
    const text = symbols[word] || "(end)";
    return {
      text,
      chance,
      right: text === (wanted[t] ?? "(end)"),
      left: shareOn(weights, owners, 0),
      rightSide: shareOn(weights, owners, 1),
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

/** The numbers of a question's words; throws where it cannot be read. @param {string} text @param {Names} names */
export function readQuestion(text, { WORDS, SIZES, TINTS, WORN }) {
  const words = text
    .toLowerCase()
    .replace(/[?.!,]/g, " ")
    .split(/\s+/)
    .filter(Boolean);
  const unknown = words.find((word) => !WORDS.includes(word));
  if (unknown)
    throw new Error(
      `The model was never taught the word “${unknown}”. Its words: ${WORDS.join(" ")}`,
    );
  const [sizes, colours, worn] = [SIZES, Object.keys(TINTS), WORN].map((all) => all.join("|"));
  const shape = `(is|are) the ((${sizes}|${colours}) )?(${worn}) (${sizes}|${colours})`;
  if (!new RegExp(`^${shape}$`).test(words.join(" ")))
    throw new Error(
      "The model can be asked whether a garment has a colour or a size: “is the small coat red ?”, “is the red coat big ?”, “are the trousers blue ?”.",
    );
  return [...words, "?"].map((word) => 3 + WORDS.indexOf(word));
}

/** The right answer; no text where not exactly one garment is meant. @param {string[]} garments @param {string} question @param {Names} names */
export function rightAnswer(garments, question, { WORN, SIZES }) {
  const words = question.toLowerCase().match(/[a-z-]+/g) ?? [];
  const asked = words[words.length - 1];
  const known = words.slice(2, -1).filter((word) => !WORN.includes(word));
  const kind = words.find((word) => WORN.includes(word));
  const meant = garments
    .map((garment) => garment.split(" "))
    .filter((one) => one[2] === kind && known.every((word) => one.includes(word)));
  if (meant.length !== 1) return "";
  const is = meant[0][SIZES.includes(asked) ? 0 : 1];
  return is === asked ? "yes" : is;
}

/**
 * What is answered in a state, and what is said of it; no chances where it cannot be read.
 * @param {import("./maths.js").Tensors} tensors
 * @param {any} state
 * @param {Names} names
 */
export function asked(tensors, state, names) {
  const { picture, owners, cells } = seen(tensors, state, names);
  const { left, right, question, turned } = state;
  let numbers;
  try {
    numbers = readQuestion(question, names);
  } catch (problem) {
    return { picture, owners, looks: [], said: /** @type {Error} */ (problem).message };
  }
  const { chances, looks } = answer(tensors, cells, numbers, { turned, owners });
  const alone = answer(tensors, cells, numbers, { turned: [], owners }).chances;
  const mostly = (/** @type {number[]} */ p) => names.ANSWERS[p.indexOf(Math.max(...p))];
  const wanted = rightAnswer([left, right], question, names);
  const told = mostly(chances);
  const verdict = !wanted
    ? "No answer is right: the question does not mean exactly one of the two."
    : told === wanted
      ? "That is right."
      : `Right would be: ${wanted}.`;
  const where = looks.map((weights, t) => {
    const which = t ? "second" : "first";
    const [on, beside] = [0, 1].map((side) => shareOn(weights, owners, side).toFixed(2));
    return turned[t]
      ? `You turned the ${which} look.`
      : `The ${which} look puts ${on} of its weight on the left garment, ${beside} on the right one.`;
  });
  const change = turned.some(Boolean)
    ? ` With its own looks it answers ${mostly(alone) === told ? "the same" : `“${mostly(alone)}”`}.`
    : "";
  const said = `It answers “${told}”, with probability ${Math.max(...chances).toFixed(2)}. ${verdict} ${where.join(" ")}${change}`;
  const shares = looks.map((weights) => [0, 1].map((side) => shareOn(weights, owners, side)));
  return { picture, owners, looks, chances, shares, said };
}
