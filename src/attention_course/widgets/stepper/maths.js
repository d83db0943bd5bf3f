// The numbers of each example: values.py in JavaScript.
import { scaled_dot_product_attention, scaled_dot_scores } from "../kit/attention.js";

/** @typedef {import("../kit/attention.js").Matrix} Matrix */
/** @typedef {Record<string, any>} Values numbers, vectors and words by name */

/** @param {number[]} numbers */
const top = (numbers) => numbers.indexOf(Math.max(...numbers));

/** @param {{q: Matrix, k: Matrix, v?: Matrix}} inputs @param {number} word @param {string} scale @returns {Values} */
function attention({ q, k, v = k }, word, scale) {
  const factor = scale === "none" ? 1 : undefined;
  const { scores: scaled, weights, context } = scaled_dot_product_attention(q, k, v, { scale: factor });
  return {
    k,
    v,
    query: q[word],
    factor: scale === "none" ? "× 1" : `÷ √${q[0].length}`,
    scores: scaled_dot_scores(q, k, 1)[word],
    scaled: scaled[word],
    weights: weights[word],
    shares: v.map((row, j) => row.map((x) => weights[word][j] * x)),
    context: context[word],
    top: top(weights[word]),
  };
}

/** @type {Record<string, (inputs: any, word: number, scale: string) => Values>} */
const KINDS = { attention };

/** Every number that an example shows, by name. @param {{kind: string, inputs: any, words: string[]}} plan @param {number} word @param {string} scale @returns {Values} */
export function compute({ kind, inputs, words }, word, scale) {
  return { ...KINDS[kind](inputs, word, scale), words, word };
}
