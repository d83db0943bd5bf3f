// What the course's models are made of, one vector at a time: attention_course.reference
// in JavaScript. tests/js compares each with fixtures that it made.
import { dot, softmax } from "../kit/attention.js";

/** @typedef {import("./tensors.js").Tensor} Tensor */
/** @typedef {Float64Array} Vector */
/** @typedef {Record<string, Tensor>} Tensors by the names that torch gives them */
/** @typedef {{k: Vector, v: Vector}} Seen a key and a value; of all heads, one behind the other */
/** @typedef {(scores: number[], head: number) => number[]} Gaze makes weights of scores */

/** The row of a symbol. @param {Tensor} E @param {number} symbol @returns {Vector} */
export function embed({ shape, data }, symbol) {
  return Float64Array.from(data.subarray(symbol * shape[1], (symbol + 1) * shape[1]));
}

/** W x + b. Four sums side by side: one would wait for itself. @param {Tensor} W @param {ArrayLike<number>} x @param {Tensor} [b] @returns {Vector} */
export function linear({ shape, data }, x, b) {
  const [rows, columns] = shape;
  const y = new Float64Array(rows);
  const even = columns - (columns % 4);
  for (let r = 0, i = 0; r < rows; r++) {
    let s = b ? b.data[r] : 0;
    let t = 0;
    let u = 0;
    let v = 0;
    let c = 0;
    for (; c < even; c += 4, i += 4) {
      s += data[i] * x[c];
      t += data[i + 1] * x[c + 1];
      u += data[i + 2] * x[c + 2];
      v += data[i + 3] * x[c + 3];
    }
    for (; c < columns; c++) s += data[i++] * x[c];
    y[r] = s + t + (u + v);
  }
  return y;
}

/** @param {Vector} a @param {Vector} b @returns {Vector} */
export function add(a, b) {
  return a.map((x, i) => x + b[i]);
}

/** Some rows of a matrix. @param {Tensor} W @param {number} from @param {number} to @returns {Tensor} */
function rows({ shape, data }, from, to) {
  return { shape: [to - from, shape[1]], data: data.subarray(from * shape[1], to * shape[1]) };
}

const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/**
 * The state after one step of the gated unit. U and drive: candidate, update gate, reset gate.
 * @param {Vector} drive what the inputs add
 * @param {Vector} s the state before
 * @param {Tensor} U
 * @returns {Vector}
 */
export function gatedStep(drive, s, U) {
  const d = s.length;
  const gates = linear(rows(U, d, 3 * d), s).map((x, i) => sigmoid(x + drive[d + i]));
  const reset = s.map((x, i) => gates[d + i] * x);
  const candidate = linear(rows(U, 0, d), reset).map((x, i) => Math.tanh(x + drive[i]));
  return s.map((x, i) => (1 - gates[i]) * x + gates[i] * candidate[i]);
}

/** Bahdanau's scores: v · tanh(asked + key), for each key. @param {Vector} asked @param {Vector[]} keys @param {Tensor} v */
export function additiveScores(asked, keys, v) {
  return keys.map((key) =>
    dot(
      v.data,
      key.map((x, i) => Math.tanh(x + asked[i])),
    ),
  );
}

/** Dot products, scaled. @param {ArrayLike<number>} q @param {ArrayLike<number>[]} keys @param {number} [scale] */
export function dotScores(q, keys, scale = 1 / Math.sqrt(q.length)) {
  return keys.map((key) => dot(q, key) * scale);
}

/** The sum of values, each with its weight. @param {number[]} weights @param {Vector[]} values @returns {Vector} */
export function mix(weights, values) {
  const sum = new Float64Array(values[0].length);
  weights.forEach((w, j) => values[j].forEach((x, i) => (sum[i] += w * x)));
  return sum;
}

/** The larger of every two neighbours. @param {Vector} pairs @returns {Vector} */
export function maxout(pairs) {
  return Float64Array.from({ length: pairs.length / 2 }, (_, i) =>
    Math.max(pairs[2 * i], pairs[2 * i + 1]),
  );
}

/** Sines and cosines of a place. @param {number} place @param {number} width @returns {Vector} */
export function sinusoid(place, width) {
  return Float64Array.from({ length: width }, (_, c) => {
    const angle = place / 10000 ** ((c - (c % 2)) / width);
    return c % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/** Mean 0 and variance 1, then a gain and a shift. @param {Vector} x @param {Tensor} gain @param {Tensor} shift @returns {Vector} */
export function layerNorm(x, gain, shift, eps = 1e-5) {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
  return x.map(
    (one, i) => (gain.data[i] * (one - mean)) / Math.sqrt(variance + eps) + shift.data[i],
  );
}

/** What the hidden layer of a feed-forward part holds. @param {Tensors} p @param {string} name @param {Vector} x */
export function hiddenLayer(p, name, x) {
  return linear(p[`${name}.W_1.weight`], x, p[`${name}.W_1.bias`]).map((y) => Math.max(0, y));
}

/** One hidden layer, at each position on its own. @param {Tensors} p @param {string} name @param {Vector} x */
export function feedForward(p, name, x) {
  return linear(p[`${name}.W_2.weight`], hiddenLayer(p, name, x), p[`${name}.W_2.bias`]);
}

/** What a layer of attention keeps of a vector: computed once, asked as often as one likes. @param {Tensors} p @param {string} name @param {Vector} x @returns {Seen} */
export function remember(p, name, x) {
  return {
    k: linear(p[`${name}.W_k.weight`], x, p[`${name}.W_k.bias`]),
    v: linear(p[`${name}.W_v.weight`], x, p[`${name}.W_v.bias`]),
  };
}

/**
 * Multi-head attention of one vector to all that is kept.
 * @param {Tensors} p
 * @param {string} name of the layer
 * @param {Vector} x the vector that asks
 * @param {Seen[]} seen
 * @param {object} options
 * @param {number} options.heads
 * @param {Gaze} [options.gaze] a softmax unless given
 * @param {number[]} [options.silent] heads that are cut
 * @param {(head: number) => ArrayLike<number> | null} [options.put] what stands in place of one; nothing unless given
 */
export function look(
  p,
  name,
  x,
  seen,
  { heads, gaze = softmax, silent = [], put = () => null },
) {
  const q = linear(p[`${name}.W_q.weight`], x, p[`${name}.W_q.bias`]);
  const d = q.length / heads;
  const joined = new Float64Array(q.length);
  const weights = Array.from({ length: heads }, (_, h) => {
    const own = (/** @type {Vector} */ y) => y.subarray(h * d, (h + 1) * d);
    const row = gaze(
      dotScores(
        own(q),
        seen.map(({ k }) => own(k)),
      ),
      h,
    );
    const brought = silent.includes(h)
      ? put(h)
      : mix(
          row,
          seen.map(({ v }) => own(v)),
        );
    if (brought) joined.set(brought, h * d);
    return row;
  });
  return {
    found: linear(p[`${name}.W_o.weight`], joined, p[`${name}.W_o.bias`]),
    weights,
    q,
    joined,
  };
}
