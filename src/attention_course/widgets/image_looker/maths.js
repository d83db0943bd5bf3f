// The Vision Transformer of the page: patches, blocks, and the cuts that a reader makes.
// @ts-check
import { softmax } from "../kit/attention.js";
import {
  add,
  embed,
  feedForward,
  layerNorm,
  linear,
  look,
  remember,
} from "../models/layers.js";

/** @typedef {import("../models/layers.js").Tensors} Tensors */
/** @typedef {ArrayLike<number>} Pixels */
/** @typedef {{covered?: number[], swapped?: number[], silent?: number[], blade?: "zero" | "mean" | "other", other?: Pixels}} Cuts what is put in place of patches and heads: nothing, their means, or what another picture has there */

const SIDE = 28;
export const DRAWING = 10; // the picture that the reader draws

/** One of the stored pictures. @param {Tensors} p @param {number} i @returns {number[]} */
export const pictureOf = (p, i) =>
  Array.from(p.pictures.data.slice(i * SIDE * SIDE, (i + 1) * SIDE * SIDE), (x) => x / 127);

/** The reader's drawing. @param {number[]} drawn pixels that are full */
export function ink(drawn) {
  const pixels = new Array(SIDE * SIDE).fill(0);
  drawn.forEach((at) => (pixels[at] = 1));
  return pixels;
}

/** The patches of a picture, row by row. @param {ArrayLike<number>} pixels @param {number} side of a patch */
export function patchify(pixels, side) {
  const across = SIDE / side;
  return Array.from({ length: across * across }, (_, at) => {
    const [row, column] = [Math.floor(at / across) * side, (at % across) * side];
    return Float64Array.from(
      { length: side * side },
      (_, i) => pixels[(row + Math.floor(i / side)) * SIDE + column + (i % side)],
    );
  });
}

/** The pixels that stand in place of covered patches. @param {Tensors} p @param {Cuts} cuts @returns {Pixels} */
export function coverOf(p, { blade = "zero", other = [] }) {
  if (blade === "mean") return p["means.picture"].data;
  return blade === "other" ? other : new Float64Array(SIDE * SIDE);
}

/** @param {Float64Array[]} patches @param {Float64Array[]} put @param {Cuts} cuts */
function cut(patches, put, { covered = [], swapped = [] }) {
  const left = patches.map((patch, i) => (covered.includes(i) ? put[i] : patch));
  if (swapped.length === 2)
    [left[swapped[0]], left[swapped[1]]] = [left[swapped[1]], left[swapped[0]]];
  return left;
}

/**
 * Logits, and the weights of each layer, head and asking token.
 * @param {Tensors} p
 * @param {ArrayLike<number>} pixels 784 of them, from 0 to 1
 * @param {{heads: number, layers: number}} sizes
 * @param {Cuts} [cuts]
 * @returns {{logits: import("../models/layers.js").Vector, chances: number[], weights: number[][][][], joined: import("../models/layers.js").Vector[][]}} the last what the heads of each layer bring to each token, one behind the other
 */
export function classify(p, pixels, { heads, layers }, cuts = {}) {
  const side = Math.sqrt(p["E.weight"].shape[1]);
  const patches = cut(patchify(pixels, side), patchify(coverOf(p, cuts), side), cuts).map(
    (patch) => linear(p["E.weight"], patch, p["E.bias"]),
  );
  let x = [Float64Array.from(p.cls.data), ...patches].map((token, i) =>
    add(token, embed(p.P, i)),
  );
  /** @type {number[][][][]} */
  const weights = [];
  const joined = [];
  const silenced = (cuts.silent ?? []).length > 0;
  const elsewhere =
    silenced && cuts.blade === "other"
      ? classify(p, cuts.other ?? [], { heads, layers }).joined
      : [];
  const instead = (
    /** @type {number} */ l,
    /** @type {number} */ i,
    /** @type {number} */ h,
  ) => {
    if (!silenced || (cuts.blade ?? "zero") === "zero") return null;
    const all =
      cuts.blade === "mean" ? embed(p["means.context"], l * x.length + i) : elsewhere[l][i];
    const d = all.length / heads;
    return all.subarray(h * d, (h + 1) * d);
  };
  for (let l = 0; l < layers; l++) {
    const name = `blocks.${l}`;
    const norm = (/** @type {number} */ i, /** @type {Float64Array} */ one) =>
      layerNorm(one, p[`${name}.norms.${i}.weight`], p[`${name}.norms.${i}.bias`]);
    const silent = (cuts.silent ?? [])
      .filter((h) => Math.floor(h / heads) === l)
      .map((h) => h % heads);
    const z = x.map((one) => norm(0, one));
    const seen = z.map((one) => remember(p, `${name}.attention`, one));
    const looks = z.map((one, i) =>
      look(p, `${name}.attention`, one, seen, { heads, silent, put: (h) => instead(l, i, h) }),
    );
    joined.push(looks.map((one) => one.joined));
    x = x.map((one, i) => add(one, looks[i].found));
    x = x.map((one) => add(one, feedForward(p, `${name}.feed_forward`, norm(1, one))));
    weights.push(Array.from({ length: heads }, (_, h) => looks.map((one) => one.weights[h])));
  }
  const end = layerNorm(x[0], p["end.weight"], p["end.bias"]);
  const logits = linear(p["out.weight"], end, p["out.bias"]);
  return { logits, chances: softmax([...logits]), weights, joined };
}

/** The weights of one look: a head's, or the mean of all (head 0). @param {number[][][]} layer heads, asking tokens @param {number} head @param {number} asks */
export function mapOf(layer, head, asks) {
  if (head > 0) return layer[head - 1][asks];
  return layer[0][asks].map(
    (_, j) => layer.reduce((sum, one) => sum + one[asks][j], 0) / layer.length,
  );
}
