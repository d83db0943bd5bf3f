// Self-attention on a sentence: attention_course.reference.labs.sentence in JavaScript.
import { dot_scores, matmul, scaled_dot_product_attention } from "../kit/attention.js";
import { RandomState } from "../kit/random.js";

const DROPPED = /[ \t\n\u00a0.,;:!?"()[\]{}\u2026\u201c\u201d\u201e\u00ab\u00bb]+/;

/** @typedef {import("../kit/attention.js").Matrix} Matrix */
/** @typedef {{D_MODEL: number, MAX_WIDTH: number, MAX_WORDS: number, STEPS: string[]}} Constants as Python has them */
/**
 * @typedef {object} Setting
 * @property {string} text
 * @property {number} token
 * @property {number} other
 * @property {number} step
 * @property {number} d_k
 * @property {number} d_v
 * @property {number} seed
 * @property {string} mask
 * @property {boolean} positions
 */
/**
 * @typedef {object} Stages
 * @property {string[]} words
 * @property {Matrix} x
 * @property {Matrix} W_q
 * @property {Matrix} W_k
 * @property {Matrix} W_v
 * @property {Matrix} q
 * @property {Matrix} k
 * @property {Matrix} v
 * @property {Matrix} scores
 * @property {Matrix} scaled
 * @property {Matrix} masked
 * @property {Matrix} weights
 * @property {Matrix} context
 */

/** The first words. @param {unknown} text @param {Constants} constants @returns {string[]} */
export function splitWords(text, { MAX_WORDS }) {
  const words = typeof text === "string" ? text.split(DROPPED).filter((word) => word) : [];
  if (!words.length) throw new Error(`text must be text with at least one word, got ${JSON.stringify(text)}`);
  return words.slice(0, MAX_WORDS);
}

/** Standard normals of a generator that a name seeds (FNV-1a). @param {string} name @param {number} n @returns {number[]} */
export function namedDraws(name, n) {
  let h = 2166136261;
  for (const byte of new TextEncoder().encode(name)) h = Math.imul(h ^ byte, 16777619);
  const random = new RandomState(h >>> 0);
  return Array.from({ length: n }, () => random.normal());
}

/** @param {number} length @param {number} width @returns {Matrix} */
export function sinusoidalPositions(length, width) {
  return Array.from({ length }, (_, t) =>
    Array.from({ length: width }, (_, c) => {
      const angle = t / 10000 ** ((c - (c % 2)) / width);
      return c % 2 ? Math.cos(angle) : Math.sin(angle);
    }),
  );
}

/** Columns one after the other: a wider matrix begins with a narrower one. @param {string} name @param {number} width @param {Constants} constants @returns {Matrix} */
function matrix(name, width, { D_MODEL, MAX_WIDTH }) {
  const draws = namedDraws(name, MAX_WIDTH * D_MODEL);
  return Array.from({ length: D_MODEL }, (_, r) => Array.from({ length: width }, (_, c) => draws[c * D_MODEL + r] / Math.sqrt(D_MODEL)));
}

/** May word i look at word j? @param {string} mask @param {number} i @param {number} j */
export function maySee(mask, i, j) {
  return mask === "causal" ? j <= i : mask === "others" ? j !== i : true;
}

/** @param {Setting} setting @param {Constants} constants @returns {Stages} */
export function sentenceAttention({ text, d_k, d_v, seed, mask, positions }, constants) {
  const { D_MODEL } = constants;
  const words = splitWords(text, constants);
  const place = sinusoidalPositions(words.length, D_MODEL);
  const x = words.map((word, t) => namedDraws(`${seed} word ${word}`, D_MODEL).map((e, c) => e + (positions ? place[t][c] : 0)));
  const [W_q, W_k, W_v] = [matrix(`${seed} matrix q`, d_k, constants), matrix(`${seed} matrix k`, d_k, constants), matrix(`${seed} matrix v`, d_v, constants)];
  const [q, k, v] = [matmul(x, W_q), matmul(x, W_k), matmul(x, W_v)];
  const seen = words.map((_, i) => words.map((__, j) => maySee(mask, i, j)));
  const { scores: scaled, masked, weights, context } = scaled_dot_product_attention(q, k, v, { mask: seen });
  return { words, x, W_q, W_k, W_v, q, k, v, scores: dot_scores(q, k), scaled, masked, weights, context };
}

/**
 * The state as it is shown: the two words are among those that there are.
 * @param {Setting} state checked
 * @param {Constants} constants
 * @returns {Setting}
 */
export function readSetting(state, constants) {
  const last = splitWords(state.text, constants).length - 1;
  return { ...state, token: Math.min(last, state.token), other: Math.min(last, state.other) };
}
