// The questions that the image asker reads, and what it says.
// @ts-check
import { NOTHING, ask, layOut } from "./maths.js";

/** @typedef {{ANSWERS: string[], GARMENTS: string[], PLACES: string[], QUESTIONS: string[], QUESTION_WORDS: string[], RELATIONS: number[][]}} Names */

const SMALL = ["the", "a", "an", "in", "at", "is", "are"];
const FIRST = { relation: 9, garment: 13, what: 21, there: 22 };
const SHAPES = ["wp", "wrg", "tg"];

/** The numbers of a question's words; throws where it cannot be read. @param {string} text @param {string[]} words of the model */
export function readQuestion(text, words) {
  const known = new Map(words.flatMap((word, n) => (word ? [[word.toLowerCase(), n]] : [])));
  known.set("there", FIRST.there);
  // Their names in links of earlier versions.
  for (const [old, now] of [
    ["trainer", "sneaker"],
    ["ankle boot", "boot"],
  ])
    known.set(old, /** @type {number} */ (known.get(now)));
  let left = text
    .toLowerCase()
    .replace(/[?.!,]/g, " ")
    .split(/\s+/)
    .filter((word) => word && !SMALL.includes(word));
  /** @type {number[]} */
  const numbers = [];
  while (left.length) {
    const size = [2, 1].find((k) => known.has(left.slice(0, k).join(" ")));
    if (!size)
      throw new Error(
        `The model was never taught the word “${left[0]}” there. Its words: ${words.filter((word) => word).join(", ")}.`,
      );
    numbers.push(/** @type {number} */ (known.get(left.slice(0, size).join(" "))));
    left = left.slice(size);
  }
  const shape = numbers
    .map((n) =>
      n < FIRST.relation
        ? "p"
        : n < FIRST.garment
          ? "r"
          : n < FIRST.what
            ? "g"
            : n < FIRST.there
              ? "w"
              : "t",
    )
    .join("");
  if (!SHAPES.includes(shape))
    throw new Error(
      "The model can be asked three things: “What is in the centre?”, “What is left of the bag?” or “Is there a coat?”.",
    );
  return [...numbers, words.length - 1].slice(0, 3);
}

/** The right answer; no text where there is none. @param {number[]} contents @param {number[]} numbers @param {Names} names */
export function rightAnswer(contents, [first, second, third], { GARMENTS, RELATIONS }) {
  const named = (/** @type {number} */ place) => GARMENTS[contents[place]] ?? "";
  if (first === FIRST.there) return contents.includes(second - FIRST.garment) ? "yes" : "no";
  if (second < FIRST.relation) return named(second);
  const at = contents.indexOf(third - FIRST.garment);
  if (at < 0 || contents.lastIndexOf(third - FIRST.garment) !== at) return "";
  const [down, across] = RELATIONS[second - FIRST.relation];
  const [row, column] = [Math.floor(at / 3) + down, (at % 3) + across];
  return [row, column].every((one) => one >= 0 && one < 3) ? named(3 * row + column) : "";
}

/** What lies at a place, in words. @param {number} place @param {number[]} contents @param {Names} names */
export function placeInWords(place, contents, { PLACES, GARMENTS }) {
  return `${PLACES[place]} (${GARMENTS[contents[place]] ?? "empty"})`;
}

const mostly = (/** @type {number[]} */ weights) => weights.indexOf(Math.max(...weights));

/**
 * @param {{contents: number[], first: number, second: number, right: string, names: Names, now: {chances: number[], looks: number[][]}, alone: {chances: number[]}}} seen
 */
export function sentence({ contents, first, second, right, names, now, alone }) {
  const [said, before] = [now, alone].map(({ chances }) => names.ANSWERS[mostly(chances)]);
  const verdict = !right
    ? "No answer is right, since nothing lies there, or what is named does not lie there once."
    : said === right
      ? "That is right."
      : `Right would be: ${right}.`;
  const forced = [first, second];
  const looks = ["first", "second"].map((which, t) => {
    const weights = now.looks[t];
    const place = placeInWords(mostly(weights), contents, names);
    return forced[t]
      ? `You force the ${which} look onto ${place}.`
      : `The ${which} look goes most to ${place}, with a weight of ${Math.max(...weights).toFixed(2)}.`;
  });
  const change =
    first || second ? ` Left alone, it says ${before === said ? "the same" : before}.` : "";
  const laid = contents.filter((kind) => kind !== NOTHING);
  const odd =
    laid.length !== 5 || new Set(laid).size !== 5
      ? " In training there were always five garments, no two alike."
      : "";
  return `The model says ${said}, with probability ${Math.max(...now.chances).toFixed(2)}. ${verdict} ${looks.join(" ")}${change}${odd}`;
}

/** What it answers in a state, and says of it; no numbers where it cannot answer. @param {import("../models/layers.js").Tensors} tensors @param {any} state @param {Names} names */
export function answered(
  tensors,
  { contents, photograph, question, first = 0, second = 0 },
  names,
) {
  let numbers;
  try {
    numbers = readQuestion(question, names.QUESTION_WORDS);
  } catch (problem) {
    return { said: /** @type {Error} */ (problem).message };
  }
  if (contents.every((/** @type {number} */ kind) => kind === NOTHING))
    return {
      said: "The picture is empty, so there is nothing to ask about. Choose a garment, and press on a place.",
    };
  const cells = layOut(tensors, contents, photograph);
  const now = ask(tensors, cells, numbers, [first, second]);
  const alone = ask(tensors, cells, numbers);
  const right = rightAnswer(contents, numbers, names);
  return { now, said: sentence({ contents, first, second, right, names, now, alone }) };
}
