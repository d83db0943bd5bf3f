// One layer of multi-head attention that guesses a covered letter: reference.guess_covered.
import { scaled_dot_product_attention, softmax } from "../kit/attention.js";
import { fromHalf } from "../models/tensors.js";

/**
 * @typedef {{layout: [string, ...number[]][], weights: Record<string, string>}} Models
 * @typedef {Record<string, Float64Array>} Arrays
 * @typedef {{heads: number, width: number, hidden: number, places: number, p: Arrays, q: Float64Array, k: Float64Array, v: Float64Array}} Model
 * @typedef {{asked: ArrayLike<number>, weights: number[][], parts: Float64Array[]}} Look
 * @typedef {{look: Look, answer: number, word: string, place: number}} Example
 * @typedef {"zero" | "mean" | "other"} Blade what stands in place of a silent head: nothing, its mean over all examples, or what it gives for another word
 * @typedef {ArrayLike<number>[] | null} Put in place of each head; null for nothing
 */

// As attention_course.data numbers them.
const START = 1;
const END = 2;
const COVER = 3;
const FIRST = 4;
const N_LETTERS = 26;

/** x times a matrix that lies row by row. @param {ArrayLike<number>} x @param {Float64Array} matrix @param {number} columns */
function times(x, matrix, columns) {
  const y = new Float64Array(columns);
  for (let i = 0; i < x.length; i++) {
    const [factor, row] = [x[i], i * columns];
    if (factor === 0) continue; // half of the hidden units
    for (let j = 0; j < columns; j++) y[j] += factor * matrix[row + j];
  }
  return y;
}

/**
 * One of the models that `pack_heads` wrote, with the queries, keys and values of every
 * letter at every place.
 * @param {Models} models
 * @param {number} heads
 * @returns {Model}
 */
export function unpack(models, heads) {
  const known = Object.keys(models?.weights ?? {});
  const packed = models?.weights?.[String(heads)];
  if (packed === undefined)
    throw new Error(
      `n_heads must be one of ${known.join(", ") || "the models, and there is none"}, got ${JSON.stringify(heads)}`,
    );
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const halves = new Uint16Array(bytes.buffer);
  /** @type {Arrays} */
  const p = {};
  /** @type {Record<string, number[]>} */
  const shapes = {};
  let at = 0;
  for (const [name, ...shape] of models.layout) {
    const size = shape.reduce((a, b) => a * b, 1);
    p[name] = Float64Array.from(halves.subarray(at, at + size), fromHalf);
    shapes[name] = shape;
    at += size;
  }
  const [symbols, width] = shapes.letters;
  const places = shapes.places[0];
  const vectors = Array.from({ length: symbols * places }, (_, i) =>
    token(p, width, Math.floor(i / places), i % places),
  );
  const table = (/** @type {Float64Array} */ matrix) => {
    const all = new Float64Array(vectors.length * width);
    vectors.forEach((x, i) => all.set(times(x, matrix, width), i * width));
    return all;
  };
  return {
    heads,
    width,
    places,
    hidden: shapes.W_1[1],
    p,
    q: table(p.W_q),
    k: table(p.W_k),
    v: table(p.W_v),
  };
}

/** Letter plus place. @param {Arrays} p @param {number} width @param {number} symbol @param {number} place */
function token(p, width, symbol, place) {
  const x = p.letters.slice(symbol * width, (symbol + 1) * width);
  for (let c = 0; c < width; c++) x[c] += p.places[place * width + c];
  return x;
}

/** The marks and letters of a word as numbers, one letter covered (from 1). @param {string} word @param {number} place */
export function spell(word, place) {
  const letters = Array.from(word, (c) => c.charCodeAt(0) - 97 + FIRST);
  const answer = letters[place - 1] - FIRST;
  letters[place - 1] = COVER;
  return { tokens: [START, ...letters, END], answer };
}

/**
 * What every head sees from the covered place, and what it adds to the vector there.
 * @param {Model} model
 * @param {number[]} tokens
 * @param {number} place
 * @returns {Look}
 */
export function look({ heads, width, places, p, q, k, v }, tokens, place) {
  const d = width / heads;
  const at = tokens.map((symbol, t) => (symbol * places + t) * width);
  /** The columns of one head. @param {Float64Array} table @param {number} row @param {number} h */
  const columns = (table, row, h) => Array.from(table.subarray(row + h * d, row + (h + 1) * d));
  const weights = [];
  const parts = [];
  for (let h = 0; h < heads; h++) {
    const [keys, values] = [
      at.map((row) => columns(k, row, h)),
      at.map((row) => columns(v, row, h)),
    ];
    const seen = scaled_dot_product_attention([columns(q, at[place], h)], keys, values);
    weights.push(seen.weights[0]);
    parts.push(
      times(seen.context[0], p.W_o.subarray(h * d * width, (h + 1) * d * width), width),
    );
  }
  return { asked: token(p, width, tokens[place], place), weights, parts };
}

/** The chance of each letter a to z, with something in place of the heads that are silent. @param {Model} model @param {Look} seen @param {number[]} silent @param {Put} [put] */
export function chances({ width, hidden, p }, { asked, parts }, silent, put = null) {
  const r = Float64Array.from(asked);
  parts.forEach((own, h) => {
    const part = silent.includes(h) ? put?.[h] : own;
    if (part) for (let c = 0; c < width; c++) r[c] += part[c];
  });
  const units = times(r, p.W_1, hidden).map((x, i) => Math.max(x + p.b_1[i], 0));
  return softmax(times(units, p.W_2, N_LETTERS).map((x, i) => x + p.b_2[i]));
}

/** Every letter of every word covered once, with what the heads see. @param {Model} model @param {string[]} words @returns {Example[]} */
export function examples(model, words) {
  return words.flatMap((word) =>
    Array.from(word, (_, i) => {
      const { tokens, answer } = spell(word, i + 1);
      return { look: look(model, tokens, i + 1), answer, word, place: i + 1 };
    }),
  );
}

/** What can stand in place of the heads, by blade: for a word with a cover, which is the example `at`, or none of them. @param {Example[]} all */
export function putters(all) {
  /** The next example of another word, of the same place if there is one. @param {string} word @param {number} place @param {number} at */
  const another = (word, place, at) => {
    /** @type {Example | null} */
    let next = null;
    for (let k = 1; k <= all.length; k++) {
      const one = all[(at + k) % all.length];
      if (one.word === word) continue;
      if (one.place === place) return one;
      next ??= one;
    }
    return next ?? all[(at + 1) % all.length];
  };
  const means = (all[0]?.look.parts ?? []).map((part, h) =>
    part.map(
      (_, c) => all.reduce((sum, { look: { parts } }) => sum + parts[h][c], 0) / all.length,
    ),
  );
  return (
    /** @type {Blade} */ blade,
    /** @type {string} */ word,
    /** @type {number} */ place,
    at = -1,
  ) =>
    blade === "zero" ? null : blade === "mean" ? means : another(word, place, at).look.parts;
}

/** Mean cross-entropy, in nats a letter. @param {Model} model @param {Example[]} all @param {number[]} silent @param {Blade} [blade] @param {ReturnType<typeof putters>} [put] */
export function loss(model, all, silent, blade = "zero", put = putters(all)) {
  let total = 0;
  all.forEach(
    ({ look: seen, answer, word, place }, i) =>
      (total -= Math.log(chances(model, seen, silent, put(blade, word, place, i))[answer])),
  );
  return total / all.length;
}

/** The heads that are silent in a model with so many. @param {number[]} silent @param {number} heads */
export function silentOf(silent, heads) {
  return silent.filter((h) => h < heads);
}
