// The lab's charts: the same axes at every setting, so that what changes is seen to change.
import { formatNumber } from "../kit/numbers.js";
import { gradientEdges } from "./maths.js";

/**
 * @typedef {import("../chart/layout.js").Chart} Chart
 * @typedef {import("../chart/layout.js").Series} Series
 * @typedef {import("../chart/layout.js").Colour} Colour
 * @typedef {import("../chart/scale.js").Axis} Axis
 * @typedef {import("./maths.js").Numbers} Numbers
 * @typedef {import("./maths.js").Sizes} Sizes
 * @typedef {{numbers: Numbers, other?: Numbers | null, ghost?: Numbers | null}} Shown now, with the other scale, before
 */

const [OTHER, BEFORE] = /** @type {Colour[]} */ ([{ role: "ink" }, { role: "edge" }]);

/**
 * Bins of one picture: now filled, the other scale as a line, what was before dotted.
 * @param {Shown} shown @param {Colour} colour @param {(numbers: Numbers) => {x: number[], ends: number[], y: number[], outer?: number[]}} read
 * @returns {Series[]}
 */
function layers({ numbers, other, ghost }, colour, read) {
  /** @param {Numbers} of */
  const line = (of) => {
    const { x, ends, y, outer } = read(of);
    const from = outer ?? x;
    return { x: from, ends: outer ? from.map((_, i) => from[i + 1] ?? from[i] + 1) : ends, y };
  };
  const { x, ends, y } = read(numbers);
  return [
    { kind: "bar", name: "now", colour, x, ends, y },
    ...(other ? [/** @type {Series} */ ({ kind: "bar", name: "with the other scale", colour: OTHER, outline: true, ...line(other) })] : []),
    ...(ghost ? [/** @type {Series} */ ({ kind: "bar", name: "before", colour: BEFORE, outline: true, dash: "dot", ...line(ghost) })] : []),
  ];
}

/** All scores. Each histogram is as high as its tallest bin. @param {Sizes} sizes @param {number} height */
export function scoresView({ score_bins: bins, score_step: step }, height) {
  const edge = (bins / 2) * step;
  const lefts = Array.from({ length: bins }, (_, i) => i * step - edge);
  const ends = lefts.map((left) => left + step);
  const outside = step * Math.floor(bins / 2) - step / 2;
  const minus = (/** @type {number} */ value) => String(value).replace("-", "−");
  /** @type {Axis} */
  const x = {
    type: "linear", range: [-edge, edge], title: "score",
    ticks: [-100, -50, 0, 50, 100].map((at) => ({ at, text: minus(at) })),
    say: (left) => (left <= -outside - step ? `below ${minus(-outside)}` : left >= outside ? `above ${outside}` : `${minus(left)} to ${minus(left + step)}`),
  };
  /** @type {Axis} */
  const y = { type: "linear", range: [0, 1.02], ticks: [] };
  /** @param {Shown} shown @returns {Chart} */
  return (shown) => ({
    title: `Scores: standard deviation ${formatNumber(shown.numbers.scores.std, 2)}`,
    x, y, height, plain: true, overlay: true,
    series: layers(shown, { role: "score" }, ({ scores }) => {
      const most = Math.max(1, ...scores.counts);
      return { x: lefts, ends, y: scores.counts.map((count) => count / most) };
    }),
  });
}

/** Weights of one query, the largest first. @param {number} height */
export function weightsView(height) {
  /** @type {Axis} */
  const y = { type: "linear", range: [0, 1.02], ticks: [0, 0.5, 1].map((at) => ({ at, text: String(at) })) };
  /** @type {Map<number, Axis>} */
  const axes = new Map();
  const axis = (/** @type {number} */ n) => {
    if (!axes.has(n)) {
      axes.set(n, {
        type: "linear", range: [-0.05, n + 0.05], title: "keys, largest weight first", ticks: [],
        say: (at) => `weight ${Math.floor(at) + 1} of ${n}`,
      });
    }
    return /** @type {Axis} */ (axes.get(n));
  };
  /** @param {Shown} shown @param {string} title @returns {Chart} */
  return (shown, title) => {
    const n = shown.numbers.shown.weights.length;
    return {
      title, x: axis(n), y, height, plain: true, overlay: true,
      series: layers(shown, { role: "weight" }, ({ shown: one }) => {
        const y = Array.from(one.weights).sort((a, b) => b - a);
        const places = y.map((_, i) => i);
        return { x: places.map((i) => i + 0.12), ends: places.map((i) => i + 0.88), outer: places, y };
      }),
    };
  };
}

/** A cell for each query, as strong as its gradient; the dead are crossed out. @param {Sizes} sizes @param {number} height */
export function queriesView({ queries }, height) {
  /** @type {Map<number, [Axis, Axis]>} */
  const axes = new Map();
  const named = (/** @type {number} */ n) => /** @type {Axis} */ ({ type: "category", categories: Array.from({ length: n }, (_, i) => String(i)), ticks: [] });
  /** @param {Numbers} numbers @param {number} width of the picture @param {string} title @returns {Chart} */
  return ({ queries: { gradient_norm, dead } }, width, title) => {
    // The squarest cells that fill the picture.
    const lie = (/** @type {number} */ columns) => Math.abs(Math.log(((width / columns) * (queries / columns)) / height));
    const columns = [16, 32, 64].reduce((best, c) => (lie(c) < lie(best) ? c : best));
    if (!axes.has(columns)) axes.set(columns, [named(columns), { ...named(queries / columns), reversed: true }]);
    const [x, y] = /** @type {[Axis, Axis]} */ (axes.get(columns));
    return {
      title, x, y, height, plain: true,
      series: [{ kind: "cells", colour: { role: "query" }, columns, z: Array.from(gradient_norm), off: dead, range: [1e-3, 1], say: (i) => `query ${i}, gradient` }],
    };
  };
}

/** Gradient norms on a logarithmic axis, the dead apart; median and mean. @param {Sizes} sizes @param {number} height */
export function gradientsView(sizes, height) {
  const [low, high] = sizes.gradient_decades;
  const edges = gradientEdges(sizes);
  const room = (high - low) / 5; // for what is below the first edge
  const lefts = [low - room, ...edges.slice(0, -1).map(Math.log10)];
  const ends = [low - 0.15 * room, ...edges.slice(1).map(Math.log10)];
  const power = (/** @type {number} */ at) => formatNumber(10 ** at, 1).replace("1 × ", "");
  const ticks = [];
  for (let at = low + 2; at <= high; at += 2) ticks.push({ at, text: power(at) });
  /** @type {Axis} */
  const x = {
    type: "linear", range: [low - room, high], title: "norm of the gradient", ticks: [{ at: low - 0.6 * room, text: `< ${power(low)}` }, ...ticks],
    say: (left) => (left < low ? `below ${power(low)}` : `from ${formatNumber(10 ** left, 2)}`),
  };
  /** @type {Axis} */
  const y = { type: "linear", range: [0, 1.25], ticks: [] };
  /** @param {Numbers} numbers @returns {number[]} */
  const all = ({ gradients }) => [gradients.below, ...gradients.counts];
  /** @param {Shown} shown @returns {Chart} */
  return ({ numbers, other, ghost }) => {
    const share = (/** @type {Numbers} */ of) => all(of).map((count) => count / Math.max(1, ...all(of)));
    const most = Math.max(1, ...all(numbers));
    const { gradients, batch } = numbers;
    const dead = [gradients.dead_below, ...gradients.dead].map((count) => count / most);
    const [median, mean] = [batch.gradient_norm_median, batch.gradient_norm_mean];
    /** @param {number} norm @param {string} text @param {string} dash */
    const rule = (norm, text, dash) => (norm === norm ? [{ axis: /** @type {"x"} */ ("x"), at: Math.min(high, Math.max(low - 0.6 * room, Math.log10(norm))), text, dash }] : []);
    return {
      title: `Gradients: median ${formatNumber(median, 2)}, mean ${formatNumber(mean, 2)}`,
      x, y, height, plain: true, overlay: true,
      series: [
        { kind: "bar", name: "all", colour: { role: "query" }, x: lefts, ends, y: share(numbers) },
        { kind: "bar", name: "dead", colour: BEFORE, x: lefts, ends, y: dead },
        ...(other ? [/** @type {Series} */ ({ kind: "bar", name: "with the other scale", colour: OTHER, outline: true, x: lefts, ends, y: share(other) })] : []),
        ...(ghost ? [/** @type {Series} */ ({ kind: "bar", name: "before", colour: BEFORE, outline: true, dash: "dot", x: lefts, ends, y: share(ghost) })] : []),
      ],
      rules: [...rule(median, "median", ""), ...rule(mean, "mean", "dash")],
    };
  };
}
