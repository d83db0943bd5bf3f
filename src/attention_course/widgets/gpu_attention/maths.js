// What the widget counts, draws inputs from and compares with: pure functions.
import { scaled_dot_product_attention } from "../kit/attention.js";
import { quantile } from "../kit/numbers.js";
import { FORMS, NAMES, TILE } from "./kernels.js";

/**
 * @typedef {import("./kernels.js").Form} Form
 * @typedef {{d: number, heads: number, causal: boolean}} Setting
 * @typedef {{q: Float32Array, k: Float32Array, v: Float32Array}} Inputs
 * @typedef {{operations: number, moved: number}} Count
 * @typedef {{n: number, d: number, heads: number, causal: boolean}} Size
 */

const BYTES = 4; // float32

/** Operations of the products, and the bytes that must move at least. @param {Form} form @param {Size} size @returns {Count} */
export function count(form, { n, d, heads, causal }) {
  // Pairs in tiles of so many keys: a workgroup stops behind its last query.
  const pairs = (/** @type {number} */ keys) => {
    let sum = 0;
    for (let i = 0; i < n; i += TILE) {
      const seen = causal ? Math.min(n, Math.ceil((i + TILE) / keys) * keys) : n;
      sum += Math.min(TILE, n - i) * seen;
    }
    return sum;
  };
  const matrices = form === "fused" ? 0 : 4 * (causal ? (n * (n + 1)) / 2 : n * n);
  return {
    operations: 2 * heads * d * (pairs(form === "fused" ? TILE : d) + pairs(TILE)),
    moved: BYTES * heads * (4 * n * d + matrices),
  };
}

/** Where a measured time lies on a roofline. @param {Count} counted @param {number} seconds */
export function rooflinePoint({ operations, moved }, seconds) {
  return { x: operations / moved, y: operations / seconds };
}

/** The next length, or null if it would take longer than `most` seconds a run. @param {number[]} sizes @param {number} n the last one @param {number} seconds its slowest run @param {number} most */
export function nextSize(sizes, n, seconds, most) {
  const next = sizes[sizes.indexOf(n) + 1];
  return next && seconds * (next / n) ** 2 <= most ? next : null;
}

/** How many runs one submission holds, so that waiting for it is a small part. @param {number} seconds of one run */
export function runsTogether(seconds, aim = 0.04, most = 64) {
  return Math.min(most, Math.max(1, Math.ceil(aim / Math.max(seconds, 1e-9))));
}

/** @param {number[]} values */
export function median(values) {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Numbers of mean 0 and variance 1, evenly spread, the same for the same seed. @param {number} length @param {number} seed */
export function noise(length, seed) {
  const out = new Float32Array(length);
  let state = (seed * 2654435761 + 1) >>> 0;
  for (let i = 0; i < length; i++) {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    out[i] = (((x ^ (x >>> 14)) >>> 0) / 2147483648 - 1) * Math.sqrt(3);
  }
  return out;
}

/** Inputs of all heads; queries times `stretch`, so that scores grow. @param {Size} size @returns {Inputs} */
export function inputs({ n, d, heads }, stretch = 1) {
  const length = n * d * heads;
  return {
    q: noise(length, 1).map((x) => x * stretch),
    k: noise(length, 2),
    v: noise(length, 3),
  };
}

/** Some queries, the first and the last of the blocks among them. @param {number} n */
export function sample(n) {
  const places = [0, 1, TILE - 1, TILE, Math.floor(n / 2), n - TILE - 1, n - 2, n - 1];
  return n <= 128 ? Array.from({ length: n }, (_, i) => i) : [...new Set(places)];
}

/**
 * The largest difference from float64 attention, over these queries of the first and last head.
 * NaN counts as infinite.
 * @param {Float32Array} got @param {Inputs} given @param {Size} size @param {number[]} queries
 */
export function largestError(got, { q, k, v }, { n, d, heads, causal }, queries) {
  let worst = 0;
  for (const head of new Set([0, heads - 1])) {
    const row = (/** @type {Float32Array} */ of, /** @type {number} */ i) =>
      Array.from(of.subarray((head * n + i) * d, (head * n + i + 1) * d));
    const all = (/** @type {Float32Array} */ of) =>
      Array.from({ length: n }, (_, i) => row(of, i));
    const mask = causal
      ? queries.map((i) => Array.from({ length: n }, (_, j) => j <= i))
      : undefined;
    const { context } = scaled_dot_product_attention(
      queries.map((i) => row(q, i)),
      all(k),
      all(v),
      { mask },
    );
    queries.forEach((i, at) =>
      row(got, i).forEach((x, c) => (worst = further(worst, x - context[at][c]))),
    );
  }
  return worst;
}

/** The largest difference of two results. @param {Float32Array} a @param {Float32Array} b */
export function apart(a, b) {
  return a.reduce((worst, x, i) => further(worst, x - b[i]), 0);
}

/** @param {number} worst @param {number} gap */
function further(worst, gap) {
  return Number.isFinite(gap) ? Math.max(worst, Math.abs(gap)) : Infinity;
}

/** What is counted at the longest length, in words. @param {Setting & {longest: number}} state */
export function tell({ longest: n, ...setting }) {
  const [passes, fused] = FORMS.map((form) => count(form, { n, ...setting }).moved);
  const room = 4 * setting.heads * n * n;
  return (
    `At ${whole(n)} tokens, ${setting.heads} head${setting.heads > 1 ? "s" : ""} of width ${setting.d} in float32: ${NAMES.passes} move at least ${megabytes(passes)}, ` +
    `${(passes / fused).toFixed(0)} times as much as ${NAMES.fused} (${megabytes(fused)}). The scores alone fill ${megabytes(room)}.`
  );
}

/** @param {number} bytes */
export function megabytes(bytes) {
  return `${bytes < 1e7 ? (bytes / 1e6).toFixed(2) : whole(Math.round(bytes / 1e6))} MB`;
}

/** @param {number} x */
export function whole(x) {
  return String(x).replace(/\B(?=(\d{3})+$)/g, ",");
}
