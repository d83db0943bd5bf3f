// Where everything in a chart goes: numbers in, numbers out.
import { axisTicks, makeScale } from "./scale.js";

/**
 * @typedef {import("./scale.js").Axis} Axis
 * @typedef {{role?: string, css?: string}} Colour
 * @typedef {"line" | "bar" | "heat" | "cells"} Kind
 * @typedef {{kind: Kind, name?: string, label?: boolean, colour?: Colour,
 *   x?: (number | null)[], y?: (number | null)[], low?: (number | null)[],
 *   high?: (number | null)[], z?: (number | null)[], columns?: number, range?: [number, number],
 *   map?: "sequential" | "diverging", text?: string[], bar?: boolean, digits?: number,
 *   lines?: boolean, marker?: string, dash?: string, width?: number, opacity?: number,
 *   scaleTitle?: string, ends?: number[], outline?: boolean, off?: boolean[],
 *   say?: (index: number) => string}} Series
 *   A bar with `ends` is a bin, from x to its end. With `outline` only its outline is drawn.
 *   Cells are shaded by z on their range, a logarithm; a cell that is `off` is crossed out.
 * @typedef {{axis: "x" | "y", at: number, text?: string, dash?: string, colour?: Colour, side?: "left" | "right"}} Rule
 * @typedef {{title?: string, note?: string, x: Axis, y: Axis, series: Series[], rules?: Rule[],
 *   overlay?: boolean, height?: number, plain?: boolean}} Chart
 *   A plain chart has no table of its numbers: the widget says them elsewhere.
 * @typedef {{x: number, y: number, text: string, series: number}} Label
 * @typedef {(text: string, bold?: boolean) => number} Measure
 */

const FONT = 13;

/** A guess at the width of a text, for when nothing can measure it. @type {Measure} */
export function guessWidth(text, bold = false) {
  const size = bold ? FONT * 1.08 : FONT;
  return (
    [...text].reduce((sum, c) => sum + (/[ilj.,:;'|!() ]/.test(c) ? 0.33 : 0.58), 0) * size
  );
}

/**
 * Move labels apart so that none is nearer to the next than `gap`, as little as possible.
 * @param {number[]} wanted @param {number} gap @param {number} low @param {number} high
 * @returns {number[]} positions, in the order of `wanted`
 */
export function spread(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  /** @type {{members: number[], centre: number}[]} */
  const groups = [];
  for (const i of order) {
    groups.push({ members: [i], centre: clamp(wanted[i], low, high) });
    while (groups.length > 1) {
      const [a, b] = groups.slice(-2);
      if (b.centre - a.centre >= ((a.members.length + b.members.length) / 2) * gap) break;
      const members = [...a.members, ...b.members];
      // The best common shift is the mean of what each member wants.
      const wish = members.reduce((s, m, k) => s + wanted[m] - k * gap, 0) / members.length;
      const half = ((members.length - 1) / 2) * gap;
      groups.splice(-2, 2, { members, centre: clamp(wish + half, low + half, high - half) });
    }
  }
  const placed = wanted.slice();
  for (const { members, centre } of groups) {
    members.forEach((m, k) => (placed[m] = centre + (k - (members.length - 1) / 2) * gap));
  }
  return placed;
}

/** @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

/** The series that fills rows and columns, if there is one. @param {Chart} chart */
export function gridOf(chart) {
  return chart.series.find((s) => s.kind === "heat" || s.kind === "cells");
}

/** Can this be drawn on this axis? @param {Axis} axis @param {number | null | undefined} value */
export function drawable(axis, value) {
  return (
    typeof value === "number" && Number.isFinite(value) && (axis.type !== "log" || value > 0)
  );
}

/**
 * Choose margins, ticks and label positions for a chart of this width.
 * @param {Chart} chart @param {number} width @param {Measure} measure
 */
export function layoutChart(chart, width, measure = guessWidth) {
  const heat = gridOf(chart);
  const named = chart.series.map((s, i) => ({ s, i })).filter(({ s }) => s.label && s.name);
  const widest = Math.max(0, ...named.map(({ s }) => measure(String(s.name), true)));
  const lines = named.length > 0 && named.every(({ s }) => s.kind === "line");
  const direct = lines && named.length <= 8 && widest <= width * 0.34;
  const bar = heat?.kind === "heat" && heat.bar !== false;

  let height = chart.height ?? Math.round(clamp(width * 0.52, 250, 380));
  const yTicks = axisTicks(chart.y, Math.round(height / 62));
  const left = yTicks.length
    ? 10 + Math.min(width * 0.3, Math.max(14, ...yTicks.map((t) => measure(t.text))))
    : chart.x.ticks?.length
      ? 8
      : 1;
  const right = direct
    ? widest + 18
    : bar
      ? 58
      : yTicks.length || chart.x.ticks?.length
        ? 14
        : 1;
  const top = chart.y.title ? 28 : chart.height ? 6 : 12;
  const w = Math.max(40, width - left - right);
  const xFit = fitTicks(chart.x, w, measure);
  const bottom = xFit.room + (chart.x.title ? 24 : 4);
  if (heat && !chart.height) height = Math.round(heatHeight(chart, w) + top + bottom);
  const plot = { x: left, y: top, w, h: height - top - bottom };
  const x = makeScale(chart.x, plot.x, plot.x + plot.w);
  const y = makeScale(chart.y, plot.y + plot.h, plot.y);
  return {
    width,
    height,
    plot,
    x,
    y,
    direct,
    heat,
    legend: direct || heat || named.length < 2 ? [] : named.map(({ i }) => i),
    xTicks: xFit.ticks,
    turned: xFit.turned,
    yTicks,
    labels: direct
      ? endLabels(
          chart,
          named.map(({ i }) => i),
          x,
          y,
          plot,
        )
      : [],
  };
}

/** Cells as square as the screen allows. @param {Chart} chart @param {number} w */
function heatHeight(chart, w) {
  const columns = Math.max(1, (chart.x.categories ?? []).length);
  const rows = Math.max(1, (chart.y.categories ?? []).length);
  return clamp((w / columns) * rows, Math.max(120, rows * 15), Math.max(360, rows * 15));
}

/** Thin out or turn the texts under the axis until they fit. @param {Axis} axis @param {number} w @param {Measure} measure */
function fitTicks(axis, w, measure) {
  const ticks = axisTicks(axis, Math.round(clamp(w / 80, 3, 10)));
  if (!ticks.length) return { ticks, turned: false, room: 2 };
  const widest = Math.max(0, ...ticks.map((t) => measure(t.text)));
  const room = w / Math.max(1, ticks.length);
  const words = ticks.some((t) => !/^[\d.,−-]*$/.test(t.text));
  if (axis.type === "category" && words && widest + 6 > room) {
    const every = Math.ceil(16 / room);
    return {
      ticks: ticks.filter((_, i) => i % every === 0),
      turned: true,
      room: 14 + Math.min(widest, 110) * 0.75,
    };
  }
  const every =
    words && axis.type === "category" ? 1 : Math.ceil((widest + 8) / Math.max(1, room));
  return { ticks: ticks.filter((_, i) => i % every === 0), turned: false, room: 24 };
}

/**
 * Names beside the last points of the lines, moved apart, all at the same distance.
 * @param {Chart} chart @param {number[]} which
 * @param {(v: number) => number} x @param {(v: number) => number} y
 * @param {{x: number, y: number, w: number, h: number}} plot @returns {Label[]}
 */
function endLabels(chart, which, x, y, plot) {
  let edge = plot.x;
  const ends = which.flatMap((i) => {
    const { x: xs = [], y: ys = [] } = chart.series[i];
    const last = ys.findLastIndex((v, n) => drawable(chart.y, v) && drawable(chart.x, xs[n]));
    if (last < 0) return [];
    edge = Math.max(edge, x(Number(xs[last])));
    return [{ i, at: y(Number(ys[last])) }];
  });
  const placed = spread(
    ends.map((e) => e.at),
    FONT + 4,
    plot.y + 4,
    plot.y + plot.h - 4,
  );
  return ends.map(({ i }, k) => ({
    x: Math.min(edge, plot.x + plot.w) + 10,
    y: placed[k],
    text: String(chart.series[i].name),
    series: i,
  }));
}

/**
 * The outline of each bar: side by side, or overlaid.
 * @param {Chart} chart @param {(v: number) => number} x @param {(v: number) => number} y
 */
export function layoutBars(chart, x, y) {
  const bars = chart.series.map((s, i) => ({ s, i })).filter(({ s }) => s.kind === "bar");
  const centres = [...new Set(bars.flatMap(({ s }) => s.x ?? []))]
    .filter((v) => v !== null)
    .sort((a, b) => a - b);
  const pixels = centres.map((v) => x(v));
  const gaps = pixels.slice(1).map((p, i) => Math.abs(p - pixels[i]));
  const [start, end] = [x(-0.5), x(0.5)];
  const band = chart.x.type === "category" ? Math.abs(end - start) : Math.min(64, ...gaps);
  const beside = !chart.overlay;
  const each = Math.min((0.75 * band) / (beside ? bars.length || 1 : 1), 72);
  const zero = chart.y.type === "log" ? (chart.y.range?.[0] ?? 1) : 0;
  return bars.flatMap(({ s, i }, k) =>
    (s.x ?? []).flatMap((at, n) => {
      const value = s.y?.[n];
      if (at === null || !drawable(chart.y, value)) return [];
      const [a, b] = [y(zero), y(/** @type {number} */ (value))];
      const tall = { series: i, y: Math.min(a, b), h: Math.abs(a - b) };
      if (s.ends) return [{ ...tall, x: x(at), w: x(s.ends[n]) - x(at) }];
      const centre = x(at) + (beside ? (k - (bars.length - 1) / 2) * each : 0);
      return [{ ...tall, x: centre - each / 2, w: each }];
    }),
  );
}

/**
 * One path for all bars of a series, or their common outline, from left to right.
 * @param {{x: number, y: number, w: number, h: number}[]} bars @param {boolean} [outline]
 */
export function barPath(bars, outline = false) {
  if (!outline)
    return bars
      .map(
        ({ x, y, w, h }) =>
          `M${x.toFixed(1)},${y.toFixed(1)}h${w.toFixed(1)}v${Math.max(0.5, h).toFixed(1)}h${(-w).toFixed(1)}z`,
      )
      .join("");
  let [path, end, top] = ["", NaN, NaN];
  for (const { x, y, w, h } of bars) {
    const joined = Math.abs(x - end) < 0.5;
    if (!joined)
      path += `${path ? `V${top.toFixed(1)}` : ""}M${x.toFixed(1)},${(y + h).toFixed(1)}`;
    path += `V${y.toFixed(1)}H${(x + w).toFixed(1)}`;
    [end, top] = [x + w, y + h];
  }
  return path && `${path}V${top.toFixed(1)}`;
}

/**
 * The path of a line; a gap where there is no value.
 * @param {(number | null)[]} xs @param {(number | null)[]} ys @param {Chart} chart
 * @param {(v: number) => number} x @param {(v: number) => number} y
 */
export function linePath(xs, ys, chart, x, y) {
  let path = "";
  let pen = "M";
  xs.forEach((at, i) => {
    if (!drawable(chart.x, at) || !drawable(chart.y, ys[i])) {
      pen = "M";
      return;
    }
    const [px, py] = [x(Number(at)).toFixed(1), y(Number(ys[i])).toFixed(1)];
    path += `${pen}${px},${py}`;
    pen = "L";
  });
  return path;
}
