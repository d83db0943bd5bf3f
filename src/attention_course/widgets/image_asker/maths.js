// The model that answers questions about a picture, after two looks at its nine places.
// @ts-check
import { softmax } from "../kit/attention.js";
import { add, dotScores, embed, linear, mix } from "../models/layers.js";

/** @typedef {import("../models/layers.js").Tensors} Tensors */
/** @typedef {import("../models/layers.js").Vector} Vector */

const ACROSS = 3;
const CELL = 14;
const PHOTOGRAPHS = 4;
export const NOTHING = 8;

const relu = (/** @type {Vector} */ x) => x.map((one) => Math.max(0, one));

/** Mean 0 and variance 1. @param {Vector} x */
function normal(x) {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
  return x.map((one) => (one - mean) / Math.sqrt(variance + 1e-5));
}

/** One hidden layer. @param {Tensors} p @param {string} name @param {Vector} x @param {string[]} [layers] */
function twoLayers(p, name, x, [first, second] = ["0", "2"]) {
  const hidden = relu(linear(p[`${name}.${first}.weight`], x, p[`${name}.${first}.bias`]));
  return linear(p[`${name}.${second}.weight`], hidden, p[`${name}.${second}.bias`]);
}

/** The pixels of the nine places. @param {Tensors} p @param {number[]} contents @param {number} photograph from 1 */
export function layOut(p, contents, photograph) {
  return contents.map((kind) =>
    kind === NOTHING
      ? new Float64Array(CELL * CELL)
      : embed(p.garments, PHOTOGRAPHS * kind + photograph - 1).map((x) => x / 127),
  );
}

/** The places side by side, as one picture. @param {Vector[]} cells */
export function pictureOf(cells) {
  const side = ACROSS * CELL;
  return Float64Array.from({ length: side * side }, (_, at) => {
    const [row, column] = [Math.floor(at / side), at % side];
    return cells[Math.floor(row / CELL) * ACROSS + Math.floor(column / CELL)][
      (row % CELL) * CELL + (column % CELL)
    ];
  });
}

/**
 * Logits, chances, and the weights of both looks.
 * @param {Tensors} p
 * @param {Vector[]} cells pixels of the nine places
 * @param {number[]} numbers of the question's words
 * @param {number[]} [forced] for each look 0, or the place from 1 that gets all its weight
 */
export function ask(p, cells, numbers, forced = [0, 0]) {
  const a = cells.map((cell, i) => {
    const f = relu(twoLayers(p, "encoder", cell, ["first", "second"]));
    return relu(add(linear(p["W_a.weight"], f, p["W_a.bias"]), embed(p.place, i)));
  });
  const keys = a.map((one) => linear(p["W_k.weight"], one));
  const values = a.map((one) => linear(p["W_v.weight"], one));
  let u = numbers.map((word) => embed(p["E.weight"], word)).reduce(add);
  const looks = forced.map((place, t) => {
    const own = softmax(dotScores(twoLayers(p, `g.${t}`, normal(u)), keys));
    const weights = place ? own.map((_, i) => (i === place - 1 ? 1 : 0)) : own;
    u = add(u, mix(weights, values));
    return weights;
  });
  const logits = twoLayers(p, "answer", normal(u));
  return { logits, chances: softmax([...logits]), looks };
}
