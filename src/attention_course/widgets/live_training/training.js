// One training: first parameters, batches, clipping and Adam, from one seed, as Python does it.
import { RandomState } from "../kit/random.js";
import { sentences } from "./sentences.js";
import { forward, learn, network, shapes, write } from "./network.js";

/**
 * @typedef {import("./network.js").Sizes} Sizes
 * @typedef {import("./network.js").Network} Network
 *
 * @typedef {object} Words
 * @property {string[]} source the English words
 * @property {string[]} target the French ones
 * @property {number[]} lengths of the shortest sentence and the longest
 * @property {string} packed the grammar, in JSON
 *
 * @typedef {object} Setting as the record has it
 * @property {Record<string, any>} models sizes by name
 * @property {number} steps
 * @property {number} batch
 * @property {number} lr
 * @property {number} every steps between two looks at the held-out pairs
 * @property {number} tested how many of them
 * @property {number} longest symbols that are written at most
 * @property {number} slowest the share of its rate that is left at the last step, reached in a line
 *
 * @typedef {{source: string, target: string}} Pair
 * @typedef {Pair & {written: string, own: boolean, right: string[], weights: number[][], from: number[][]}} Shown weights: of each symbol that is written, for each that was read; of none where the context is fixed. from: the places that each comes from, where they are known
 */

const END = 2;
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

/** Adam, behind a gradient that is never longer than `most`. @param {Network} net @param {(step: number) => number} rate of each step, from 1 */
export function adam({ data, grad }, rate, most = 1) {
  const [mean, square] = [new Float64Array(data.length), new Float64Array(data.length)];
  let t = 0;
  return () => {
    let norm = 0;
    for (const g of grad) norm += g * g;
    const clip = Math.min(1, most / (Math.sqrt(norm) + 1e-6));
    t += 1;
    const lr = rate(t);
    const [meanScale, squareScale] = [1 - 0.9 ** t, 1 - 0.999 ** t];
    for (let i = 0; i < data.length; i++) {
      const g = clip * grad[i];
      mean[i] = 0.9 * mean[i] + 0.1 * g;
      square[i] = 0.999 * square[i] + 0.001 * g * g;
      data[i] -= ((lr / meanScale) * mean[i]) / (Math.sqrt(square[i] / squareScale) + 1e-8);
    }
  };
}

/** The words of a sentence. @param {string} text */
export const symbolsOf = (text) => text.split(" ").filter(Boolean);

/** Numbers of words: 0 to 2 are marks. @param {string[]} words */
function numbering(words) {
  const numbers = new Map(words.map((word, i) => [word, i + 3]));
  return {
    encode: (/** @type {string} */ text) =>
      symbolsOf(text).map((word) => /** @type {number} */ (numbers.get(word))),
    decode: (/** @type {number[]} */ row) => row.map((i) => words[i - 3] ?? "·").join(" "),
  };
}

/**
 * One model and its training.
 * @param {Setting} setting @param {Words} words @param {string} name of the model @param {number} seed
 */
export function training(setting, words, name, seed) {
  const [read, said] = [numbering(words.source), numbering(words.target)];
  const coded = (/** @type {Pair} */ { source, target }) => ({
    source: read.encode(source),
    target: [...said.encode(target), END],
  });
  const { draw, right } = sentences(words, words.source);
  const tests = draw(setting.tested, new RandomState(HELD_OUT), true).map((pair) => ({
    pair,
    right: right(pair.source),
  }));
  const rng = new RandomState(1000 + seed);
  const net = firstNetwork(
    {
      ...setting.models[name],
      source: words.source.length + 3,
      target: words.target.length + 3,
    },
    seed,
  );
  const { lr, steps, slowest } = setting;
  const update = adam(net, (step) => lr * (1 - (1 - slowest) * (step / steps)));
  const written = (/** @type {string} */ source) =>
    said.decode(write(net, read.encode(source), setting.longest));
  return {
    /** One step; returns its loss. */
    step() {
      const batch = draw(setting.batch, rng, false).map(coded);
      const symbols = batch.reduce((sum, { target }) => sum + target.length, 0);
      net.grad.fill(0);
      const loss = batch.reduce(
        (sum, { source, target }) => sum + learn(net, source, target, 1 / symbols),
        0,
      );
      update();
      return loss / symbols;
    },
    /** Share of the held-out pairs that are written without an error. */
    exact: () =>
      tests.filter(({ pair, right }) => right.has(written(pair.source))).length / tests.length,
    /** What is written for a sentence of the reader's or the first held-out pair, and where the model looks if it is given the right symbols. @param {string} [own] @returns {Shown} */
    show(own) {
      const { pair, right: all } = own
        ? { pair: { source: own, target: "" }, right: right(own) }
        : tests[0];
      const answer = written(pair.source);
      const [target, from] = [...all].find(([one]) => one === answer) ?? [...all][0];
      const { source, target: symbols } = coded({ source: pair.source, target });
      const weights = forward(net, source, symbols)
        .steps.slice(0, -1)
        .map(({ seen }) => [...seen.weights]);
      return {
        source: pair.source,
        target,
        written: answer,
        own: Boolean(own),
        right: [...all.keys()],
        weights,
        from,
      };
    },
  };
}
