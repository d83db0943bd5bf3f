// Attention: attention_course.reference in JavaScript, under the same names. tests/js compares
// them with fixtures that it made.

/** Weights from scores: the largest is subtracted first. @param {ArrayLike<number>} scores @returns {number[]} */
export function softmax(scores) {
  const all = Array.from(scores);
  const top = Math.max(...all);
  const exps = all.map((x) => Math.exp(x - (top === -Infinity ? 0 : top)));
  const total = exps.reduce((a, b) => a + b, 0);
  return exps.map((x) => x / (total || 1));
}

/** @typedef {number[][]} Matrix */

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The product of two matrices. @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export function matmul(a, b) {
  return a.map((row) => b[0].map((_, c) => row.reduce((sum, x, i) => sum + x * b[i][c], 0)));
}

/** Every query's dot product with every key. @param {Matrix} q @param {Matrix} k @returns {Matrix} */
export function dot_scores(q, k) {
  return q.map((a) => k.map((b) => dot(a, b)));
}

/**
 * Dot products, of queries multiplied by 1 / √d_k or by `scale`.
 * @param {Matrix} q @param {Matrix} k @param {number} [scale] @returns {Matrix}
 */
export function scaled_dot_scores(q, k, scale = 1 / Math.sqrt(q[0].length)) {
  return dot_scores(
    q.map((row) => row.map((x) => x * scale)),
    k,
  );
}

/**
 * Mix the values, each query with its own weights: softmax(q kᵀ / √d_k) v.
 * @param {Matrix} q queries
 * @param {Matrix} k keys
 * @param {Matrix} v values, one for each key
 * @param {{mask?: boolean[][], scale?: number}} [options] mask: true = may attend; a query that
 *   may attend to nothing gets zeros. scale: what the dot products are multiplied by
 */
export function scaled_dot_product_attention(q, k, v, { mask, scale } = {}) {
  const scores = scaled_dot_scores(q, k, scale);
  const masked = mask
    ? scores.map((row, i) => row.map((e, j) => (mask[i][j] ? e : -Infinity)))
    : scores;
  const weights = masked.map(softmax);
  return { scores, masked, weights, context: matmul(weights, v) };
}

/**
 * Frobenius norm of the softmax Jacobian, from sums of positive terms only: expanded into
 * differences it loses everything below 1e-8.
 * @param {ArrayLike<number>} p
 * @returns {number}
 */
export function jacobian_norm(p) {
  let [total, before] = [0, 0];
  for (let j = 0; j < p.length; j++) {
    const square = p[j] * p[j];
    total += square * (1 - p[j]) * (1 - p[j]) + 2 * square * before;
    before += square;
  }
  return Math.sqrt(total);
}

/** Entropy in nats; 0 log 0 = 0. @param {ArrayLike<number>} p @returns {number} */
export function entropy(p) {
  let h = 0;
  for (let i = 0; i < p.length; i++) if (p[i] !== 0) h -= p[i] * Math.log(p[i]);
  return h + 0; // no minus zero
}
