// The numbers of each example: values.py in JavaScript.
import {
  dot,
  matmul,
  scaled_dot_product_attention,
  scaled_dot_scores,
  softmax,
} from "../kit/attention.js";
import { RandomState } from "../kit/random.js";

/** @typedef {import("../kit/attention.js").Matrix} Matrix */
/** @typedef {Record<string, any>} Values numbers, vectors and words by name */

/** @param {number[]} numbers */
const top = (numbers) => numbers.indexOf(Math.max(...numbers));
/** A matrix on a column. @param {Matrix} W @param {number[]} x */
const times = (W, x) => W.map((row) => dot(row, x));
/** @param {number[][]} vectors */
const add = (...vectors) => vectors[0].map((_, i) => vectors.reduce((sum, v) => sum + v[i], 0));
/** @param {number} x */
const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** @param {{q: Matrix, k: Matrix, v?: Matrix}} inputs @param {number} word @param {string} scale @returns {Values} */
function attention({ q, k, v = k }, word, scale) {
  const factor = scale === "none" ? 1 : undefined;
  const { scores, weights, context } = scaled_dot_product_attention(q, k, v, { scale: factor });
  return {
    k,
    v,
    query: q[word],
    factor: scale === "none" ? "× 1" : `÷ √${q[0].length}`,
    scores: scaled_dot_scores(q, k, 1)[word],
    scaled: scores[word],
    weights: weights[word],
    shares: v.map((row, j) => row.map((x) => weights[word][j] * x)),
    context: context[word],
    top: top(weights[word]),
  };
}

/** What torch.rand draws. @param {number} seed @param {number} n */
function uniform(seed, n) {
  const random = new RandomState(seed);
  return Array.from({ length: n }, () => (random.bits() & 0xffffff) / 2 ** 24);
}

/** @param {number[]} flat @param {number} width @returns {Matrix} */
const rows = (flat, width) =>
  Array.from({ length: flat.length / width }, (_, i) => flat.slice(i * width, (i + 1) * width));

/** What torch draws for the words of a sentence, as torch_draws in values.py. @param {any} inputs */
function torchDraws({ seed, order, d_model, d_k, d_v }) {
  const table = rows(uniform(seed, order.length * d_model), 16).flatMap((u) => {
    const polar = (/** @type {(x: number) => number} */ part) =>
      u
        .slice(0, 8)
        .map((x, i) => Math.sqrt(-2 * Math.log(1 - x)) * part(2 * Math.PI * u[i + 8]));
    return [...polar(Math.cos), ...polar(Math.sin)];
  });
  const W = rows(uniform(seed, (2 * d_k + d_v) * d_model), d_model);
  const embedding = rows(table, d_model);
  return {
    x: order.map((/** @type {number} */ id) => embedding[id]),
    W_q: W.slice(0, d_k),
    W_k: W.slice(d_k, 2 * d_k),
    W_v: W.slice(2 * d_k),
  };
}

/** @param {any} inputs @param {number} word @param {string} scale @returns {Values} */
function self(inputs, word, scale) {
  const { x, W_q, W_k, W_v } = torchDraws(inputs);
  const [q, k, v] = [W_q, W_k, W_v].map((W) =>
    x.map((/** @type {number[]} */ row) => times(W, row)),
  );
  return { ...attention({ q, k, v }, word, scale), x, asking: x[word] };
}

/** @param {{q: Matrix, k: Matrix, v: Matrix}} inputs @returns {Values} */
function causal({ q, k, v }) {
  const mask = q.map((_, i) => k.map((_, j) => j <= i));
  const { scores, weights, context } = scaled_dot_product_attention(q, k, v, { mask });
  return { q, k, v, matrix: scores, weights, contexts: context };
}

/** @param {any} inputs @param {number} word @returns {Values} */
function heads({ x, n_heads, W_q, W_k, W_v, W_o }, word) {
  const width = W_q[0].length / n_heads;
  const [q, k, v] = [W_q, W_k, W_v].map((W) => {
    const all = matmul(x, W);
    return Array.from({ length: n_heads }, (_, h) =>
      all.map((row) => row.slice(h * width, (h + 1) * width)),
    );
  });
  const each = q.map((_, h) => scaled_dot_product_attention([q[h][word]], k[h], v[h]));
  const [weights, context] = [
    each.map((head) => head.weights[0]),
    each.map((head) => head.context[0]),
  ];
  const joined = context.flat();
  const [first, second] = weights.map(top);
  const asked = {
    asking: x[word],
    q: q.map((head) => head[word]),
    k,
    v,
    scores: each.map((head) => head.scores[0]),
  };
  return {
    ...asked,
    weights,
    context,
    joined,
    output: matmul([joined], W_o)[0],
    first,
    second,
  };
}

/** Weights, context and the largest weight, of scores of keys that are values too. @param {number[]} scores @param {Matrix} k */
function look(scores, k) {
  const weights = softmax(scores);
  return { k, scores, weights, context: matmul([weights], k)[0], top: top(weights) };
}

/** @param {any} inputs @returns {Values} */
function bahdanau({ s, h, W_a, U_a, v_a, y, W, U, b, C }) {
  const asked = times(W_a, s);
  const seen = look(
    h.map((/** @type {number[]} */ key) =>
      dot(v_a, add(asked, times(U_a, key)).map(Math.tanh)),
    ),
    h,
  );
  const drive = add(times(W, y), times(C, seen.context), b);
  const d = s.length;
  const gate = (/** @type {number} */ from) =>
    add(drive.slice(from, from + d), times(U.slice(from, from + d), s)).map(sigmoid);
  const [z, r] = [gate(d), gate(2 * d)];
  const kept = s.map((/** @type {number} */ x, /** @type {number} */ i) => r[i] * x);
  const candidate = add(drive.slice(0, d), times(U.slice(0, d), kept)).map(Math.tanh);
  return { query: s, y, ...seen, state: candidate.map((x, i) => (1 - z[i]) * s[i] + z[i] * x) };
}

/** State and cell after an LSTM's gates. @param {number[]} drive @param {number[]} cell */
function gates(drive, cell) {
  const [i, f, g, o] = rows(drive, cell.length);
  const memory = cell.map((x, n) => sigmoid(f[n]) * x + sigmoid(i[n]) * Math.tanh(g[n]));
  return { state: memory.map((x, n) => sigmoid(o[n]) * Math.tanh(x)), memory };
}

/** @param {any} inputs @returns {Values} */
function luong({ h, m, k, x, W_x, W_h, b, W_c }) {
  const { state: query } = gates(add(times(W_x, x), times(W_h, h), b), m);
  const seen = look(times(k, query), k);
  return {
    before: h,
    y: x,
    query,
    ...seen,
    state: times(W_c, [...seen.context, ...query]).map(Math.tanh),
  };
}

/** @param {any} inputs @returns {Values} */
function tape({ x, summary, h, c, W_h, W_x, W_s, v, W, b }) {
  const asked = add(times(W_x, x), times(W_s, summary));
  const seen = look(
    h.map((/** @type {number[]} */ key) => dot(v, add(asked, times(W_h, key)).map(Math.tanh))),
    h,
  );
  const cell = matmul([seen.weights], c)[0];
  return {
    x,
    summary,
    cells: c,
    ...seen,
    cell,
    ...gates(add(times(W, [...seen.context, ...x]), b), cell),
  };
}

/** A gated unit, as torch has it. @param {any} learned @param {number[]} x @param {number[]} h */
function gru({ W_x, W_h, b_x, b_h }, x, h) {
  const [[rx, zx, nx], [rh, zh, nh]] = [add(times(W_x, x), b_x), add(times(W_h, h), b_h)].map(
    (all) => rows(all, h.length),
  );
  const [r, z] = [add(rx, rh), add(zx, zh)].map((gate) => gate.map(sigmoid));
  return h.map((old, i) => (1 - z[i]) * Math.tanh(nx[i] + r[i] * nh[i]) + z[i] * old);
}

/** @param {any} inputs @returns {Values} */
function fixed({ x, other, ...learned }) {
  const states = (/** @type {Matrix} */ words) => {
    const found = [[0, 0]];
    for (const word of words) found.push(gru(learned, word, found[found.length - 1]));
    return found.slice(1);
  };
  const [h, changed] = [states(x), states([other, ...x.slice(1)])];
  return {
    h,
    c: h[h.length - 1],
    gaps: h.map((state, i) => Math.hypot(...state.map((s, d) => s - changed[i][d]))),
  };
}

/** When each layer has done each word. @param {{words: number, layers: number}} inputs */
function grid({ words, layers }) {
  const steps = (/** @type {number} */ asks) => {
    const done = Array.from({ length: layers + 1 }, () => Array(words + 1).fill(0));
    for (let word = 1; word <= words; word++) {
      for (let layer = 1; layer <= layers; layer++) {
        done[layer][word] =
          1 + Math.max(done[layer - 1][word], done[layer][word - 1], done[asks][word - 1]);
      }
    }
    return done.slice(1).map((row) => row.slice(1));
  };
  return { bottom: steps(1), top: steps(layers) };
}

/** @type {Record<string, (inputs: any, word: number, scale: string) => Values>} */
const KINDS = { attention, self, causal, heads, bahdanau, luong, tape, fixed, grid };

/** Every number that an example shows, by name. @param {{kind: string, inputs: any, words: string[]}} plan @param {number} word @param {string} scale @returns {Values} */
export function compute({ kind, inputs, words }, word, scale) {
  return { ...KINDS[kind](inputs, word, scale), words, word };
}
