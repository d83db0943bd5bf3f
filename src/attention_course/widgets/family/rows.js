// What a row says: a translation against the truth, and where its model looked for one word.
import { aligned } from "../world_player/maths.js";
import { nearest, places } from "../world_player/truth.js";

/** @typedef {import("../world_player/truth.js").Right} Right */
/** @typedef {ReturnType<typeof rowOf>} Row */

/**
 * @param {string[]} written without the end mark
 * @param {number[][]} weights of each word written; empty where the model looks at nothing
 * @param {Right[]} ways all right translations
 * @param {Right | null} shared the one whose word is compared; null for the nearest
 * @param {number} place of that word
 */
export function rowOf(written, weights, ways, shared, place) {
  const { one, fresh, lost } = nearest(written, ways);
  const wrong = Math.max(fresh.filter(Boolean).length, lost.filter(Boolean).length);
  const against = aligned(written, (shared ?? one).words);
  const at = places(against.fresh, against.lost).indexOf(place);
  return {
    one,
    written,
    fresh,
    wrong,
    at,
    right: at >= 0 && !against.fresh[at],
    weights: at >= 0 ? (weights[at] ?? []) : [],
  };
}

/** The share of a row's weight on the words that the compared one comes from; null where there is none. @param {Row} row @param {number[]} from */
export function shareOf({ weights }, from) {
  if (!weights.length || !from.length) return null;
  return from.reduce((sum, j) => sum + weights[j], 0);
}

/** @param {string[]} words */
const listed = (words) => words.map((word) => `“${word}”`).join(" and ");

/**
 * @param {object} seen
 * @param {string} seen.word that is compared
 * @param {string[]} seen.from the words it comes from
 * @param {string[]} seen.deciders the words that decide it besides
 * @param {string[]} seen.names of the models
 * @param {Row[]} seen.rows
 * @param {(number | null)[]} seen.shares of the weight that is on `from`
 */
export function sentence({ word, from, deciders, names, rows, shares }) {
  const whole = rows.filter(({ wrong }) => !wrong).length;
  const have = rows.filter(({ right }) => right).length;
  const origin = from.length
    ? `In truth “${word}” comes from ${listed(from)}${deciders.length ? `, and ${listed(deciders)} ${deciders.length > 1 ? "decide" : "decides"} its form` : ""}.`
    : `“${word}” comes from no single word.`;
  const looking = shares.flatMap((share, n) => (share === null ? [] : [{ share, n }]));
  looking.sort((a, b) => b.share - a.share);
  const said = ({ share, n } = looking[0]) => `${(100 * share).toFixed(0)} % (${names[n]})`;
  const spread = looking.length
    ? ` Of the weight, ${said()} to ${said(looking[looking.length - 1])} lies on ${listed(from)}.`
    : "";
  return `${whole} of the ${rows.length} translations are right from end to end. ${origin} ${have} of the ${rows.length} models write it.${spread}`;
}
