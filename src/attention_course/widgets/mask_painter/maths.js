// Self-attention of six tokens under a mask, put on rightly or wrongly, with its leak test and
// the reach of its gradients: reference.transformer.mask_errors in JavaScript.
import { dot, matmul, scaled_dot_scores } from "../kit/attention.js";
import { ROUND } from "../kit/formats.js";
import { RandomState } from "../kit/random.js";

/** @typedef {import("../kit/attention.js").Matrix} Matrix */
/** @typedef {{x: Matrix, W_q: Matrix, W_k: Matrix, W_v: Matrix}} Layer */

/** @typedef {{D_MODEL: number, D_K: number, presets: [string, string, Matrix][]}} Constants as Python has them: widths, and each mask's name, label and rows */

/** The name of a mask, or "painted". @param {Matrix} mask @param {Constants["presets"]} presets */
export function nameOf(mask, presets) {
  const text = JSON.stringify(mask);
  return presets.find(([, , rows]) => JSON.stringify(rows) === text)?.[0] ?? "painted";
}

/** Another mask with one cell set. @param {Matrix} mask @param {number} i @param {number} j @param {number} value @returns {Matrix} */
export function paint(mask, i, j, value) {
  return mask.map((row, a) => row.map((cell, b) => (a === i && b === j ? value : cell)));
}

/** Tokens and three matrices, as NumPy draws them. @param {number} n @param {number} seed @param {Constants} constants @returns {Layer} */
export function layerOf(n, seed, { D_MODEL, D_K }) {
  const draw = new RandomState(seed);
  const matrix = (
    /** @type {number} */ rows,
    /** @type {number} */ columns,
    /** @type {number} */ factor,
  ) =>
    Array.from({ length: rows }, () =>
      Array.from({ length: columns }, () => draw.normal() * factor),
    );
  return {
    x: matrix(n, D_MODEL, 1),
    W_q: matrix(D_MODEL, D_K, 0.5),
    W_k: matrix(D_MODEL, D_K, 0.5),
    W_v: matrix(D_MODEL, D_K, 0.5),
  };
}

/** As NumPy does it: a row of nothing but -Infinity becomes NaN. @param {number[]} row */
function bareSoftmax(row) {
  const top = Math.max(...row);
  const exps = row.map((x) => Math.exp(x - top));
  const total = exps.reduce((a, b) => a + b, 0);
  return exps.map((x) => x / total);
}

/**
 * Softmax p, which scores keep their gradient, and what is put on after the softmax.
 * @param {Matrix} scores @param {Matrix} mask @param {string} rule
 */
export function parts(scores, mask, rule) {
  const ones = mask.map((row) => row.map(() => 1));
  if (rule === "after") return { p: scores.map(bareSoftmax), passes: ones, kept: mask };
  const seen = rule === "inverted" ? mask.map((row) => row.map((m) => 1 - m)) : mask;
  const fill = rule === "zero" ? 0 : rule === "large" ? -1e9 : -Infinity;
  const told = (/** @type {number} */ e) => (rule === "half" ? ROUND.float16(e) : e);
  const safe = rule === "right" || rule === "inverted";
  const p = scores.map((row, i) => {
    if (safe && !seen[i].includes(1)) return row.map(() => 0);
    return bareSoftmax(row.map((e, j) => (seen[i][j] ? told(e) : fill)));
  });
  return { p, passes: seen, kept: ones };
}

/** The whole layer; under the rule "right" it is scaled_dot_product_attention. @param {Layer} layer @param {Matrix} mask @param {string} rule */
function attend({ x, W_q, W_k, W_v }, mask, rule) {
  const [q, k, v] = [matmul(x, W_q), matmul(x, W_k), matmul(x, W_v)];
  const { p, passes, kept } = parts(scaled_dot_scores(q, k), mask, rule);
  const weights = p.map((row, i) => row.map((w, j) => w * kept[i][j]));
  return { q, k, v, p, passes, kept, weights, z: matmul(weights, v) };
}

/**
 * Weights, how far each output moves when one token is changed, and how much of one output's
 * gradient reaches each input. `token` and `output` count from 1.
 * @param {Matrix} mask @param {string} rule @param {number} token @param {number} output @param {number} seed
 * @param {Constants} constants
 */
export function look(mask, rule, token, output, seed, constants) {
  const layer = layerOf(mask.length, seed, constants);
  const now = attend(layer, mask, rule);
  const changed = {
    ...layer,
    x: layer.x.map((row, t) => (t === token - 1 ? row.map((c) => c + 1) : row)),
  };
  const later = attend(changed, mask, rule).z;
  const moved = now.z.map((row, i) =>
    row.reduce(
      (most, c, d) => (most >= Math.abs(later[i][d] - c) ? most : Math.abs(later[i][d] - c)),
      0,
    ),
  );
  return { weights: now.weights, moved, reach: reachOf(layer, now, output - 1) };
}

/** Frobenius norms of the derivative of output i by each input. @param {Layer} layer @param {ReturnType<typeof attend>} now @param {number} i */
function reachOf({ x, W_q, W_k, W_v }, { q, k, v, p, passes, kept, z }, i) {
  const [perKey, perQuery, perValue] = [
    W_k.map((w) => dot(w, q[i])),
    k.map((a) => W_q.map((w) => dot(w, a))),
    W_v,
  ];
  const [d_model, d_k] = [W_q.length, W_q[0].length];
  const share = p[i].map((w, j) => (w * passes[i][j]) / Math.sqrt(d_k));
  return x.map((_, j) => {
    let square = 0;
    for (let f = 0; f < d_k; f++) {
      const apart = (/** @type {number} */ l) => share[l] * (kept[i][l] * v[l][f] - z[i][f]);
      for (let c = 0; c < d_model; c++) {
        let slope = kept[i][j] * p[i][j] * perValue[c][f] + apart(j) * perKey[c];
        if (i === j) for (let l = 0; l < x.length; l++) slope += apart(l) * perQuery[l][c];
        square += slope * slope;
      }
    }
    return Math.sqrt(square);
  });
}

/** What the leak test found. @param {Matrix} mask @param {number[]} moved @param {number} token */
export function verdict(mask, moved, token) {
  const stirred = moved
    .map((x, i) => ({ x, i }))
    .filter(({ x }) => !(x <= 1e-9))
    .map(({ i }) => i + 1);
  const forbidden = stirred.filter((i) => i !== token && !mask[i - 1][token - 1]);
  return {
    stirred,
    broken: stirred.filter((i) => Number.isNaN(moved[i - 1])),
    early: stirred.filter((i) => i < token),
    forbidden,
    most: moved.reduce((most, x) => (x > most ? x : most), 0),
  };
}
