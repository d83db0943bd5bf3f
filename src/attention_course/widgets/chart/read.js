// What can be read from a chart: at one place, in one cell, as a table, as a short text.
import { drawable, gridOf } from "./layout.js";
import { formatAt, tidyNumber } from "./scale.js";

/**
 * @typedef {import("./layout.js").Chart} Chart
 */

/** Every place at which the chart can be read, from left to right. @param {Chart} chart */
export function stops(chart) {
  const all = chart.series.flatMap((s) => s.x ?? []);
  const fine = /** @type {number[]} */ (all.filter((v) => drawable(chart.x, v)));
  const [low, high] = chart.x.type === "category" ? [-1, Infinity] : (chart.x.range ?? [0, 1]);
  return [...new Set(fine)].filter((v) => v >= low && v <= high).sort((a, b) => a - b);
}

/**
 * What the chart says at one place: a text for each series that has a value there.
 * @param {Chart} chart @param {number} at
 */
export function readAt(chart, at) {
  const rows = chart.series.flatMap((s, i) => {
    if (s.kind === "heat" || s.kind === "cells") return [];
    const n = (s.x ?? []).indexOf(at);
    const value = n < 0 ? undefined : s.y?.[n];
    if (!drawable(chart.y, value)) return [];
    const span = drawable(chart.y, s.low?.[n])
      ? ` (${tidyNumber(Number(s.low?.[n]))} to ${tidyNumber(Number(s.high?.[n]))})`
      : "";
    return [
      {
        series: i,
        name: s.name ?? "",
        y: Number(value),
        text: tidyNumber(Number(value)),
        span,
      },
    ];
  });
  return { where: formatAt(chart.x, at), rows };
}

/** @param {{text: string, span: string}} [row] */
function withSpan(row) {
  return row ? row.text + row.span : "no value";
}

/** What one cell of a heat map says. @param {Chart} chart @param {number} row @param {number} column */
export function readCell(chart, row, column) {
  const heat = gridOf(chart);
  const index = row * (heat?.columns ?? 1) + column;
  const value = heat?.z?.[index] ?? null;
  const [down, across] = [formatAt(chart.y, row), formatAt(chart.x, column)];
  const where =
    heat?.say?.(index) ??
    `${chart.y.title || "row"} ${down}, ${chart.x.title || "column"} ${across}`;
  return {
    row: down,
    column: across,
    where,
    value,
    text: tidyNumber(value) + (heat?.off?.[index] ? ", dead" : ""),
  };
}

/**
 * The chart as a table: a heading and rows of texts.
 * @param {Chart} chart @returns {{head: string[], rows: string[][]}}
 */
export function chartTable(chart) {
  const heat = chart.series.find((s) => s.kind === "heat");
  if (heat) {
    const columns = chart.x.categories ?? [];
    const rows = (chart.y.categories ?? []).map((name, r) => [
      name,
      ...columns.map((_, c) => readCell(chart, r, c).text),
    ]);
    return {
      head: [[chart.y.title, chart.x.title].filter(Boolean).join(" \\ "), ...columns],
      rows,
    };
  }
  const head = [
    chart.x.title || "x",
    ...chart.series.map((s) => s.name || chart.y.title || "y"),
  ];
  const rows = stops(chart).map((at) => {
    const read = readAt(chart, at);
    const cells = chart.series.map((_, i) => withSpan(read.rows.find((r) => r.series === i)));
    return [read.where, ...cells];
  });
  return { head, rows };
}

/**
 * The reading at one stop, in words.
 * @param {Chart} chart @param {{at?: number, row?: number, column?: number}} where
 */
export function sayAt(chart, where) {
  if (where.row !== undefined) {
    const cell = readCell(chart, where.row, where.column ?? 0);
    return `${cell.where}: ${cell.text}`;
  }
  const read = readAt(chart, where.at ?? 0);
  const parts = read.rows.map((r) => (r.name ? `${r.name} ${withSpan(r)}` : withSpan(r)));
  return `${chart.x.title || "x"} ${read.where}: ${parts.join(", ") || "no value"}`;
}

/**
 * The stop nearest to a position in pixels.
 * @param {number[]} places @param {(v: number) => number} x @param {number} pixel
 */
export function nearestStop(places, x, pixel) {
  let best = 0;
  places.forEach((v, i) => {
    if (Math.abs(x(v) - pixel) < Math.abs(x(places[best]) - pixel)) best = i;
  });
  return best;
}
