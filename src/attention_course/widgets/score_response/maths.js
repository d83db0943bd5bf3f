// Seven score functions of the same query and keys, as widget.py computes them with reference.
import { dot, dot_scores, scaled_dot_scores, softmax } from "../kit/attention.js";
import { formatNumber } from "../kit/numbers.js";
import { RandomState } from "../kit/random.js";

/** @typedef {{N_KEYS: number, D_A: number, scores: [string, string][]}} Constants as Python has them: sizes, and each score's name and label */

/**
 * @typedef {Record<string, number[]>} ByScore
 * @typedef {object} Draws what is drawn once for a width and a seed
 * @property {number} d
 * @property {number[][]} keys
 * @property {number[]} along unit vector along key 1
 * @property {number[]} across unit vector in the plane of keys 1 and 2, at right angles to it
 * @property {number} second angle of key 2 in that plane, in degrees
 * @property {number[][]} mapped general's matrix times each key
 * @property {number[][]} hiddenQuery matrix to the hidden layer, d rows
 * @property {number[][]} hiddenKeys keys in the hidden layer
 * @property {number[]} readOut
 * @property {number[][]} places location's matrix, d rows
 */

/** @param {number[]} a */
const norm = (a) => Math.sqrt(dot(a, a));

/** A row times a matrix, row by row. @param {number[]} row @param {number[][]} matrix */
function times(row, matrix) {
  const out = new Array(matrix[0].length).fill(0);
  matrix.forEach((line, i) => line.forEach((x, j) => (out[j] += row[i] * x)));
  return out;
}

/** elu(x) + 1. @param {number} x */
const phi = (x) => (x > 0 ? x + 1 : Math.exp(x));

/** Keys and weights, in the order in which Python draws them. @param {number} d @param {number} seed @param {Constants} constants @returns {Draws} */
export function drawn(d, seed, { N_KEYS, D_A }) {
  const random = new RandomState(seed);
  const matrix = (
    /** @type {number} */ rows,
    /** @type {number} */ columns,
    /** @type {number} */ divide,
  ) =>
    Array.from({ length: rows }, () =>
      Array.from({ length: columns }, () => random.normal() / divide),
    );
  const root = Math.sqrt(d);
  const keys = matrix(N_KEYS, d, 1);
  const general = matrix(d, d, root);
  const hiddenQuery = matrix(d, D_A, root);
  const toHidden = matrix(d, D_A, root);
  const [readOut] = matrix(1, D_A, Math.sqrt(D_A));
  const places = matrix(d, N_KEYS, root);
  const along = keys[0].map((x) => x / norm(keys[0]));
  const shared = dot(keys[1], along);
  const rest = keys[1].map((x, c) => x - shared * along[c]);
  return {
    d,
    keys,
    along,
    across: rest.map((x) => x / norm(rest)),
    second: (Math.acos(shared / norm(keys[1])) * 180) / Math.PI,
    mapped: keys.map((k) => general.map((row) => dot(row, k))),
    hiddenQuery,
    hiddenKeys: keys.map((k) => times(k, toHidden)),
    readOut,
    places,
  };
}

/** The query. @param {Draws} draws @param {number} angle @param {number} length */
export function query({ d, along, across }, angle, length) {
  const turned = (angle * Math.PI) / 180;
  const [x, y] = [Math.cos(turned), Math.sin(turned)].map((c) => c * length * Math.sqrt(d));
  return along.map((a, c) => x * a + y * across[c]);
}

/**
 * The scores of all keys by each score function.
 * @param {Draws} draws
 * @param {number[]} q
 * @param {number} beta
 * @returns {ByScore}
 */
export function respond(
  { d, keys, mapped, hiddenQuery, hiddenKeys, readOut, places },
  q,
  beta,
) {
  const [products] = dot_scores([q], keys);
  const hidden = times(q, hiddenQuery);
  const features = q.map(phi);
  return {
    dot: products,
    scaled: scaled_dot_scores([q], keys)[0],
    general: mapped.map((k) => dot(q, k)),
    additive: hiddenKeys.map((k) =>
      readOut.reduce((sum, v, a) => sum + v * Math.tanh(hidden[a] + k[a]), 0),
    ),
    location: times(q, places),
    cosine: keys.map((k, j) => (beta * products[j]) / (norm(q) * norm(k))),
    kernel: keys.map((k) => Math.log(k.reduce((sum, x, c) => sum + features[c] * phi(x), 0))),
  };
}

/** Weights of all scores. @param {ByScore} scores @returns {ByScore} */
export function weigh(scores) {
  return Object.fromEntries(Object.entries(scores).map(([name, e]) => [name, softmax(e)]));
}

/** What is seen, in words. @param {Draws} draws @param {ByScore} scores @param {ByScore} weights */
export function tell({ d, readOut }, scores, weights) {
  const bound = readOut.reduce((sum, v) => sum + Math.abs(v), 0);
  const spread = (/** @type {number[]} */ e) => formatNumber(Math.max(...e) - Math.min(...e));
  return (
    `At d = ${d} the dot product gives key 1 a weight of ${weights.dot[0].toFixed(3)}, the scaled dot product ${weights.scaled[0].toFixed(3)}, ` +
    `the additive score ${weights.additive[0].toFixed(3)}. From the lowest to the highest, the dot products span ${spread(scores.dot)} and ` +
    `the additive scores ${spread(scores.additive)}, which can never be more than ${formatNumber(2 * bound)}.`
  );
}
