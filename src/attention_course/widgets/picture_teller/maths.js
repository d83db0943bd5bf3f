// Two garments as a grid of vectors; the captioner looks before each word, the asker twice.
// @ts-check
import { softmax } from "../kit/attention.js";
import { add, additiveScores, dotScores, embed, linear, mix } from "../models/layers.js";
import { lstmStep } from "../models/stacked.js";

/** @typedef {import("../models/layers.js").Tensors} Tensors */
/** @typedef {import("../models/layers.js").Vector} Vector */
/** @typedef {{WORN: string[], TINTS: Record<string, number[]>, SIZES: string[], WORDS: string[], ANSWERS: string[], PHOTOGRAPHS: number, LONGEST: number}} Names */
/** @typedef {{planes: Float64Array[], height: number, width: number}} Planes channels of a picture */
/** @typedef {{word: number, chance: number, weights: number[], taken: number}} Step taken: the one cell that was read, or -1 */

export const DOWN = 7;
export const ACROSS = 14;
const SIDE = 28;
const START = 1;
const END = 2;

/**
 * Red, green and blue of two garments side by side; a small one has half the width and height.
 * @param {Tensors} p with the photographs
 * @param {string[]} garments size, colour and kind of both
 * @param {number} photograph from 1
 * @param {Names} names
 * @returns {Planes}
 */
export function pictureOf(p, garments, photograph, { WORN, TINTS, PHOTOGRAPHS }) {
  const planes = [0, 1, 2].map(() => new Float64Array(2 * SIDE * SIDE));
  garments.forEach((garment, half) => {
    const [size, colour, kind] = garment.split(" ");
    const row = PHOTOGRAPHS * WORN.indexOf(kind) + photograph - 1;
    const pixels = embed(p.garments, row).map((x) => x / 127);
    const tint = TINTS[colour];
    const small = size === "small";
    const put = (
      /** @type {number} */ row,
      /** @type {number} */ column,
      /** @type {number} */ value,
    ) =>
      planes.forEach((plane, c) => {
        plane[row * 2 * SIDE + half * SIDE + column] = tint[c] * value;
      });
    const length = small ? SIDE / 2 : SIDE;
    for (let row = 0; row < length; row++)
      for (let column = 0; column < length; column++) {
        if (!small) put(row, column, pixels[row * SIDE + column]);
        else {
          const at = 2 * row * SIDE + 2 * column;
          const four = pixels[at] + pixels[at + 1] + pixels[at + SIDE] + pixels[at + SIDE + 1];
          put(row + SIDE / 4, column + SIDE / 4, four / 4);
        }
      }
  });
  return { planes, height: SIDE, width: 2 * SIDE };
}

/** Which of the two garments covers a quarter of a cell: 0, 1, or -1 for neither. @param {Planes} picture */
export function ownersOf({ planes, width }) {
  const cell = SIDE / DOWN;
  return Array.from({ length: DOWN * ACROSS }, (_, i) => {
    const [row, column] = [Math.floor(i / ACROSS) * cell, (i % ACROSS) * cell];
    let ink = 0;
    for (let y = row; y < row + cell; y++)
      for (let x = column; x < column + cell; x++)
        ink += Number(planes.some((plane) => plane[y * width + x] >= 0.1));
    return ink < (cell * cell) / 4 ? -1 : Number(column >= SIDE);
  });
}

/** A convolution, then max(0, x). @param {Tensors} p @param {string} name @param {Planes} input @param {number} stride @returns {Planes} */
function convolve(p, name, { planes, height, width }, stride) {
  const { shape, data } = p[`${name}.weight`];
  const [out, , size] = shape;
  const [rows, columns] = [height, width].map((n) => Math.floor((n + 2 - size) / stride) + 1);
  const found = Array.from({ length: out }, (_, o) =>
    new Float64Array(rows * columns).fill(p[`${name}.bias`].data[o]),
  );
  found.forEach((plane, o) =>
    planes.forEach((from, c) => {
      const kernel = (o * planes.length + c) * size * size;
      for (let at = 0; at < plane.length; at++) {
        const top = Math.floor(at / columns) * stride - 1;
        const left = (at % columns) * stride - 1;
        for (let y = Math.max(0, -top); y < Math.min(size, height - top); y++)
          for (let x = Math.max(0, -left); x < Math.min(size, width - left); x++)
            plane[at] += data[kernel + y * size + x] * from[(top + y) * width + left + x];
      }
    }),
  );
  for (const plane of found) plane.forEach((x, i) => (plane[i] = Math.max(0, x)));
  return { planes: found, height: rows, width: columns };
}

/** Mean 0 and variance 1. @param {Vector} x */
function normal(x) {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
  return x.map((one) => (one - mean) / Math.sqrt(variance + 1e-5));
}

/** A vector for each cell of the grid, row by row; its last two numbers say where it lies. @param {Tensors} p @param {Planes} picture @returns {Vector[]} */
export function annotate(p, picture) {
  const once = convolve(p, "encoder.first", picture, 2);
  const { planes } = convolve(p, "encoder.third", convolve(p, "encoder.second", once, 2), 1);
  return Array.from({ length: DOWN * ACROSS }, (_, i) => {
    const place = [
      (2 * Math.floor(i / ACROSS)) / (DOWN - 1) - 1,
      (2 * (i % ACROSS)) / (ACROSS - 1) - 1,
    ];
    return Float64Array.from([...normal(Float64Array.from(planes, (x) => x[i])), ...place]);
  });
}

/** Even weights on the garment that covers a cell; on a cell that none covers, all the weight. @param {number} cell @param {number[]} owners */
function turnedTo(cell, owners) {
  const there = owners.map((owner, i) =>
    Number(i === cell || (owner >= 0 && owner === owners[cell])),
  );
  const sum = there.reduce((a, b) => a + b);
  return there.map((one) => one / sum);
}

/**
 * The words that it writes, with the look before each.
 * @param {Tensors} p
 * @param {Vector[]} cells
 * @param {{way: string, turned: number[], owners: number[], longest: number}} how turned: for each word 0, or the cell from 1 to which its look is turned
 * @returns {Step[]}
 */
export function tell(p, cells, { way, turned, owners, longest }) {
  const keys = cells.map((a) => linear(p["W_a.weight"], a, p["W_a.bias"]));
  const d = p["cell.weight_hh"].shape[1];
  /** @type {import("../models/stacked.js").Memory} */
  let state = { h: new Float64Array(d), m: new Float64Array(d) };
  let word = START;
  /** @type {Step[]} */
  const steps = [];
  while (steps.length < longest) {
    const own =
      way === "even"
        ? cells.map(() => 1 / cells.length)
        : softmax(additiveScores(linear(p["W_h.weight"], state.h), keys, p["v.weight"]));
    const turn = turned[steps.length] ?? 0;
    const weights = turn ? turnedTo(turn - 1, owners) : own;
    const taken = way === "hard" ? weights.indexOf(Math.max(...weights)) : -1;
    const [gate] = linear(p["gate.weight"], state.h, p["gate.bias"]);
    const seen = (taken < 0 ? mix(weights, cells) : cells[taken]).map(
      (x) => x / (1 + Math.exp(-gate)),
    );
    const y = embed(p["E.weight"], word);
    state = lstmStep(p, "cell", "", Float64Array.from([...y, ...seen]), state);
    const read = add(
      add(y, linear(p["L_h.weight"], state.h, p["L_h.bias"])),
      linear(p["L_z.weight"], seen),
    );
    const chances = softmax([...linear(p["L_o.weight"], read, p["L_o.bias"])]);
    const chance = Math.max(...chances);
    word = chances.indexOf(chance);
    steps.push({ word, chance, weights, taken });
    if (word === END) break;
  }
  return steps;
}

const ASKED = 8; // words of a question; a short one is filled at its beginning
const relu = (/** @type {Vector} */ x) => x.map((one) => Math.max(0, one));

/** One hidden layer. @param {Tensors} p @param {string} name @param {Vector} x */
function twoLayers(p, name, x) {
  const hidden = relu(linear(p[`${name}.0.weight`], x, p[`${name}.0.bias`]));
  return linear(p[`${name}.2.weight`], hidden, p[`${name}.2.bias`]);
}

/**
 * The probabilities of the answers, and the weights of both looks.
 * @param {Tensors} p
 * @param {Vector[]} cells
 * @param {number[]} question numbers of its words
 * @param {{turned: number[], owners: number[]}} how turned: for each look 0, or the cell from 1 to which it is turned
 */
export function answer(p, cells, question, { turned, owners }) {
  const d = p["E.E.weight"].shape[1];
  /** @type {import("../models/stacked.js").Memory} */
  let state = { h: new Float64Array(d), m: new Float64Array(d) };
  for (const word of [...Array(ASKED - question.length).fill(0), ...question])
    state = lstmStep(p, "E.lstm", "_l0", embed(p["E.E.weight"], word), state);
  const a = cells.map((cell, i) =>
    relu(add(linear(p["W_a.weight"], cell, p["W_a.bias"]), embed(p.place, i))),
  );
  const keys = a.map((one) => linear(p["W_k.weight"], one));
  const values = a.map((one) => linear(p["W_v.weight"], one));
  let u = state.h;
  const looks = [0, 1].map((t) => {
    const turn = turned[t] ?? 0;
    const weights = turn
      ? turnedTo(turn - 1, owners)
      : softmax(dotScores(twoLayers(p, `g.${t}`, normal(u)), keys));
    u = add(u, mix(weights, values));
    return weights;
  });
  return { chances: softmax([...twoLayers(p, "answer", normal(u))]), looks };
}
