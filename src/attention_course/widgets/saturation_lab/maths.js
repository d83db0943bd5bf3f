// The numbers of the saturation lab: attention_course.reference.labs.saturation in JavaScript.
//
// A frame has a few milliseconds. Dot products of 4096 components for 256 x 32 pairs cost
// more, so they are summed once and kept at every 64th component; a frame adds at most 63.
import { ROUND } from "../kit/formats.js";
import { entropy, jacobian_norm } from "../kit/attention.js";
import { quantile } from "../kit/numbers.js";
import { RandomState } from "../kit/random.js";

export const N_QUERIES = 256;
export const MAX_KEYS = 32;
export const MAX_D_K = 4096;
export const BLOCK = 64;
export const DEAD = 1e-3;
export const SCORE_BINS = 48;
/** Edges of the gradient histogram: three bins a decade. */
export const GRADIENT_EDGES = Array.from({ length: 34 }, (_, i) => 10 ** ((i - 24) / 3));

/**
 * @typedef {object} Setting
 * @property {number} d_k
 * @property {number} n_keys
 * @property {string} scale
 * @property {number} scale_value
 * @property {number} spread
 * @property {string} number_format
 * @property {number} seed
 * @property {number} query
 * @property {number[]} offsets
 *
 * @typedef {{seed: number, q: Float32Array, k: Float32Array, g: Float64Array}} Draws
 * @typedef {object} Table one seed in one format, with sums kept at every 64th component
 * @property {number} seed
 * @property {string} format
 * @property {Float32Array} q 256 x 4096
 * @property {Float32Array} k 32 x 4096
 * @property {Float64Array} g 256 x 32
 * @property {Float64Array} dots 65 x 256 x 32: q.k over the first 64 b components
 * @property {Float64Array} gram 65 x 32 x 32: k.k likewise
 *
 * @typedef {object} One numbers of one query
 * @property {number} entropy
 * @property {number} top_weight
 * @property {number} jacobian_norm
 * @property {number} gradient_norm
 */

/** The factor for the dot products. @param {Setting} setting */
export function scaleFactor({ scale, d_k, scale_value }) {
  if (scale === "none") return 1;
  if (scale === "custom") return scale_value;
  return scale === "d_k" ? 1 / d_k : 1 / Math.sqrt(d_k);
}

/**
 * Draw queries, keys and gradients; pauses now and then so that the page stays alive.
 * @param {number} seed
 * @returns {Generator<void, Draws>}
 */
export function* buildDraws(seed) {
  const random = new RandomState(seed);
  const row = new Float64Array(MAX_D_K);
  const q = new Float32Array(N_QUERIES * MAX_D_K);
  const k = new Float32Array(MAX_KEYS * MAX_D_K);
  for (const [into, rows] of /** @type {[Float32Array, number][]} */ ([[q, N_QUERIES], [k, MAX_KEYS]])) {
    for (let i = 0; i < rows; i++) {
      into.set(random.fill(row), i * MAX_D_K); // stored in float32: every format passes it
      if (i % 8 === 7) yield;
    }
  }
  return { seed, q, k, g: random.fill(new Float64Array(N_QUERIES * MAX_KEYS)) };
}

/**
 * Running sums of products of the rows of `a` with those of `b`, kept at every 64th place.
 * @param {Float32Array} a
 * @param {Float32Array} b
 * @param {Float64Array} sums blocks x rows of a x rows of b
 * @returns {Generator<void>}
 */
function* runningSums(a, b, sums) {
  const [rows, columns] = [a.length / MAX_D_K, b.length / MAX_D_K];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let total = 0;
      for (let start = 0, block = 1; start < MAX_D_K; block++) {
        const [p, r] = [i * MAX_D_K + start, j * MAX_D_K + start];
        for (let c = 0; c < BLOCK; c++) total += a[p + c] * b[r + c];
        sums[(block * rows + i) * columns + j] = total;
        start += BLOCK;
      }
    }
    if (i % 8 === 7) yield;
  }
}

/**
 * Round the draws to a format and keep the partial sums.
 * @param {Draws} draws
 * @param {string} format
 * @returns {Generator<void, Table>}
 */
export function* buildTable(draws, format) {
  const round = ROUND[format];
  const [q, k] = format === "float32" ? [draws.q, draws.k] : [draws.q.map(round), draws.k.map(round)];
  yield;
  const blocks = MAX_D_K / BLOCK + 1;
  const dots = new Float64Array(blocks * N_QUERIES * MAX_KEYS);
  const gram = new Float64Array(blocks * MAX_KEYS * MAX_KEYS);
  yield* runningSums(q, k, dots);
  yield* runningSums(k, k, gram);
  return { seed: draws.seed, format, q, k, g: draws.g, dots, gram };
}

/** Run a generator to its end at once. @template T @param {Generator<void, T>} steps @returns {T} */
export function finish(steps) {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Products of row i of `a` with rows 0..n of `b` over the first d_k components.
 * @param {Float32Array} a
 * @param {Float32Array} b
 * @param {Float64Array} sums
 * @param {number} i
 * @param {number} n
 * @param {number} d_k
 * @param {Float64Array} out
 * @param {number} at where in `out`
 */
function rowProducts(a, b, sums, i, n, d_k, out, at) {
  const block = Math.floor(d_k / BLOCK);
  const [rows, columns] = [a.length / MAX_D_K, b.length / MAX_D_K];
  const [start, end] = [block * BLOCK + i * MAX_D_K, d_k + i * MAX_D_K];
  for (let j = 0; j < n; j++) {
    let total = sums[(block * rows + i) * columns + j];
    for (let c = start, e = start + (j - i) * MAX_D_K; c < end; c++, e++) total += a[c] * b[e];
    out[at + j] = total;
  }
}

/**
 * Softmax with every step rounded; the sum in float32.
 * @param {Float64Array} scores
 * @param {Float64Array} weights where the result goes
 * @param {number} at first place of the row in both
 * @param {number} n
 * @param {(x: number) => number} round
 */
export function softmaxInFormat(scores, weights, at, n, round) {
  let top = scores[at];
  for (let j = at; j < at + n; j++) {
    if (scores[j] > top || scores[j] !== scores[j]) top = scores[j];
  }
  let total = 0;
  for (let j = at; j < at + n; j++) {
    const e = round(Math.exp(round(scores[j] - top)));
    weights[j] = e;
    total = Math.fround(total + e);
  }
  for (let j = at; j < at + n; j++) weights[j] = round(weights[j] / total);
}

/**
 * Norm of the gradient that reaches the query: |s K^T J g|.
 * @param {Float64Array} p the query's weights
 * @param {Float64Array} g gradients that arrive at the weights, n from place `at`
 * @param {number} at
 * @param {number} n
 * @param {Table} table
 * @param {Float64Array | null} gram products of the keys, row length 32; null: use the keys
 * @param {number} d_k
 * @param {number} factor
 * @param {Float64Array} u scratch
 */
function gradientNorm(p, g, at, n, table, gram, d_k, factor, u) {
  for (let i = 0; i < n; i++) {
    // (1 - p_i) g_i minus the others: subtracting the full mean would cancel near one-hot.
    let inner = (1 - p[i]) * g[at + i];
    for (let j = 0; j < n; j++) if (j !== i) inner -= p[j] * g[at + j];
    u[i] = p[i] * inner;
  }
  let square = 0;
  if (gram) {
    for (let i = 0; i < n; i++) {
      if (u[i] === 0) continue;
      let inner = 0;
      for (let j = 0; j < n; j++) inner += gram[i * MAX_KEYS + j] * u[j];
      square += u[i] * inner;
    }
  } else {
    for (let c = 0; c < d_k; c++) {
      let inner = 0;
      for (let i = 0; i < n; i++) inner += u[i] * table.k[i * MAX_D_K + c];
      square += inner * inner;
    }
  }
  return Math.abs(factor) * Math.sqrt(Math.max(0, square));
}

/** Median, mean and 99th percentile of what is known. @param {Float64Array} values @param {number} n */
function summary(values, n) {
  const sorted = values.slice(0, n).sort();
  const mean = n ? sorted.reduce((a, b) => a + b, 0) / n : NaN;
  return { median: quantile(sorted, 0.5), mean, p99: quantile(sorted, 0.99) };
}

/**
 * Everything the lab shows for one setting.
 * @param {Table} table made for the setting's seed and format
 * @param {Setting} setting
 */
export function saturation(table, setting) {
  const { d_k, n_keys: n, spread, query, offsets } = setting;
  const round = ROUND[table.format];
  const factor = scaleFactor(setting);
  const scores = new Float64Array(N_QUERIES * n);
  const weights = new Float64Array(N_QUERIES * n);
  for (let i = 0; i < N_QUERIES; i++) {
    rowProducts(table.q, table.k, table.dots, i, n, d_k, scores, i * n);
    for (let at = i * n; at < (i + 1) * n; at++) scores[at] = round(round(scores[at] * spread) * factor);
    softmaxInFormat(scores, weights, i * n, n, round);
  }
  /** @type {Float64Array | null} */
  let gram = null;
  if (d_k > n) {
    gram = new Float64Array(MAX_KEYS * MAX_KEYS);
    for (let i = 0; i < n; i++) rowProducts(table.k, table.k, table.gram, i, n, d_k, gram, i * MAX_KEYS);
  }
  const scratch = new Float64Array(n);
  /** @param {Float64Array} p @param {number} i @returns {One} */
  const numbersOf = (p, i) => {
    if (p.some((x) => x !== x)) return { entropy: NaN, top_weight: NaN, jacobian_norm: NaN, gradient_norm: NaN };
    let top = 0;
    for (let j = 0; j < n; j++) if (p[j] > top) top = p[j];
    const gradient_norm = gradientNorm(p, table.g, i * MAX_KEYS, n, table, gram, d_k, factor, scratch);
    return { entropy: entropy(p), top_weight: top, jacobian_norm: jacobian_norm(p), gradient_norm };
  };

  const moved = new Float64Array(n);
  const movedWeights = new Float64Array(n);
  for (let j = 0; j < n; j++) moved[j] = round(scores[query * n + j] + (offsets[j] ?? 0));
  softmaxInFormat(moved, movedWeights, 0, n, round);

  const [top, bits, jacobian, gradient] = [0, 1, 2, 3].map(() => new Float64Array(N_QUERIES));
  let [known, dead] = [0, 0];
  for (let i = 0; i < N_QUERIES; i++) {
    const one = numbersOf(weights.subarray(i * n, (i + 1) * n), i);
    if (one.top_weight !== one.top_weight) continue;
    top[known] = one.top_weight;
    bits[known] = one.entropy;
    jacobian[known] = one.jacobian_norm;
    gradient[known] = one.gradient_norm;
    if (one.jacobian_norm < DEAD) dead++;
    known++;
  }
  const [tops, gradients] = [summary(top, known), summary(gradient, known)];
  return {
    shown: { scores: moved, base: scores.slice(query * n, (query + 1) * n), weights: movedWeights, ...numbersOf(movedWeights, query) },
    batch: {
      top_weight_median: tops.median,
      top_weight_mean: tops.mean,
      entropy_median: summary(bits, known).median,
      jacobian_norm_median: summary(jacobian, known).median,
      gradient_norm_median: gradients.median,
      gradient_norm_mean: gradients.mean,
      gradient_norm_p99: gradients.p99,
      dead: dead / N_QUERIES,
      overflow: 1 - known / N_QUERIES,
    },
    scores: scoreHistogram(scores),
    gradients: gradientHistogram(gradient, known),
  };
}

/** @typedef {ReturnType<typeof saturation>} Numbers */

/** All scores in 48 bins; the range is the first power of two that holds them. @param {Float64Array} scores */
function scoreHistogram(scores) {
  let [largest, sum, finite] = [0, 0, 0];
  for (const s of scores) {
    if (!Number.isFinite(s)) continue;
    finite++;
    sum += s;
    largest = Math.max(largest, Math.abs(s));
  }
  let half = 4;
  while (half < largest) half *= 2;
  const mean = sum / finite;
  const counts = new Array(SCORE_BINS).fill(0);
  let squares = 0;
  for (const s of scores) {
    if (!Number.isFinite(s)) continue;
    squares += (s - mean) * (s - mean);
    counts[Math.min(SCORE_BINS - 1, Math.floor(((s + half) / (2 * half)) * SCORE_BINS))]++;
  }
  return { half_width: half, counts, std: Math.sqrt(squares / finite), infinite: scores.length - finite };
}

/** Gradient norms in thirds of a decade; what is below 1e-8 is counted apart. @param {Float64Array} norms @param {number} n */
function gradientHistogram(norms, n) {
  const counts = new Array(GRADIENT_EDGES.length - 1).fill(0);
  let below = 0;
  for (let i = 0; i < n; i++) {
    if (norms[i] < GRADIENT_EDGES[0]) below++;
    else {
      let place = counts.length - 1;
      while (place > 0 && norms[i] < GRADIENT_EDGES[place]) place--;
      counts[place]++;
    }
  }
  return { below, counts };
}
