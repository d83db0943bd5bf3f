// One training: first parameters, batches, clipping and Adam, from one seed, as Python does it.
import { RandomState } from "../kit/random.js";
import { dates } from "./dates.js";
import { reversals } from "./reversals.js";
import { forward, learn, network, shapes, write } from "./network.js";

/**
 * @typedef {import("./network.js").Sizes} Sizes
 * @typedef {import("./network.js").Network} Network
 *
 * @typedef {object} Task one of the two
 * @property {string[]} source its symbols
 * @property {string[]} target
 * @property {import("./dates.js").Language[]} [languages] of dates
 * @property {number[]} [lengths] of strings that are reversed: the shortest and the longest
 *
 * @typedef {object} Setting as the record has it
 * @property {Record<string, any>} models sizes by name
 * @property {number} steps
 * @property {number} batch
 * @property {number} lr
 * @property {number} every steps between two looks at the held-out pairs
 * @property {number} tested how many of them
 *
 * @typedef {{source: string, target: string}} Pair
 * @typedef {Pair & {written: string, weights: number[][]}} Shown weights: of each symbol that is written, for each that was read; of none where the context is fixed
 */

const END = 2;
const LONGEST = 12;
const HELD_OUT = 5000; // the seed of the held-out pairs, the same for every training

/** Matrices are normal, as wide as 1 / √columns; vectors are zero. @param {Sizes} sizes @param {number} seed */
export function firstNetwork(sizes, seed) {
  const [net, rng] = [network(sizes), new RandomState(seed)];
  for (const [name, , columns] of shapes(sizes)) {
    if (columns === 1) continue;
    const { data } = net.p[name];
    rng.fill(data);
    for (let i = 0; i < data.length; i++) data[i] /= Math.sqrt(columns);
  }
  return net;
}

/** Adam, behind a gradient that is never longer than `most`. @param {Network} net @param {number} lr */
export function adam({ data, grad }, lr, most = 1) {
  const [mean, square] = [new Float64Array(data.length), new Float64Array(data.length)];
  let t = 0;
  return () => {
    let norm = 0;
    for (const g of grad) norm += g * g;
    const clip = Math.min(1, most / (Math.sqrt(norm) + 1e-6));
    t += 1;
    const [meanScale, squareScale] = [1 - 0.9 ** t, 1 - 0.999 ** t];
    for (let i = 0; i < data.length; i++) {
      const g = clip * grad[i];
      mean[i] = 0.9 * mean[i] + 0.1 * g;
      square[i] = 0.999 * square[i] + 0.001 * g * g;
      data[i] -= ((lr / meanScale) * mean[i]) / (Math.sqrt(square[i] / squareScale) + 1e-8);
    }
  };
}

/** Numbers of symbols: 0 to 2 are marks. @param {string[]} symbols */
function numbering(symbols) {
  const numbers = new Map(symbols.map((symbol, i) => [symbol, i + 3]));
  return {
    encode: (/** @type {string} */ text) => [...text].map((symbol) => /** @type {number} */ (numbers.get(symbol))),
    decode: (/** @type {number[]} */ row) => row.map((i) => symbols[i - 3] ?? "·").join(""),
  };
}

/**
 * One model and its training.
 * @param {Setting} setting @param {Task} task @param {string} name of the model @param {number} seed
 */
export function training(setting, task, name, seed) {
  const [read, said] = [numbering(task.source), numbering(task.target)];
  const coded = (/** @type {Pair} */ { source, target }) => ({ source: read.encode(source), target: [...said.encode(target), END] });
  const { languages, lengths = [] } = task;
  const draw = (/** @type {number} */ count, /** @type {RandomState} */ from, /** @type {boolean} */ heldOut) => (languages ? dates({ languages }, count, from, heldOut) : reversals(task.source, lengths, count, from, heldOut));
  const held = draw(setting.tested, new RandomState(HELD_OUT), true);
  const tests = held.map(coded);
  const rng = new RandomState(1000 + seed);
  const net = firstNetwork({ ...setting.models[name], source: task.source.length + 3, target: task.target.length + 3 }, seed);
  const update = adam(net, setting.lr);
  const written = (/** @type {number} */ i) => said.decode(write(net, tests[i].source, LONGEST));
  return {
    /** One step; returns its loss. */
    step() {
      const batch = draw(setting.batch, rng, false).map(coded);
      const symbols = batch.reduce((sum, { target }) => sum + target.length, 0);
      net.grad.fill(0);
      const loss = batch.reduce((sum, { source, target }) => sum + learn(net, source, target, 1 / symbols), 0);
      update();
      return loss / symbols;
    },
    /** Share of the held-out pairs that are written without an error. */
    exact: () => held.filter(({ target }, i) => written(i) === target).length / held.length,
    /** What is written for the first held-out pair, and where the model looks if it is given the right symbols. @returns {Shown} */
    show() {
      const { source, target } = tests[0];
      const weights = forward(net, source, target).steps.slice(0, -1).map(({ seen }) => [...seen.weights]);
      return { ...held[0], written: written(0), weights };
    },
  };
}
