// Bahdanau's translator, or the same with one fixed context: forwards, and backwards by hand.
// One example at a time, so nothing is padded. A Python test compares every gradient with torch's.

/**
 * @typedef {Float64Array} Vector
 * @typedef {{rows: number, columns: number, data: Vector, grad: Vector}} Parameter a matrix row by row; a vector has one column
 * @typedef {{source: number, target: number, embedding: number, encoder: number, decoder: number, alignment: number, maxout: number}} Sizes alignment 0: a fixed context
 * @typedef {Record<string, Parameter>} Parameters by torch's names
 * @typedef {{sizes: Sizes, p: Parameters, data: Vector, grad: Vector}} Network data and grad: all parameters, one behind the other
 */

const END = 2;
const START = 1;

/** Names and shapes, in torch's order. @param {Sizes} sizes @returns {[string, number, number][]} */
export function shapes({
  source,
  target,
  embedding: e,
  encoder: h,
  decoder: d,
  alignment: a,
  maxout: m,
}) {
  const unit = (/** @type {string} */ name, /** @type {number} */ width) =>
    /** @type {[string, number, number][]} */ ([
      [`${name}.U`, 3 * width, width],
      [`${name}.W.weight`, 3 * width, e],
      [`${name}.W.bias`, 3 * width, 1],
    ]);
  return [
    ["E_x.weight", source, e],
    ["E_y.weight", target, e],
    ...unit("encoder.forward_unit", h),
    ...unit("encoder.backward_unit", h),
    ["W_s.weight", d, h],
    ["W_s.bias", d, 1],
    .../** @type {[string, number, number][]} */ (
      a
        ? [
            ["attention.W_a.weight", a, d],
            ["attention.U_a.weight", a, 2 * h],
            ["attention.v_a.weight", 1, a],
          ]
        : []
    ),
    ...unit("decoder", d),
    ["C.weight", 3 * d, 2 * h],
    ["U_o.weight", 2 * m, d],
    ["V_o.weight", 2 * m, e],
    ["V_o.bias", 2 * m, 1],
    ["C_o.weight", 2 * m, 2 * h],
    ["W_o.weight", target, m],
    ["W_o.bias", target, 1],
  ];
}

/** A network without numbers yet. @param {Sizes} sizes @returns {Network} */
export function network(sizes) {
  const all = shapes(sizes);
  const count = all.reduce((sum, [, rows, columns]) => sum + rows * columns, 0);
  const [data, grad] = [new Float64Array(count), new Float64Array(count)];
  let at = 0;
  /** @type {Parameters} */
  const p = {};
  for (const [name, rows, columns] of all) {
    const end = at + rows * columns;
    p[name] = { rows, columns, data: data.subarray(at, end), grad: grad.subarray(at, end) };
    at = end;
  }
  return { sizes, p, data, grad };
}

/** y += W x, for the rows from..to of W. @param {Parameter} W @param {Vector} x @param {Vector} y */
function multiply({ data, rows, columns }, x, y, from = 0, to = rows) {
  for (let r = from, i = from * columns; r < to; r++) {
    let sum = 0;
    for (let c = 0; c < columns; c++) sum += data[i++] * x[c];
    y[r - from] += sum;
  }
  return y;
}

/** What came after wants dy: dW += dy xᵀ and dx += Wᵀ dy. @param {Parameter} W @param {Vector} x @param {Vector} dy @param {Vector} dx */
function multiplyBack({ data, grad, rows, columns }, x, dy, dx, from = 0, to = rows) {
  for (let r = from, i = from * columns; r < to; r++) {
    const slope = dy[r - from];
    for (let c = 0; c < columns; c++, i++) {
      grad[i] += slope * x[c];
      dx[c] += slope * data[i];
    }
  }
}

/** @param {Vector} to @param {Vector} what */
function add(to, what) {
  for (let i = 0; i < to.length; i++) to[i] += what[i];
}

/** A row of an embedding. @param {Parameter} E @param {number} symbol */
const row = ({ data, columns }, symbol) =>
  data.subarray(symbol * columns, (symbol + 1) * columns);
/** Its gradient. @param {Parameter} E @param {number} symbol */
const rowGrad = ({ grad, columns }, symbol) =>
  grad.subarray(symbol * columns, (symbol + 1) * columns);
const pool = new Float64Array(1 << 18);
let used = 0;

/** A vector of zeros, cut from a buffer that the next example uses again: allocating would take a third of the time. @param {number} n @returns {Vector} */
function zeros(n) {
  used += n;
  return new Float64Array(pool.buffer, 8 * (used - n), n).fill(0);
}

/** @param {Vector} x @returns {Vector} */
function copy(x) {
  used += x.length;
  const y = new Float64Array(pool.buffer, 8 * (used - x.length), x.length);
  for (let i = 0; i < x.length; i++) y[i] = x[i];
  return y;
}

const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/** Weights from scores. @param {Vector} scores @returns {Vector} */
function softmax(scores) {
  let top = -Infinity;
  for (const e of scores) if (e > top) top = e;
  const weights = scores.map((e) => Math.exp(e - top));
  let total = 0;
  for (const w of weights) total += w;
  for (let j = 0; j < weights.length; j++) weights[j] /= total;
  return weights;
}

/**
 * One step of the gated unit. U and drive: candidate, update gate z, reset gate r.
 * @param {Parameter} U @param {Vector} drive what the inputs add @param {Vector} s the state before
 */
function gated(U, drive, s) {
  const d = s.length;
  const gates = multiply(U, s, copy(drive.subarray(d)), d); // z, r
  for (let i = 0; i < 2 * d; i++) gates[i] = sigmoid(gates[i]);
  const reset = zeros(d);
  for (let i = 0; i < d; i++) reset[i] = gates[d + i] * s[i];
  const candidate = multiply(U, reset, copy(drive.subarray(0, d)), 0, d);
  const next = zeros(d);
  for (let i = 0; i < d; i++) {
    candidate[i] = Math.tanh(candidate[i]);
    next[i] = (1 - gates[i]) * s[i] + gates[i] * candidate[i];
  }
  return { s, gates, reset, candidate, next };
}

/** @typedef {ReturnType<typeof gated>} Gated */

/** From the gradient of the new state: those of drive and of the old one. @param {Parameter} U @param {Gated} step @param {Vector} dNext */
function gatedBack(U, { s, gates, reset, candidate }, dNext) {
  const d = s.length;
  const [drive, ds, dReset] = [zeros(3 * d), zeros(d), zeros(d)];
  for (let i = 0; i < d; i++) {
    const [z, c] = [gates[i], candidate[i]];
    drive[i] = dNext[i] * z * (1 - c * c);
    drive[d + i] = dNext[i] * (c - s[i]) * z * (1 - z);
    ds[i] = dNext[i] * (1 - z);
  }
  multiplyBack(U, reset, drive, dReset, 0, d);
  for (let i = 0; i < d; i++) {
    const r = gates[d + i];
    drive[2 * d + i] = dReset[i] * s[i] * r * (1 - r);
    ds[i] += dReset[i] * r;
  }
  multiplyBack(U, s, drive.subarray(d), ds, d);
  return { drive, s: ds };
}

/** One reader. @param {Parameters} p @param {string} name @param {number[]} symbols in the order in which it reads @returns {Gated[]} */
function follow(p, name, symbols) {
  /** @type {Vector} */
  let s = zeros(p[`${name}.U`].columns);
  return symbols.map((symbol) => {
    const drive = multiply(
      p[`${name}.W.weight`],
      row(p["E_x.weight"], symbol),
      copy(p[`${name}.W.bias`].data),
    );
    const step = gated(p[`${name}.U`], drive, s);
    s = step.next;
    return step;
  });
}

/** @param {Parameters} p @param {string} name @param {number[]} symbols @param {Gated[]} steps @param {Vector[]} dStates of each state, from what looked at it */
function followBack(p, name, symbols, steps, dStates) {
  /** @type {Vector} */
  let ds = zeros(p[`${name}.U`].columns);
  for (let j = symbols.length - 1; j >= 0; j--) {
    add(ds, dStates[j]);
    const back = gatedBack(p[`${name}.U`], steps[j], ds);
    add(p[`${name}.W.bias`].grad, back.drive);
    multiplyBack(
      p[`${name}.W.weight`],
      row(p["E_x.weight"], symbols[j]),
      back.drive,
      rowGrad(p["E_x.weight"], symbols[j]),
    );
    ds = back.s;
  }
}

/** Additive attention: a context for the state that asks. @param {Parameters} p @param {Vector} s @param {Vector[]} keys @param {Vector[]} annotations */
function look(p, s, keys, annotations) {
  const v = p["attention.v_a.weight"].data;
  const asked = multiply(p["attention.W_a.weight"], s, zeros(v.length));
  const scores = zeros(keys.length);
  const hidden = keys.map((key, j) => {
    const tanh = zeros(v.length);
    for (let i = 0; i < v.length; i++)
      scores[j] += v[i] * (tanh[i] = Math.tanh(asked[i] + key[i]));
    return tanh;
  });
  const weights = softmax(scores);
  const context = zeros(annotations[0].length);
  annotations.forEach((h, j) => {
    for (let i = 0; i < h.length; i++) context[i] += weights[j] * h[i];
  });
  return { hidden, weights, context };
}

/** @param {Parameters} p @param {Vector} s @param {{hidden: Vector[], weights: Vector}} seen @param {Vector[]} annotations @param {Vector} dContext @param {Vector} ds @param {Vector[]} dKeys @param {Vector[]} dAnnotations */
function lookBack(p, s, { hidden, weights }, annotations, dContext, ds, dKeys, dAnnotations) {
  const { data: v, grad: dv } = p["attention.v_a.weight"];
  const dWeights = zeros(weights.length);
  let mean = 0;
  annotations.forEach((h, j) => {
    for (let i = 0; i < h.length; i++) {
      dWeights[j] += dContext[i] * h[i];
      dAnnotations[j][i] += weights[j] * dContext[i];
    }
    mean += weights[j] * dWeights[j];
  });
  const dAsked = zeros(v.length);
  hidden.forEach((tanh, j) => {
    const dScore = weights[j] * (dWeights[j] - mean); // the softmax
    for (let i = 0; i < v.length; i++) {
      dv[i] += dScore * tanh[i];
      const inside = dScore * v[i] * (1 - tanh[i] * tanh[i]);
      dKeys[j][i] += inside;
      dAsked[i] += inside;
    }
  });
  multiplyBack(p["attention.W_a.weight"], s, dAsked, ds);
}

/** Logits from state, last symbol and context: one maxout layer, one matrix. @param {Parameters} p @param {Vector} s @param {Vector} y @param {Vector} context */
function emit(p, s, y, context) {
  const pairs = copy(p["V_o.bias"].data);
  multiply(p["U_o.weight"], s, pairs);
  multiply(p["V_o.weight"], y, pairs);
  multiply(p["C_o.weight"], context, pairs);
  const largest = zeros(pairs.length / 2);
  for (let i = 0; i < largest.length; i++)
    largest[i] = Math.max(pairs[2 * i], pairs[2 * i + 1]);
  return {
    pairs,
    largest,
    logits: multiply(p["W_o.weight"], largest, copy(p["W_o.bias"].data)),
  };
}

/** @param {Parameters} p @param {Vector} s @param {Vector} y @param {Vector} context @param {{pairs: Vector, largest: Vector}} emitted @param {Vector} dLogits @param {Vector} ds @param {Vector} dy @param {Vector} dContext */
function emitBack(p, s, y, context, { pairs, largest }, dLogits, ds, dy, dContext) {
  const dLargest = zeros(largest.length);
  add(p["W_o.bias"].grad, dLogits);
  multiplyBack(p["W_o.weight"], largest, dLogits, dLargest);
  const dPairs = zeros(pairs.length);
  for (let i = 0; i < largest.length; i++)
    dPairs[pairs[2 * i] >= pairs[2 * i + 1] ? 2 * i : 2 * i + 1] = dLargest[i];
  add(p["V_o.bias"].grad, dPairs);
  multiplyBack(p["U_o.weight"], s, dPairs, ds);
  multiplyBack(p["V_o.weight"], y, dPairs, dy);
  multiplyBack(p["C_o.weight"], context, dPairs, dContext);
}

/** Read the source: what the decoder starts from, and what it may look at. @param {Network} net @param {number[]} source */
function read({ sizes, p }, source) {
  used = 0;
  const ahead = follow(p, "encoder.forward_unit", source);
  const back = follow(p, "encoder.backward_unit", [...source].reverse()); // from the last symbol on
  const annotations = ahead.map(({ next }, j) =>
    Float64Array.from([...next, ...back[source.length - 1 - j].next]),
  );
  const keys = sizes.alignment
    ? annotations.map((h) => multiply(p["attention.U_a.weight"], h, zeros(sizes.alignment)))
    : [];
  /** @type {Vector} */
  const s = multiply(
    p["W_s.weight"],
    back[source.length - 1].next,
    copy(p["W_s.bias"].data),
  ).map(Math.tanh);
  const ends = Float64Array.from([
    ...ahead[source.length - 1].next,
    ...back[source.length - 1].next,
  ]);
  return { ahead, back, annotations, keys, s, ends };
}

/** One step of the decoder. @param {Network} net @param {ReturnType<typeof read>} memory @param {Vector} s @param {number} symbol the one before */
function advance({ sizes, p }, { keys, annotations, ends }, s, symbol) {
  const y = row(p["E_y.weight"], symbol);
  const seen = sizes.alignment
    ? look(p, s, keys, annotations)
    : { hidden: [], weights: zeros(0), context: ends };
  const emitted = emit(p, s, y, seen.context);
  const drive = multiply(p["decoder.W.weight"], y, copy(p["decoder.W.bias"].data));
  const moved = gated(p["decoder.U"], multiply(p["C.weight"], seen.context, drive), s);
  return { symbol, y, seen, emitted, moved };
}

/** Every step of a given target; what it returns is good until the next source is read. @param {Network} net @param {number[]} source @param {number[]} target with its end mark */
export function forward(net, source, target) {
  const memory = read(net, source);
  let s = memory.s;
  const steps = target.map((_, i) => {
    const step = advance(net, memory, s, i ? target[i - 1] : START);
    s = step.moved.next;
    return step;
  });
  return { memory, steps };
}

/**
 * Cross-entropy of an example, summed over its symbols; adds the gradient, times `share`.
 * @param {Network} net @param {number[]} source @param {number[]} target with its end mark @param {number} share
 */
export function learn(net, source, target, share) {
  const { sizes, p } = net;
  const { memory, steps } = forward(net, source, target);
  const { annotations, keys, ends, ahead, back } = memory;
  const dAnnotations = annotations.map((h) => zeros(h.length));
  const dKeys = keys.map((key) => zeros(key.length));
  const dEnds = zeros(ends.length);
  let loss = 0;
  /** @type {Vector} */
  let ds = zeros(sizes.decoder); // of the state after the step
  for (let i = target.length - 1; i >= 0; i--) {
    const { symbol, y, seen, emitted, moved } = steps[i];
    const dLogits = softmax(emitted.logits);
    loss -= Math.log(dLogits[target[i]]);
    dLogits[target[i]] -= 1;
    for (let c = 0; c < dLogits.length; c++) dLogits[c] *= share;
    const dy = rowGrad(p["E_y.weight"], symbol);
    const dContext = sizes.alignment ? zeros(ends.length) : dEnds;
    const unit = gatedBack(p["decoder.U"], moved, ds);
    add(p["decoder.W.bias"].grad, unit.drive);
    multiplyBack(p["decoder.W.weight"], y, unit.drive, dy);
    multiplyBack(p["C.weight"], seen.context, unit.drive, dContext);
    ds = unit.s; // of the state before it, from here on
    emitBack(p, moved.s, y, seen.context, emitted, dLogits, ds, dy, dContext);
    if (sizes.alignment)
      lookBack(p, moved.s, seen, annotations, dContext, ds, dKeys, dAnnotations);
  }
  dKeys.forEach((dKey, j) =>
    multiplyBack(p["attention.U_a.weight"], annotations[j], dKey, dAnnotations[j]),
  );

  const [n, h] = [source.length, sizes.encoder];
  const dAhead = dAnnotations.map((both) => both.subarray(0, h));
  const dBack = dAnnotations.map((both) => both.subarray(h)).reverse();
  add(dAhead[n - 1], dEnds.subarray(0, h));
  add(dBack[n - 1], dEnds.subarray(h));
  const first = ds.map((x, i) => x * (1 - memory.s[i] * memory.s[i]));
  add(p["W_s.bias"].grad, first);
  multiplyBack(p["W_s.weight"], back[n - 1].next, first, dBack[n - 1]);
  followBack(p, "encoder.forward_unit", source, ahead, dAhead);
  followBack(p, "encoder.backward_unit", [...source].reverse(), back, dBack);
  return loss;
}

/** Write greedily, up to the end mark, which is left out. @param {Network} net @param {number[]} source @param {number} longest @returns {number[]} */
export function write(net, source, longest) {
  const memory = read(net, source);
  let s = memory.s;
  /** @type {number[]} */
  const written = [];
  while (written.length < longest) {
    const { emitted, moved } = advance(
      net,
      memory,
      s,
      written.length ? written[written.length - 1] : START,
    );
    const symbol = emitted.logits.indexOf(Math.max(...emitted.logits));
    if (symbol === END) break;
    written.push(symbol);
    s = moved.next;
  }
  return written;
}
