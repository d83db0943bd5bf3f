// The numbers of the saturation lab: attention_course.reference.labs.saturation in JavaScript.
//
// A frame has a few milliseconds. Dot products of 4096 components for 256 x 32 pairs cost
// more, so they are summed once and kept at every 64th component; a frame adds at most 63.
import { ROUND } from "../kit/formats.js";
import { entropy, jacobian_norm } from "../kit/attention.js";
import { quantile } from "../kit/numbers.js";
import { RandomState } from "../kit/random.js";

/** Sums are kept at every 64th component. */
export const BLOCK = 64;

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
 * @typedef {object} Sizes written in Python (widget.py)
 * @property {number} queries
 * @property {number} keys the most that there are
 * @property {number} width the largest d_k
 * @property {number} dead a query is dead if the norm of its Jacobian is below this
 * @property {number} score_step width of a bin of scores
 * @property {number} score_bins an odd number of them, around 0; the outermost are open
 * @property {[number, number]} gradient_decades the powers of ten between which norms are counted
 * @property {number} gradient_bins bins in a decade
 *
 * @typedef {{seed: number, sizes: Sizes, q: Float32Array, k: Float32Array, g: Float64Array}} Draws
 * @typedef {object} Table one seed in one format, with sums kept at every 64th component
 * @property {number} seed
 * @property {Sizes} sizes
 * @property {string} format
 * @property {Float32Array} q queries x width
 * @property {Float32Array} k keys x width
 * @property {Float64Array} g queries x keys
 * @property {Float64Array} dots blocks x queries x keys: q.k over the first 64 b components
 * @property {Float64Array} gram blocks x keys x keys: k.k likewise
 * @property {{scores: Float64Array, weights: Float64Array, gram: Float64Array, u: Float64Array}} scratch
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
 * @param {Sizes} sizes
 * @returns {Generator<void, Draws>}
 */
export function* buildDraws(seed, sizes) {
  const random = new RandomState(seed);
  const { queries, keys, width } = sizes;
  const row = new Float64Array(width);
  const q = new Float32Array(queries * width);
  const k = new Float32Array(keys * width);
  for (const [into, rows] of /** @type {[Float32Array, number][]} */ ([
    [q, queries],
    [k, keys],
  ])) {
    for (let i = 0; i < rows; i++) {
      into.set(random.fill(row), i * width); // stored in float32: every format passes it
      if (i % 8 === 7) yield;
    }
  }
  return { seed, sizes, q, k, g: random.fill(new Float64Array(queries * keys)) };
}

/**
 * Running sums of products of the rows of `a` with those of `b`, kept at every 64th place.
 * @param {Float32Array} a
 * @param {Float32Array} b
 * @param {number} width of the rows
 * @param {Float64Array} sums blocks x rows of a x rows of b
 * @returns {Generator<void>}
 */
function* runningSums(a, b, width, sums) {
  const [rows, columns] = [a.length / width, b.length / width];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let total = 0;
      for (let start = 0, block = 1; start < width; block++) {
        const [p, r] = [i * width + start, j * width + start];
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
  const [q, k] =
    format === "float32" ? [draws.q, draws.k] : [draws.q.map(round), draws.k.map(round)];
  yield;
  const { queries, keys, width } = draws.sizes;
  const blocks = width / BLOCK + 1;
  const dots = new Float64Array(blocks * queries * keys);
  const gram = new Float64Array(blocks * keys * keys);
  yield* runningSums(q, k, width, dots);
  yield* runningSums(k, k, width, gram);
  const [scores, weights] = [0, 1].map(() => new Float64Array(queries * keys));
  const scratch = {
    scores,
    weights,
    gram: new Float64Array(keys * keys),
    u: new Float64Array(keys),
  };
  return {
    seed: draws.seed,
    sizes: draws.sizes,
    format,
    q,
    k,
    g: draws.g,
    dots,
    gram,
    scratch,
  };
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
 * @param {number} width of the rows
 * @param {Float64Array} sums
 * @param {number} i
 * @param {number} n
 * @param {number} d_k
 * @param {Float64Array} out
 * @param {number} at where in `out`
 */
function rowProducts(a, b, width, sums, i, n, d_k, out, at) {
  const block = Math.floor(d_k / BLOCK);
  const [rows, columns] = [a.length / width, b.length / width];
  const [start, end] = [block * BLOCK + i * width, d_k + i * width];
  for (let j = 0; j < n; j++) {
    let total = sums[(block * rows + i) * columns + j];
    for (let c = start, e = start + (j - i) * width; c < end; c++, e++) total += a[c] * b[e];
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
 * @param {Float64Array} p weights; the query's begin at `from`
 * @param {number} from
 * @param {Float64Array} g gradients that arrive at the weights, n from place `at`
 * @param {number} at
 * @param {number} n
 * @param {Table} table
 * @param {Float64Array | null} gram products of the keys, in rows for all keys; null: use the keys
 * @param {number} d_k
 * @param {number} factor
 */
function gradientNorm(p, from, g, at, n, table, gram, d_k, factor) {
  const { keys, width } = table.sizes;
  const { u } = table.scratch;
  // (1 - p_i) g_i minus the others, those before and those after: subtracting the full mean
  // would cancel near one-hot.
  let others = 0;
  for (let i = 0; i < n; i++) {
    u[i] = (1 - p[from + i]) * g[at + i] - others;
    others += p[from + i] * g[at + i];
  }
  others = 0;
  for (let i = n - 1; i >= 0; i--) {
    u[i] = p[from + i] * (u[i] - others);
    others += p[from + i] * g[at + i];
  }
  let square = 0;
  if (gram) {
    for (let i = 0; i < n; i++) {
      if (u[i] === 0) continue;
      let inner = 0;
      for (let j = 0; j < i; j++) inner += gram[i * keys + j] * u[j];
      square += u[i] * (2 * inner + gram[i * keys + i] * u[i]);
    }
  } else {
    for (let c = 0; c < d_k; c++) {
      let inner = 0;
      for (let i = 0; i < n; i++) inner += u[i] * table.k[i * width + c];
      square += inner * inner;
    }
  }
  return Math.abs(factor) * Math.sqrt(Math.max(0, square));
}

/** Median, mean and 99th percentile of what is known. @param {Float64Array} values @param {number} n */
function summary(values, n) {
  const sorted = values.slice(0, n).sort();
  const mean = n ? sorted.reduce((a, b) => a + b, 0) / n : NaN;
  return { sorted, median: quantile(sorted, 0.5), mean, p99: quantile(sorted, 0.99) };
}

/** The query whose largest weight is the lower median; of equal ones as a stable sort has them. @param {Float64Array} top by query @param {Float64Array} sorted those known */
function typical(top, sorted) {
  if (!sorted.length) return 0;
  const place = Math.floor((sorted.length - 1) / 2);
  let equal = place - sorted.indexOf(sorted[place]);
  for (let i = 0; ; i++) if (top[i] === sorted[place] && equal-- === 0) return i;
}

/**
 * Everything the lab shows for one setting.
 * @param {Table} table made for the setting's seed and format
 * @param {Setting} setting
 */
export function saturation(table, setting) {
  const { d_k, n_keys: n, spread, offsets } = setting;
  const { sizes } = table;
  const { queries, keys, width } = sizes;
  const { scores, weights } = table.scratch;
  const round = ROUND[table.format];
  const factor = scaleFactor(setting);
  for (let i = 0; i < queries; i++) {
    rowProducts(table.q, table.k, width, table.dots, i, n, d_k, scores, i * n);
    for (let at = i * n; at < (i + 1) * n; at++)
      scores[at] = round(round(scores[at] * spread) * factor);
    softmaxInFormat(scores, weights, i * n, n, round);
  }
  const gram = d_k > n ? table.scratch.gram : null;
  if (gram)
    for (let i = 0; i < n; i++)
      rowProducts(table.k, table.k, width, table.gram, i, n, d_k, gram, i * keys);

  /** @param {Float64Array} p @param {number} from @param {number} i @returns {One} */
  const numbersOf = (p, from, i) => {
    const own = p.subarray(from, from + n);
    let top = own[0]; // NaN stays
    for (let j = 0; j < n; j++) if (own[j] > top || own[j] !== own[j]) top = own[j];
    if (top !== top)
      return { entropy: NaN, top_weight: NaN, jacobian_norm: NaN, gradient_norm: NaN };
    const gradient_norm = gradientNorm(p, from, table.g, i * keys, n, table, gram, d_k, factor);
    return {
      entropy: entropy(own),
      top_weight: top,
      jacobian_norm: jacobian_norm(own),
      gradient_norm,
    };
  };

  const [top, bits, jacobian, gradient, norms, tops] = Array.from(
    { length: 6 },
    () => new Float64Array(queries),
  );
  /** @type {boolean[]} */
  const dead = [];
  let known = 0;
  for (let i = 0; i < queries; i++) {
    const one = numbersOf(weights, i * n, i);
    [tops[i], norms[i], dead[i]] = [
      one.top_weight,
      one.gradient_norm,
      one.jacobian_norm < sizes.dead,
    ];
    if (one.top_weight !== one.top_weight) continue;
    top[known] = one.top_weight;
    bits[known] = one.entropy;
    jacobian[known] = one.jacobian_norm;
    gradient[known] = one.gradient_norm;
    known++;
  }
  const [largest, gradients] = [summary(top, known), summary(gradient, known)];

  const query = setting.query < 0 ? typical(tops, largest.sorted) : setting.query;
  const [moved, movedWeights] = [new Float64Array(n), new Float64Array(n)];
  for (let j = 0; j < n; j++) moved[j] = round(scores[query * n + j] + (offsets[j] ?? 0));
  softmaxInFormat(moved, movedWeights, 0, n, round);
  return {
    shown: {
      query,
      scores: moved,
      base: scores.slice(query * n, (query + 1) * n),
      weights: movedWeights,
      ...numbersOf(movedWeights, 0, query),
    },
    batch: {
      top_weight_median: largest.median,
      top_weight_mean: largest.mean,
      entropy_median: summary(bits, known).median,
      jacobian_norm_median: summary(jacobian, known).median,
      gradient_norm_median: gradients.median,
      gradient_norm_mean: gradients.mean,
      gradient_norm_p99: gradients.p99,
      dead: dead.filter(Boolean).length / queries,
      overflow: 1 - known / queries,
    },
    scores: scoreHistogram(scores, queries * n, sizes),
    gradients: gradientHistogram(norms, dead, sizes),
    queries: { gradient_norm: norms, dead },
  };
}

/** @typedef {ReturnType<typeof saturation>} Numbers */

/** The first n scores in bins around 0; what lies outside is counted at the ends. @param {Float64Array} scores @param {number} n @param {Sizes} sizes */
function scoreHistogram(scores, n, { score_step, score_bins }) {
  const counts = new Array(score_bins).fill(0);
  let [sum, squares, finite] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const s = scores[i];
    if (!Number.isFinite(s)) continue;
    finite++;
    sum += s;
    counts[
      Math.min(score_bins - 1, Math.max(0, Math.floor(s / score_step + score_bins / 2)))
    ]++;
  }
  const mean = sum / finite;
  for (let i = 0; i < n; i++)
    if (Number.isFinite(scores[i])) squares += (scores[i] - mean) * (scores[i] - mean);
  return { counts, std: Math.sqrt(squares / finite), infinite: n - finite };
}

/** Edges of the histogram of gradient norms. @param {Sizes} sizes */
export function gradientEdges({ gradient_decades: [low, high], gradient_bins }) {
  return Array.from(
    { length: gradient_bins * (high - low) + 1 },
    (_, i) => 10 ** ((gradient_bins * low + i) / gradient_bins),
  );
}

/** Gradient norms by size, and the dead ones among them; what is below the first edge is counted apart. @param {Float64Array} norms @param {boolean[]} dead @param {Sizes} sizes */
function gradientHistogram(norms, dead, sizes) {
  const edges = gradientEdges(sizes);
  const [all, ofThemDead] = [0, 1].map(() => new Array(edges.length).fill(0));
  norms.forEach((norm, i) => {
    if (norm !== norm) return;
    let place = edges.length - 1;
    while (place > 0 && norm < edges[place - 1]) place--;
    all[place]++;
    if (dead[i]) ofThemDead[place]++;
  });
  return {
    below: all[0],
    counts: all.slice(1),
    dead_below: ofThemDead[0],
    dead: ofThemDead.slice(1),
  };
}
