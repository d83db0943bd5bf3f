// The model's readings of one sentence, kept while nothing changes, and what is told of them.
import { entropy, softmax } from "../kit/attention.js";
import { nearest, spelling } from "../kit/reading.js";
import { languageModel, surprise } from "../models/language.js";
import { vocabulary } from "../models/words.js";

/**
 * @typedef {import("../models/language.js").Reading} Reading
 * @typedef {import("../models/language.js").Blade} Blade
 * @typedef {ReturnType<typeof spelling>} World what reads words of the small world
 * @typedef {{model: ReturnType<typeof languageModel>, words: ReturnType<typeof vocabulary>, world: World}} Loaded
 *
 * @typedef {object} State
 * @property {"queries" | "scale" | "heads" | "mask" | "positions" | "stream" | "whole"} view
 * @property {string} sentence
 * @property {number} written
 * @property {number} word
 * @property {number} layer
 * @property {number} head
 * @property {string[]} cuts
 * @property {import("../models/language.js").Blade} blade
 * @property {number[]} exchanged
 * @property {boolean} alive
 *
 * @typedef {object} Likely a word that may come next
 * @property {number} symbol
 * @property {number} p
 * @property {number} free without the cuts
 */

const UNREAD = spelling([], "english"); // what cuts a text before the model has come

/** What makes a model of its weights. @param {number[]} order @param {string} other sentence */
export function loadedOf(order, other) {
  return (/** @type {import("../models/tensors.js").Weights} */ { tensors, about }) => {
    const words = vocabulary(about.words);
    const world = spelling(words.symbols.slice(3), "english");
    const tokens = words.encode(wordsOf(other, Infinity, world));
    return { model: languageModel(tensors, order, tokens), words, world };
  };
}

/** The words; throws where there are none, or too many, or, once it is here, one that the small world lacks. @param {string} sentence @param {number} longest @param {World} [world] */
export function wordsOf(sentence, longest, world) {
  const words = (world ?? UNREAD).pieces(sentence).flatMap(({ words }) => words);
  if (!words.some((word) => /\p{L}/u.test(word)))
    throw new Error("There is no word in the sentence. Type something in English.");
  if (words.length > longest)
    throw new Error(
      `The sentence has ${words.length} words and marks; the model reads at most ${longest}. Shorten it.`,
    );
  const strange = words.find((word) => world?.token(word).size === 0);
  if (strange !== undefined)
    throw new Error(`“${strange}” is not among the words of the small world.`);
  return words.map((word) => (world ? [...world.token(word)][0] : word));
}

/** What reads any English; the words that the model knows complete one that is typed. @param {string[]} known @param {number} longest @param {World} [world] */
export function anyEnglish(known, longest, world) {
  return {
    /** @param {string} text */
    read(text) {
      const changes = (world?.pieces(text) ?? [])
        .filter(({ words }) => words.some((word) => !world?.token(word).size))
        .map(({ start, end, words }) => ({ start, end, words: nearest(words[0], known) }));
      try {
        return {
          words: wordsOf(text, longest, world),
          problem: /** @type {""} */ (""),
          changes,
        };
      } catch (problem) {
        return { words: null, problem: /** @type {Error} */ (problem).message, changes };
      }
    },
    /** @param {string} text @param {number} cursor */
    complete(text, cursor) {
      const [typed] = /[\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor)) ?? [""];
      const [rest] = /^[\p{L}\p{N}_]*/u.exec(text.slice(cursor)) ?? [""];
      const begun = typed.toLowerCase();
      const words = begun ? known.filter((word) => word.startsWith(begun)) : [];
      return {
        start: cursor - typed.length,
        end: cursor + rest.length,
        typed,
        words: words.filter((word) => word !== begun || rest).slice(0, 6),
        whole: words.includes(begun),
      };
    },
  };
}

/** Items with two of them exchanged; places that are not there exchange nothing. @template T @param {T[]} items @param {number[]} pair */
export function exchange(items, [i, j]) {
  if (j === undefined || Math.max(i, j) >= items.length) return items;
  return items.map((item, t) => (t === i ? items[j] : t === j ? items[i] : item));
}

/** In or out of a list. @template T @param {T[]} list @param {T} one */
export function toggled(list, one) {
  return list.includes(one) ? list.filter((x) => x !== one) : [...list, one];
}

/** The place of the word that is looked at. @param {number} word from 1, 0 for the last @param {number} n */
export function placeOf(word, n) {
  return (word ? Math.min(word, n) : n) - 1;
}

/** The place of the largest. @param {ArrayLike<number>} x */
export function argmax(x) {
  let best = 0;
  for (let i = 1; i < x.length; i++) if (x[i] > x[best]) best = i;
  return best;
}

/** Readings and what the model wrote, by what they depend on; the last few are kept. @param {Loaded} loaded @param {number} [most] */
export function readings({ model }, most = 8) {
  /** @type {Map<string, any>} */
  const kept = new Map();
  const recall = (/** @type {any[]} */ of, /** @type {() => any} */ make) => {
    const key = JSON.stringify(of);
    const found = kept.get(key) ?? make();
    kept.delete(key);
    kept.set(key, found); // the newest is last
    if (kept.size > most) kept.delete(/** @type {string} */ (kept.keys().next().value));
    return found;
  };
  return {
    /** @param {number[]} tokens @param {string[]} cuts @param {Blade} blade @returns {Reading} */
    read: (tokens, cuts, blade) =>
      recall([tokens, cuts, blade], () => model.read(tokens, cuts, blade)),
    /** Up to so many words that the model adds, each the likeliest; fewer, if it gets late. @param {number[]} tokens @param {string[]} cuts @param {Blade} blade @param {number} count @param {() => boolean} late @returns {number[]} */
    write(tokens, cuts, blade, count, late) {
      /** @type {number[]} */
      const added = recall(["writes", tokens, cuts, blade], () => []);
      while (added.length < count && !late()) {
        const all = [...tokens, ...added];
        added.push(argmax(model.read(all, cuts, blade).logits(all.length - 1)));
      }
      return added.slice(0, count);
    },
  };
}

/** The likeliest next words, with the cuts and without. @param {ArrayLike<number>} now @param {ArrayLike<number>} free @param {number} most @returns {Likely[]} */
export function likely(now, free, most) {
  const [p, q] = [softmax(now), softmax(free)];
  const order = p.map((_, symbol) => symbol).sort((a, b) => p[b] + q[b] - p[a] - q[a]);
  return order.slice(0, most).map((symbol) => ({ symbol, p: p[symbol], free: q[symbol] }));
}

/** What each word but the first costs, in nats. @param {Reading} reading @param {number[]} tokens */
export function surprises(reading, tokens) {
  return tokens.slice(1).map((symbol, t) => surprise(reading.logits(t), symbol));
}

/** @param {number[]} x */
export function mean(x) {
  return x.reduce((a, b) => a + b, 0) / (x.length || 1);
}

/** The mean entropy of a layer's weights, over its heads and all words. @param {Reading} reading @param {number} layer from 0 */
export function entropyOf({ looked }, layer) {
  return mean(looked[layer].weights.flat().map(entropy));
}

/** How much weight a head puts on the word before, on average. @param {number[][]} weights */
export function onPrevious(weights) {
  return mean(weights.slice(1).map((row, t) => row[t]));
}

/** The share of all weight that goes to later words. @param {Reading} reading */
export function ahead({ looked }) {
  return mean(
    looked.flatMap(({ weights }) =>
      weights.flatMap((rows) =>
        rows.map((row, t) => row.slice(t + 1).reduce((a, b) => a + b, 0)),
      ),
    ),
  );
}

/** A head's own part of vectors that hold all heads. @param {import("../models/layers.js").Vector} x @param {number} head from 1 @param {number} heads */
export function own(x, head, heads) {
  const width = x.length / heads;
  return x.subarray((head - 1) * width, head * width);
}

/** The length of a vector. @param {ArrayLike<number>} x */
export function length(x) {
  return Math.sqrt(Array.from(x).reduce((sum, e) => sum + e * e, 0));
}
