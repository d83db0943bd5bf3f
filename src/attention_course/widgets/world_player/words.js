// What the player says.
import { END } from "../models/translators.js";
import { sharers } from "../models/words.js";
import { aligned } from "./maths.js";

/** @typedef {import("./maths.js").State["blade"]} Blade */

/** What stands in place of what is silenced: on the control, and in a sentence. @type {Record<Blade, {text: string, put: string}>} */
export const BLADES = {
  zero: { text: "nothing", put: "nothing in its place" },
  mean: { text: "its mean", put: "its mean in its place" },
  other: { text: "another sentence’s", put: "another sentence’s in its place" },
};

/**
 * @typedef {object} Shown
 * @property {string[]} words English
 * @property {string[]} written French, as far as it is shown
 * @property {string[]} uncut the whole sentence without the cuts
 * @property {boolean} cut whether anything is
 * @property {number[]} forbidden English words that are, from 0
 * @property {Blade | null} blade of what is silenced, if something is
 * @property {boolean} ended whether all of it is
 * @property {boolean} off whether it was cut off, without an end
 * @property {number} at the word that is told of, from 0
 * @property {number[]} weights of that word
 * @property {import("./view.js").Truth | null} [truth] of it, where it is shown
 */

/** A symbol for people. @param {string[]} symbols @param {number} symbol */
export function named(symbols, symbol) {
  return symbol === END ? "(end)" : symbols[symbol];
}

/** Words in one line. @param {string[]} words */
export function line(words) {
  return words.filter((word) => word !== "(end)").join(" ");
}

/** @param {string[]} words */
const listed = (words) => words.map((word) => `“${word}”`).join(", ");

/** Of a word, what is true of it beside where it looks. @param {string[]} words @param {number[]} weights @param {import("./view.js").Truth | null} truth */
export function origin(words, weights, truth) {
  if (!truth) return "It is not in this right translation.";
  const it = truth.should ? `It should be “${truth.should}”, which` : "In truth it";
  /** @param {number[]} places */
  const share = (places) => places.reduce((sum, j) => sum + weights[j], 0);
  /** @param {number} j */
  const weighed = (j) => `“${words[j]}”${weights.length ? ` (${weights[j].toFixed(2)})` : ""}`;
  const there = weights.length
    ? `: ${share(truth.from).toFixed(2)} of its weight is there`
    : "";
  const from = truth.from.length
    ? `${it} comes from ${listed(truth.from.map((j) => words[j]))}${there}.`
    : `${it} comes from no word of its own.`;
  if (!truth.deciders.length) return from;
  const by = `In truth it is decided by ${truth.deciders.map(weighed).join(" and ")}.`;
  // Else a reader would ask how the model can know what it does not look at.
  const unseen = weights.length && share(truth.deciders) < 0.1;
  return `${from} ${by}${unseen ? " It need not look there: the vector of every word has read the whole sentence." : ""}`;
}

/** What the cuts have changed. @param {string[]} written so far @param {string[]} uncut the whole sentence without them @param {boolean} ended whether all is written @param {Blade | null} [blade] of what is silenced */
export function difference(written, uncut, ended, blade = null) {
  const by = `With these cuts${blade ? ` (${BLADES[blade].put})` : ""}`;
  const { fresh, lost } = aligned(written, uncut);
  const total = written.filter((word) => word !== "(end)").length;
  const count = fresh.filter(Boolean).length;
  const first = fresh.indexOf(true);
  if (!total) return ended ? `${by} it writes nothing at all.` : "";
  if (first < 0) {
    const missing = ended ? uncut.filter((_, i) => lost[i]) : [];
    if (missing.length) return `${by} it leaves out ${listed(missing)}.`;
    return `${by} it writes the same${ended ? "" : " so far"}.`;
  }
  const apart = written.findIndex((word, i) => word !== uncut[i]);
  const how =
    first > apart || lost[apart]
      ? `word ${apart + 1} is “${written[apart]}”, instead of “${uncut[apart]}”`
      : `it inserts “${written[first]}” as word ${first + 1}`;
  const rest =
    count === total
      ? total > 1
        ? ", and it shares no word with the uncut sentence"
        : ""
      : count > 1
        ? `; in all, ${count} of its ${total} words are new`
        : "; no other word is new";
  return `${by} ${how}${rest}.`;
}

/** Where a word looks. @param {string} who @param {string[]} words @param {number[]} weights @param {number[]} forbidden words, from 0 */
export function gaze(who, words, weights, forbidden) {
  if (!weights.length) return `${who} is made from one vector for the whole sentence.`;
  const most = Math.max(...weights);
  const alike = sharers(weights);
  if (!most) {
    const left = words.filter((_, j) => !forbidden.includes(j)).length;
    const why = left
      ? left < words.length
        ? "The words that are left lie outside the window"
        : "The window lies past the end of the sentence and holds no word"
      : "Every source word is forbidden";
    return `${who} looks at nothing. ${why}: attention brings nothing, and the model writes without it.`;
  }
  if (!alike)
    return `${who} looks most at “${words[weights.indexOf(most)]}”: ${most.toFixed(2)} of its weight.`;
  return `${who} looks alike at ${alike < words.length ? `the ${alike} words that are left` : `all ${alike} words`}: ${most.toFixed(2)} of its weight for each.`;
}

/** @param {Shown} shown */
export function sentence({
  words,
  written,
  uncut,
  cut,
  forbidden,
  blade,
  ended,
  off,
  at,
  weights,
  truth,
}) {
  const end = off ? `It found no end and was cut off after ${written.length} words.` : "";
  return [
    gaze(`Word ${at + 1}, “${written[at]}”,`, words, weights, forbidden),
    truth === undefined ? "" : origin(words, weights, truth),
    cut ? difference(written, uncut, ended, blade) : "",
    end,
  ]
    .filter(Boolean)
    .join(" ");
}
