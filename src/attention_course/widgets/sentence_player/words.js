// What the player says.
import { END } from "../models/translators.js";

/**
 * @typedef {object} Shown
 * @property {string[]} words French
 * @property {boolean[]} unknown which of them the model does not know
 * @property {string[]} written English, as far as it is shown
 * @property {string[]} uncut the same without the cuts
 * @property {boolean} cut whether anything is
 * @property {boolean} off whether it was cut off, without an end
 * @property {number} at the word that is told of, from 0
 * @property {number[]} weights of that word
 */

/** A symbol for people. @param {string[]} symbols @param {number} symbol */
export function named(symbols, symbol) {
  return symbol === END ? "(end)" : symbols[symbol].replace("<unknown>", "‹unknown›");
}

/** Words in one line. @param {string[]} words */
export function line(words) {
  return words.filter((word) => word !== "(end)").join(" ");
}

/** @param {string[]} words */
const listed = (words) => words.map((word) => `“${word}”`).join(", ");

/** Of words that the model cannot know. @param {string[]} words @param {boolean[]} unknown */
export function strangers(words, unknown) {
  const strange = [...new Set(words.filter((_, j) => unknown[j]))];
  if (!strange.length) return "";
  const many = unknown.filter(Boolean).length;
  const foreign = 2 * many > words.length ? " The model learned French from Bible verses, and from nothing else." : "";
  return `${listed(strange)} ${strange.length > 1 ? "are" : "is"} not among the French words that the model knows: it reads one and the same mark for each.${foreign}`;
}

/** What the cuts have changed so far. @param {string[]} written @param {string[]} uncut */
export function difference(written, uncut) {
  const first = written.findIndex((word, i) => word !== uncut[i]);
  if (first < 0) return "With these cuts it writes the same so far.";
  const other = written.filter((word, i) => i > first && word !== uncut[i]).length;
  const instead = uncut[first] === undefined ? "it had ended without the cuts" : `instead of “${uncut[first]}”`;
  return `With these cuts word ${first + 1} is “${written[first]}”, ${instead}; after it, ${other} of ${written.length - first - 1} words differ.`;
}

/** @param {Shown} shown */
export function sentence({ words, unknown, written, uncut, cut, off, at, weights }) {
  const top = weights.indexOf(Math.max(...weights));
  const nothing = weights.every((w) => w === 0);
  const gaze = nothing ? `Word ${at + 1}, “${written[at]}”, may look at nothing.` : `Word ${at + 1}, “${written[at]}”, looks most at “${words[top]}”: ${weights[top].toFixed(2)} of its weight.`;
  const end = off ? `It found no end and was cut off after ${written.length} words.` : "";
  return [gaze, cut ? difference(written, uncut) : "", strangers(words, unknown), end].filter(Boolean).join(" ");
}
