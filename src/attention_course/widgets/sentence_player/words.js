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

/** @type {Record<string, string>} */
const CUT = {
  uniform: "looking at all words alike",
  backward: "switching the backward reader off",
  positions: "taking the positions away",
  forbidden: "forbidding the word that is looked at most",
  moves: "moving the gaze of one word at random",
};

/** @param {string} cut @param {number} heads */
function cutInWords(cut, heads) {
  const [, h] = cut.split(" ");
  return CUT[cut] ?? `silencing head ${(Number(h) % heads) + 1} of layer ${Math.floor(Number(h) / heads) + 1}`;
}

/**
 * What a cut costs over the whole test set, by itself.
 * @param {string} cut
 * @param {Record<string, {bleu: number, changed: number}>} rows of the model
 * @param {number} heads in a layer
 */
export function price(cut, rows, heads) {
  const lost = rows.none.bleu - rows[cut].bleu;
  const bleu = `${lost < 0 ? "gains" : "costs"} ${Math.abs(lost).toFixed(1)} BLEU`;
  return `${cutInWords(cut, heads)} ${bleu} and changes ${(100 * rows[cut].changed).toFixed(0)} % of the translations`;
}

/** @param {Shown} shown */
export function sentence({ words, unknown, written, uncut, cut, off, at, weights }) {
  const top = weights.indexOf(Math.max(...weights));
  const nothing = weights.every((w) => w === 0);
  const gaze = nothing ? `Word ${at + 1}, “${written[at]}”, may look at nothing.` : `Word ${at + 1}, “${written[at]}”, looks most at “${words[top]}”: ${weights[top].toFixed(2)} of its weight.`;
  const end = off ? `It found no end and was cut off after ${written.length} words.` : "";
  return [gaze, cut ? difference(written, uncut) : "", strangers(words, unknown), end].filter(Boolean).join(" ");
}
