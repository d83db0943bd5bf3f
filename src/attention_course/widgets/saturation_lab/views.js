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

/** @typedef {{x: number[], ends: number[], y: number[], outer?: number[]}} Bins */

/**
 * Bins of one picture: now filled, the other scale as a line, what was before dotted. What is
 * made of some numbers is made once, so that a chart sees what stayed.
 * @param {Colour} colour @param {(numbers: Numbers) => Bins} read
 * @returns {(shown: Shown) => Series[]}
 */
function layers(colour, read) {
  /** @param {(bins: Bins) => Series} make */
  const once = (make) => {
    /** @type {WeakMap<Numbers, Series>} */
    const made = new WeakMap();
    return (/** @type {Numbers} */ numbers) => {
      const found = made.get(numbers) ?? make(read(numbers));
      made.set(numbers, found);
      return found;
    };
  };
  const line = (/** @type {Bins} */ { x, ends, y, outer }) => ({
    outline: true,
    x: outer ?? x,
    ends: outer ? outer.map((left) => left + 1) : ends,
    y,
  });
  const now = once(({ x, ends, y }) => ({ kind: "bar", name: "now", colour, x, ends, y }));
  const other = once((bins) => ({
    kind: "bar",
    name: "with the other scale",
    colour: OTHER,
    ...line(bins),
  }));
  const before = once((bins) => ({
    kind: "bar",
    name: "before",
    colour: BEFORE,
    dash: "dot",
    ...line(bins),
  }));
  return (shown) => [
    now(shown.numbers),
    ...(shown.other ? [other(shown.other)] : []),
    ...(shown.ghost ? [before(shown.ghost)] : []),
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
    type: "linear",
    range: [-edge, edge],
    title: "score",
    ticks: [-100, -50, 0, 50, 100].map((at) => ({ at, text: minus(at) })),
    say: (left) =>
      left <= -outside - step
        ? `below ${minus(-outside)}`
        : left >= outside
          ? `above ${outside}`
          : `${minus(left)} to ${minus(left + step)}`,
  };
  /** @type {Axis} */
  const y = { type: "linear", range: [0, 1.02], ticks: [] };
  const series = layers({ role: "score" }, ({ scores }) => {
    const most = Math.max(1, ...scores.counts);
    return { x: lefts, ends, y: scores.counts.map((count) => count / most) };
  });
  /** @param {Shown} shown @returns {Chart} */
  return (shown) => ({
    title: `Scores: standard deviation ${formatNumber(shown.numbers.scores.std, 2)}`,
    x,
    y,
    height,
    plain: true,
    overlay: true,
    series: series(shown),
  });
}

/** Weights of one query, the largest first. @param {number} height */
export function weightsView(height) {
  /** @type {Axis} */
  const y = {
    type: "linear",
    range: [0, 1.02],
    ticks: [0, 0.5, 1].map((at) => ({ at, text: String(at) })),
  };
  /** @type {Map<number, Axis>} */
  const axes = new Map();
  const axis = (/** @type {number} */ n) => {
    if (!axes.has(n)) {
      axes.set(n, {
        type: "linear",
        range: [-0.05, n + 0.05],
        title: "keys, largest weight first",
        ticks: [],
        say: (at) => `weight ${Math.floor(at) + 1} of ${n}`,
      });
    }
    return /** @type {Axis} */ (axes.get(n));
  };
  const series = layers({ role: "weight" }, ({ shown: one }) => {
    const y = Array.from(one.weights).sort((a, b) => b - a);
    const outer = y.map((_, i) => i);
    return { x: outer.map((i) => i + 0.12), ends: outer.map((i) => i + 0.88), outer, y };
  });
  /** @param {Shown} shown @param {string} title @returns {Chart} */
  return (shown, title) => {
    const n = shown.numbers.shown.weights.length;
    return { title, x: axis(n), y, height, plain: true, overlay: true, series: series(shown) };
  };
}

/** A cell for each query, as strong as its gradient; the dead are crossed out. @param {Sizes} sizes @param {number} height */
export function queriesView({ queries }, height) {
  /** @type {Map<number, [Axis, Axis]>} */
  const axes = new Map();
  const named = (/** @type {number} */ n) =>
    /** @type {Axis} */ ({
      type: "category",
      categories: Array.from({ length: n }, (_, i) => String(i)),
      ticks: [],
    });
  /** @param {Numbers} numbers @param {number} width of the picture @param {string} title @returns {Chart} */
  return ({ queries: { gradient_norm, dead } }, width, title) => {
    // The squarest cells that fill the picture.
    const lie = (/** @type {number} */ columns) =>
      Math.abs(Math.log(((width / columns) * (queries / columns)) / height));
    const columns = [16, 32, 64].reduce((best, c) => (lie(c) < lie(best) ? c : best));
    if (!axes.has(columns))
      axes.set(columns, [named(columns), { ...named(queries / columns), reversed: true }]);
    const [x, y] = /** @type {[Axis, Axis]} */ (axes.get(columns));
    return {
      title,
      x,
      y,
      height,
      plain: true,
      series: [
        {
          kind: "cells",
          colour: { role: "query" },
          columns,
          z: Array.from(gradient_norm),
          off: dead,
          range: [1e-3, 1],
          say: (i) => `query ${i}, gradient`,
        },
      ],
    };
  };
}

/** Gradient norms on a logarithmic axis, the dead apart; median and mean. @param {Sizes} sizes @param {number} height */
export function gradientsView(sizes, height) {
  const [low, high] = sizes.gradient_decades;
  const edges = gradientEdges(sizes);
  const room = (high - low) / 5; // for what is below the first edge
  const half = 0.5 / sizes.gradient_bins;
  const lefts = [low - 0.6 * room - half, ...edges.slice(0, -1).map(Math.log10)];
  const ends = [low - 0.6 * room + half, ...edges.slice(1).map(Math.log10)];
  const power = (/** @type {number} */ at) => formatNumber(10 ** at, 1).replace("1 × ", "");
  const ticks = [];
  for (let at = low + 2; at <= high; at += 2) ticks.push({ at, text: power(at) });
  /** @type {Axis} */
  const x = {
    type: "linear",
    range: [low - room, high],
    title: "norm of the gradient",
    ticks: [{ at: low - 0.6 * room, text: `< ${power(low)}` }, ...ticks],
    say: (left) => (left < low ? `below ${power(low)}` : `from ${formatNumber(10 ** left, 2)}`),
  };
  /** @type {Axis} */
  const y = { type: "linear", range: [0, 1.25], ticks: [] };
  /** @param {Numbers} numbers @returns {number[]} */
  const all = ({ gradients }) => [gradients.below, ...gradients.counts];
  const share = (/** @type {number[]} */ counts, /** @type {Numbers} */ of) => {
    const most = Math.max(1, ...all(of));
    return { x: lefts, ends, y: counts.map((count) => count / most) };
  };
  const series = layers({ role: "query" }, (of) => share(all(of), of));
  const deadOf = layers(BEFORE, (of) =>
    share([of.gradients.dead_below, ...of.gradients.dead], of),
  );
  /** @param {Shown} shown @returns {Chart} */
  return (shown) => {
    const {
      numbers: { batch },
    } = shown;
    const [median, mean] = [batch.gradient_norm_median, batch.gradient_norm_mean];
    /** @param {number} norm @param {string} text @param {string} dash @param {number} than */
    const rule = (norm, text, dash, than) =>
      norm === norm
        ? [
            {
              axis: /** @type {"x"} */ ("x"),
              at: Math.min(high, Math.max(low - 0.6 * room, Math.log10(norm))),
              text,
              dash,
              side: /** @type {"left" | "right"} */ (
                norm < than || (norm === than && !dash) ? "left" : "right"
              ),
            },
          ]
        : [];
    const [now, ...lines] = series(shown);
    return {
      title: `Gradients: median ${formatNumber(median, 2)}, mean ${formatNumber(mean, 2)}`,
      x,
      y,
      height,
      plain: true,
      overlay: true,
      series: [now, ...deadOf({ numbers: shown.numbers }), ...lines],
      rules: [...rule(median, "median", "", mean), ...rule(mean, "mean", "dash", median)],
    };
  };
}
