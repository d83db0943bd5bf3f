import assert from "node:assert/strict";
import { test } from "node:test";

import { nextPlace } from "../../src/attention_course/widgets/chart/chart.js";
import {
  barPath,
  guessWidth,
  layoutBars,
  layoutChart,
  linePath,
  spread,
} from "../../src/attention_course/widgets/chart/layout.js";
import {
  inkOn,
  mapColour,
  mapPosition,
  markerPath,
  paint,
} from "../../src/attention_course/widgets/chart/marks.js";
import {
  chartTable,
  nearestStop,
  readCell,
  sayAt,
  stops,
} from "../../src/attention_course/widgets/chart/read.js";
import {
  axisTicks,
  formatAt,
  linearTicks,
  logTicks,
  makeScale,
  tidyNumber,
} from "../../src/attention_course/widgets/chart/scale.js";

const texts = (ticks) => ticks.map((t) => t.text);

test("linear ticks are 1, 2 or 5 times a power of ten, and inside the range", () => {
  assert.deepEqual(texts(linearTicks(0, 1)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(texts(linearTicks(-0.3, 0.3)), [
    "−0.3",
    "−0.2",
    "−0.1",
    "0.0",
    "0.1",
    "0.2",
    "0.3",
  ]);
  assert.deepEqual(texts(linearTicks(3, 17)), ["4", "6", "8", "10", "12", "14", "16"]);
  for (const [low, high] of [
    [-7, 1234],
    [0.011, 0.0113],
    [5, 5e7],
    [-1e-6, 1e-6],
  ]) {
    const at = linearTicks(low, high).map((t) => t.at);
    assert.ok(at.length >= 3 && at.length <= 11, `${at}`);
    assert.ok(at.every((v) => v >= low - 1e-12 && v <= high + 1e-12));
  }
});

test("ticks of a range without width, or upside down, do not hang", () => {
  assert.equal(linearTicks(3, 3).length, 1);
  assert.equal(linearTicks(3, 1).length, 1);
  assert.equal(logTicks(-1, 10).length, 1);
});

test("log ticks are powers of ten, filled in or thinned out", () => {
  assert.deepEqual(texts(logTicks(1, 4096)), ["1", "10", "100", "1000"]);
  assert.deepEqual(texts(logTicks(1, 60)), ["1", "2", "5", "10", "20", "50"]);
  assert.deepEqual(texts(logTicks(1e-8, 1)), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"]);
  assert.ok(logTicks(3, 4).length >= 2);
});

test("an axis keeps its own ticks where they are visible", () => {
  const axis = {
    type: "log",
    range: [1, 100],
    ticks: [
      { at: 64, text: "64" },
      { at: 256, text: "256" },
    ],
  };
  assert.deepEqual(texts(axisTicks(axis)), ["64"]);
});

test("a scale maps ends to ends on all three kinds of axis, reversed too", () => {
  const linear = makeScale({ type: "linear", range: [0, 10] }, 100, 200);
  assert.deepEqual([linear(0), linear(5), linear(10)], [100, 150, 200]);
  const log = makeScale({ type: "log", range: [1, 100] }, 0, 100);
  assert.equal(log(10), 50);
  const names = makeScale({ type: "category", categories: ["a", "b"], reversed: true }, 100, 0);
  assert.deepEqual([names(0), names(1)], [25, 75]);
});

test("numbers are written without the zeros that end them", () => {
  assert.deepEqual(
    [0, 0.5, 100, 1234.5, 1e-5, -0.25].map((v) => tidyNumber(v)),
    ["0", "0.5", "100", "1230", "1 × 10⁻⁵", "−0.25"],
  );
  assert.equal(tidyNumber(null), "no value");
  assert.equal(formatAt({ type: "linear" }, 12345), "12345");
});

test("labels are spread apart in order, inside the limits, and moved no more than needed", () => {
  assert.deepEqual(spread([10, 50], 16, 0, 100), [10, 50]);
  assert.deepEqual(spread([40, 44], 16, 0, 100), [34, 50]);
  assert.deepEqual(spread([99, 98, 97], 16, 0, 100), [100, 84, 68]);
  const placed = spread([5, 3, 4, 60, 61], 17, 0, 120);
  const sorted = [...placed].sort((a, b) => a - b);
  sorted.slice(1).forEach((v, i) => assert.ok(v - sorted[i] >= 17 - 1e-9));
  assert.ok(sorted[0] >= 0 && sorted.at(-1) <= 120);
  assert.ok(placed[1] < placed[2] && placed[2] < placed[0]);
});

const line = (over = {}) => ({
  kind: "line",
  name: "a",
  label: true,
  x: [1, 2, 3],
  y: [1, null, 3],
  ...over,
});
const chart = (series, over = {}) => ({
  x: { type: "linear", range: [1, 3], title: "x" },
  y: { type: "linear", range: [0, 4], title: "y" },
  series,
  ...over,
});

test("from 320 to 900 pixels everything that is placed lies inside the picture", () => {
  for (let width = 320; width <= 900; width += 20) {
    const at = layoutChart(
      chart([line(), line({ name: "another name", y: [0, 1, 3.01] })]),
      width,
    );
    assert.ok(at.direct);
    assert.ok(at.plot.x >= 0 && at.plot.w > width * 0.4 && at.plot.h > 100);
    for (const label of at.labels) {
      assert.ok(
        label.x + guessWidth(label.text, true) <= width + 1,
        `${label.text} at ${width}`,
      );
      assert.ok(label.y >= at.plot.y && label.y <= at.plot.y + at.plot.h);
    }
    for (const tick of at.xTicks) assert.ok(at.x(tick.at) <= width);
  }
});

test("names that do not fit beside the lines go into a legend", () => {
  const long = "a name that is far too long for a phone";
  assert.deepEqual(layoutChart(chart([line({ name: long }), line()]), 320).legend, [0, 1]);
  assert.deepEqual(layoutChart(chart([line({ name: long }), line()]), 900).legend, []);
});

test("one unnamed series needs neither label nor legend", () => {
  const at = layoutChart(chart([line({ name: "", label: false })]), 600);
  assert.deepEqual([at.legend, at.labels], [[], []]);
});

test("a line has a gap where it has no value, and none on a log axis at zero", () => {
  const same = (v) => v;
  assert.equal(
    linePath([1, 2, 3, 4], [1, null, 3, 4], chart([]), same, same),
    "M1.0,1.0M3.0,3.0L4.0,4.0",
  );
  const log = chart([], { y: { type: "log", range: [1, 10] } });
  assert.equal(linePath([1, 2, 3], [0, 1, 10], log, same, same), "M2.0,1.0L3.0,10.0");
  assert.equal(linePath([1], [null], chart([]), same, same), "");
});

test("bars stand side by side, or over one another", () => {
  const bars = [1, 2].map((k) => ({ kind: "bar", x: [0, 1], y: [k, -k] }));
  const axes = {
    x: { type: "category", categories: ["a", "b"] },
    y: { type: "linear", range: [-4, 4] },
  };
  const [x, y] = [(v) => 100 * v + 50, (v) => -10 * v];
  const beside = layoutBars({ ...axes, series: bars }, x, y);
  assert.equal(beside.length, 4);
  assert.ok(beside[0].x + beside[0].w <= beside[2].x + 1e-9);
  assert.deepEqual([beside[0].y, beside[0].h, beside[1].h], [-10, 10, 10]);
  assert.ok(Math.abs(beside[1].y) === 0); // the bar below zero hangs from zero
  const over = layoutBars({ ...axes, series: bars, overlay: true }, x, y);
  assert.equal(over[0].x, over[2].x);
});

test("the read-out names every series at a place, with its interval", () => {
  const c = chart([
    line({ low: [0.5, null, 2], high: [1.5, null, 4] }),
    line({ name: "b", y: [5, 6, 7], low: [4, 5, 6], high: [6, 7, 8] }),
  ]);
  assert.equal(sayAt(c, { at: 1 }), "x 1: a 1 (0.5 to 1.5), b 5 (4 to 6)");
  assert.equal(sayAt(c, { at: 2 }), "x 2: b 6 (5 to 7)");
  assert.deepEqual(stops(c), [1, 2, 3]);
});

const heat = {
  x: { type: "category", categories: ["k1", "k2"], title: "key" },
  y: { type: "category", categories: ["q1", "q2"], title: "query", reversed: true },
  series: [
    { kind: "heat", z: [0.25, 0.75, null, 1], columns: 2, range: [0, 1], map: "sequential" },
  ],
};

test("a cell is read by row and column", () => {
  assert.deepEqual(readCell(heat, 0, 1), {
    row: "q1",
    column: "k2",
    where: "query q1, key k2",
    value: 0.75,
    text: "0.75",
  });
  assert.equal(sayAt(heat, { row: 1, column: 0 }), "query q2, key k1: no value");
});

test("the table has every number of the chart", () => {
  assert.deepEqual(chartTable(heat), {
    head: ["query \\ key", "k1", "k2"],
    rows: [
      ["q1", "0.25", "0.75"],
      ["q2", "no value", "1"],
    ],
  });
  const { head, rows } = chartTable(chart([line()]));
  assert.deepEqual(
    [head, rows],
    [
      ["x", "a"],
      [
        ["1", "1"],
        ["2", "no value"],
        ["3", "3"],
      ],
    ],
  );
});

test("arrow keys go from stop to stop and stay inside", () => {
  const c = chart([line()]);
  assert.deepEqual(nextPlace(c, null, "ArrowRight"), { at: 1 });
  assert.deepEqual(nextPlace(c, null, "ArrowLeft"), { at: 3 });
  assert.deepEqual(nextPlace(c, { at: 3 }, "ArrowRight"), { at: 3 });
  assert.deepEqual(nextPlace(c, { at: 3 }, "Home"), { at: 1 });
  assert.equal(nextPlace(c, { at: 3 }, "ArrowUp"), null);
  assert.equal(nextPlace(c, { at: 3 }, "a"), null);
});

test("in a heat map the arrow keys follow what is seen, first row on top", () => {
  assert.deepEqual(nextPlace(heat, null, "ArrowRight"), { row: 0, column: 0 });
  assert.deepEqual(nextPlace(heat, { row: 0, column: 1 }, "ArrowDown"), { row: 1, column: 1 });
  const upward = { ...heat, y: { ...heat.y, reversed: false } };
  assert.deepEqual(nextPlace(upward, { row: 0, column: 1 }, "ArrowUp"), { row: 1, column: 1 });
});

test("the pointer finds the nearest stop", () => {
  assert.equal(
    nearestStop([1, 2, 4], (v) => 10 * v, 29),
    1,
  );
  assert.equal(
    nearestStop([1, 2, 4], (v) => 10 * v, 31),
    2,
  );
});

test("a map runs from the paper to a role, or from minus through paper to plus", () => {
  assert.equal(mapPosition(heat.series[0], 0.5), 0.5);
  assert.equal(mapPosition({ kind: "heat", map: "diverging", range: [-2, 2] }, -2), -1);
  assert.match(mapColour("sequential", 0.5), /--ac-weight\) 50.0%/);
  assert.match(mapColour("diverging", -1), /--ac-minus\) 100.0%/);
  assert.deepEqual([0, 0.5, 0.6, 0.9, -0.8].map(inkOn), ["ink", "ink", "mid", "paper", "mid"]);
});

test("colours are roles, and every role's marker has a shape of its own", () => {
  assert.equal(paint({ role: "query" }), "var(--ac-query)");
  const shapes = ["circle", "square", "diamond", "triangle-up", "star", "hexagon"].map((s) =>
    markerPath(s),
  );
  assert.equal(new Set(shapes).size, 6);
});

test("a bin reaches from its edge to its end, and one path draws all of a series", () => {
  const axes = { x: { type: "linear", range: [0, 4] }, y: { type: "linear", range: [0, 1] } };
  const bins = { ...axes, series: [{ kind: "bar", x: [0, 1], ends: [1, 3], y: [1, 0.5] }] };
  const bars = layoutBars(
    bins,
    (v) => 10 * v,
    (v) => 20 - 20 * v,
  );
  assert.deepEqual(
    bars.map(({ x, w, y, h }) => [x, w, y, h]),
    [
      [0, 10, 0, 20],
      [10, 20, 10, 10],
    ],
  );
  assert.equal(barPath(bars), "M0.0,0.0h10.0v20.0h-10.0zM10.0,10.0h20.0v10.0h-20.0z");
  assert.equal(barPath(bars, true), "M0.0,20.0V0.0H10.0V10.0H30.0V20.0");
  assert.equal(barPath([], true), "");
});

test("an outline is interrupted where bins are", () => {
  const bars = [
    { x: 0, y: 0, w: 5, h: 9 },
    { x: 8, y: 4, w: 5, h: 5 },
  ];
  assert.equal(barPath(bars, true), "M0.0,9.0V0.0H5.0V9.0M8.0,9.0V4.0H13.0V9.0");
});

test("cells are read one by one, with what is off", () => {
  const cells = {
    x: { type: "category", categories: ["0", "1"], ticks: [] },
    y: { type: "category", categories: ["0"], ticks: [] },
    series: [
      {
        kind: "cells",
        z: [0.5, 2e-6],
        off: [false, true],
        columns: 2,
        range: [1e-3, 1],
        say: (i) => `query ${i}, gradient`,
      },
    ],
  };
  assert.equal(sayAt(cells, { row: 0, column: 0 }), "query 0, gradient: 0.5");
  assert.equal(sayAt(cells, { row: 0, column: 1 }), "query 1, gradient: 2 × 10⁻⁶, dead");
  assert.deepEqual(nextPlace(cells, { row: 0, column: 0 }, "ArrowRight"), {
    row: 0,
    column: 1,
  });
  assert.deepEqual(layoutChart(cells, 300).xTicks, []);
});

test("a chart is as high as it says", () => {
  for (const height of [110, 200])
    assert.equal(layoutChart(chart([line()], { height }), 400).height, height);
});

test("an axis may say its places in words of its own", () => {
  assert.equal(formatAt({ type: "linear", say: (at) => `from ${at}` }, 3), "from 3");
});
