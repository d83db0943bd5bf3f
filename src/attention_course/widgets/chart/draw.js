// The picture of a chart in SVG: axes, lines, bars, heat maps and their labels.
import { svg } from "../kit/elements.js";
import { svgFormula } from "../kit/formula.js";
import { barPath, drawable, layoutBars, linePath } from "./layout.js";
import { dashes, inkOn, mapColour, mapPosition, markerPath, paint } from "./marks.js";
import { linearTicks } from "./scale.js";

/**
 * @typedef {import("./layout.js").Chart} Chart
 * @typedef {import("./layout.js").Series} Series
 * @typedef {ReturnType<typeof import("./layout.js").layoutChart>} Layout
 */

/** Grid, ticks and titles of both axes. @param {Chart} chart @param {Layout} at */
function drawAxes(chart, at) {
  const group = svg("g", { class: "ac-chart-axes" });
  const { plot, heat } = at;
  const floor = plot.y + plot.h;
  const base = baseOf(chart, at);
  for (const tick of at.yTicks) {
    const y = at.y(tick.at);
    if (!heat)
      group.append(
        svg("path", { class: "ac-chart-grid", d: `M${plot.x},${y.toFixed(1)}h${plot.w}` }),
      );
    group.append(svg("text", { x: plot.x - 7, y: y + 4.3, "text-anchor": "end" }, tick.text));
  }
  for (const tick of at.xTicks) {
    const x = at.x(tick.at);
    const turn = at.turned ? { transform: `rotate(-45 ${x} ${floor + 14})` } : {};
    const anchor = at.turned ? "end" : "middle";
    group.append(svg("text", { x, y: floor + 18, "text-anchor": anchor, ...turn }, tick.text));
    if (!heat && chart.x.type !== "category" && base === floor) {
      group.append(svg("path", { class: "ac-chart-tick", d: `M${x.toFixed(1)},${floor}v5` }));
    }
  }
  if (!heat)
    group.append(svg("path", { class: "ac-chart-base", d: `M${plot.x},${base}h${plot.w}` }));
  if (chart.y.title)
    group.append(
      svg(
        "text",
        { class: "ac-chart-name", x: 2, y: 14 },
        ...svgFormula(`${chart.y.reversed ? "↓" : "↑"} ${chart.y.title}`),
      ),
    );
  if (chart.x.title) {
    const x = plot.x + plot.w;
    group.append(
      svg(
        "text",
        { class: "ac-chart-name", x, y: at.height - 5, "text-anchor": "end" },
        ...svgFormula(`${chart.x.title} →`),
      ),
    );
  }
  return group;
}

/** Bars stand on zero; everything else on the lower edge. @param {Chart} chart @param {Layout} at */
function baseOf(chart, at) {
  const [low, high] = chart.y.range ?? [0, 1];
  const bars = chart.series.some((s) => s.kind === "bar");
  return bars && chart.y.type !== "log" && low < 0 && high > 0
    ? at.y(0)
    : at.plot.y + at.plot.h;
}

/** @param {Chart} chart @param {Series} s @param {Layout} at */
function drawLine(chart, s, at) {
  const group = svg("g", { opacity: s.opacity });
  const colour = paint(s.colour);
  const [xs, ys] = [s.x ?? [], s.y ?? []];
  xs.forEach((v, i) => {
    if (s.low && drawable(chart.x, v) && drawable(chart.y, s.low[i])) {
      group.append(whisker(at, at.x(Number(v)), Number(s.low[i]), Number(s.high?.[i]), colour));
    }
  });
  if (s.lines !== false) {
    group.append(
      svg("path", {
        class: "ac-chart-line",
        d: linePath(xs, ys, chart, at.x, at.y),
        stroke: colour,
        "stroke-width": s.width ?? 2.2,
        "stroke-dasharray": dashes(s.dash),
      }),
    );
  }
  xs.forEach((v, i) => {
    if (!s.marker || !drawable(chart.x, v) || !drawable(chart.y, ys[i])) return;
    const where = `translate(${at.x(Number(v)).toFixed(1)},${at.y(Number(ys[i])).toFixed(1)})`;
    group.append(
      svg("path", {
        class: "ac-chart-marker",
        d: markerPath(s.marker),
        fill: colour,
        transform: where,
      }),
    );
  });
  return group;
}

/** An error bar with caps. @param {Layout} at @param {number} x @param {number} low @param {number} high @param {string} colour */
function whisker(at, x, low, high, colour) {
  const [a, b] = [at.y(low).toFixed(1), at.y(high).toFixed(1)];
  const d = `M${x - 4},${a}h8M${x - 4},${b}h8M${x},${a}V${b}`;
  return svg("path", { class: "ac-chart-whisker", d, stroke: colour });
}

/**
 * Bars by series: each one path, which `refresh` writes anew.
 * @param {Chart} chart @param {Layout} at
 */
function drawBars(chart, at) {
  const group = svg("g");
  const paths = chart.series.map((s) => {
    const look = s.outline
      ? {
          class: "ac-chart-outline",
          stroke: paint(s.colour),
          "stroke-dasharray": dashes(s.dash),
        }
      : { fill: paint(s.colour) };
    return s.kind === "bar" ? svg("path", { ...look, opacity: s.opacity }) : null;
  });
  group.append(...paths.filter((path) => path !== null));
  /** @type {Chart | null} */
  let before = null;
  const refresh = (/** @type {Chart} */ next) => {
    const old = before?.series ?? [];
    before = next;
    const write = (
      /** @type {ReturnType<typeof layoutBars>} */ bars,
      /** @type {number} */ i,
    ) => {
      const s = next.series[i];
      const seen = s.ends && !s.outline ? bars.filter((bar) => bar.h > 0) : bars;
      paths[i]?.setAttribute("d", barPath(seen, s.outline));
    };
    if (next.overlay) {
      // Each series stands for itself: those that stayed need nothing.
      next.series.forEach(
        (s, i) =>
          paths[i] &&
          s !== old[i] &&
          write(layoutBars({ ...next, series: [s] }, at.x, at.y), i),
      );
      return;
    }
    const bars = layoutBars(next, at.x, at.y);
    paths.forEach(
      (path, i) =>
        path &&
        write(
          bars.filter((bar) => bar.series === i),
          i,
        ),
    );
  };
  refresh(chart);
  return { group, refresh };
}

const SHADES = 8;

/**
 * Cells of one size, each as strong as its value is large; what is off is crossed out.
 * @param {Chart} chart @param {Layout} at
 */
function drawCells(chart, at) {
  const group = svg("g");
  const first = at.heat?.kind === "cells" ? at.heat : null;
  if (!first) return { group, refresh: () => {} };
  const colour = paint(first.colour);
  const paths = Array.from({ length: SHADES }, (_, i) => {
    const share = Math.round(14 + (86 * i) / (SHADES - 1));
    return svg("path", {
      style: `fill:color-mix(in oklab, ${colour} ${share}%, var(--ac-paper))`,
    });
  });
  const off = svg("path", { class: "ac-chart-off" });
  group.append(...paths, off);
  const columns = first.columns ?? 1;
  const [w, h] = [Math.abs(at.x(1) - at.x(0)), Math.abs(at.y(1) - at.y(0))];
  const gap = Math.min(2, w / 6);
  const corner = (/** @type {number} */ i) =>
    `${(at.x(i % columns) - w / 2 + gap / 2).toFixed(1)},${(at.y(Math.floor(i / columns)) - h / 2 + gap / 2).toFixed(1)}`;
  const [a, b, arm] = [
    (w - gap).toFixed(1),
    (h - gap).toFixed(1),
    Math.min(w, h) / 2 - gap - 0.5,
  ];
  const count = (first.z ?? []).length;
  const whole = Array.from({ length: count }, (_, i) => `M${corner(i)}h${a}v${b}h-${a}z`);
  const crossed = Array.from({ length: count }, (_, i) => {
    const [x, y] = [at.x(i % columns), at.y(Math.floor(i / columns))];
    return `M${(x - arm).toFixed(1)},${(y - arm).toFixed(1)}l${(2 * arm).toFixed(1)},${(2 * arm).toFixed(1)}m0,${(-2 * arm).toFixed(1)}l${(-2 * arm).toFixed(1)},${(2 * arm).toFixed(1)}`;
  });
  /** @type {string[]} */
  const last = [];
  const refresh = (/** @type {Chart} */ next) => {
    const cells = next.series.find((s) => s.kind === "cells");
    const [low, high] = (cells?.range ?? [1, 10]).map(Math.log10);
    const found = new Array(SHADES).fill("");
    let crosses = "";
    (cells?.z ?? []).forEach((value, i) => {
      if (value === null || value !== value) return;
      if (cells?.off?.[i]) crosses += crossed[i];
      else
        found[
          Math.round(
            (SHADES - 1) * Math.min(1, Math.max(0, (Math.log10(value) - low) / (high - low))),
          )
        ] += whole[i];
    });
    [...paths, off].forEach((path, i) => {
      const d = found[i] ?? crosses;
      if (d !== last[i]) path.setAttribute("d", (last[i] = d));
    });
  };
  refresh(chart);
  return { group, refresh };
}

/** Cells of one colour are one path: few elements, crisp edges. @param {Chart} chart @param {Layout} at */
function drawHeat(chart, at) {
  const heat = /** @type {Series} */ (at.heat);
  const group = svg("g", { class: "ac-chart-heat" });
  const columns = heat.columns ?? 1;
  const [w, h] = [Math.abs(at.x(1) - at.x(0)), Math.abs(at.y(1) - at.y(0))];
  const gap = Math.min(w, h) > 8 ? 1 : 0;
  /** @type {Map<number, string>} */
  const paths = new Map();
  (heat.z ?? []).forEach((value, i) => {
    if (value === null || !Number.isFinite(value)) return;
    const t = mapPosition(heat, value);
    const x = at.x(i % columns) - w / 2 + gap / 2;
    const y = at.y(Math.floor(i / columns)) - h / 2 + gap / 2;
    const cell = `M${x.toFixed(2)},${y.toFixed(2)}h${(w - gap).toFixed(2)}v${(h - gap).toFixed(2)}h${(gap - w).toFixed(2)}z`;
    paths.set(t, (paths.get(t) ?? "") + cell);
  });
  for (const [t, d] of paths) {
    group.append(svg("path", { d, style: `fill:${mapColour(heat.map ?? "sequential", t)}` }));
  }
  if (heat.text && w >= 24 && h >= 16) {
    (heat.z ?? []).forEach((value, i) => {
      const text = heat.text?.[i] ?? "";
      if (value === null || text.length * 7.4 > w) return;
      const ink = `ac-chart-on-${inkOn(mapPosition(heat, value))}`;
      const [x, y] = [at.x(i % columns), at.y(Math.floor(i / columns)) + 4.3];
      group.append(svg("text", { class: ink, x, y, "text-anchor": "middle" }, text));
    });
  }
  if (heat.bar !== false) group.append(drawScale(heat, at));
  return group;
}

/** The colour bar of a heat map. @param {Series} heat @param {Layout} at */
function drawScale(heat, at) {
  const group = svg("g");
  const [low, high] = heat.range ?? [0, 1];
  const x = at.plot.x + at.plot.w + 14;
  const steps = 32;
  const each = at.plot.h / steps;
  for (let i = 0; i < steps; i++) {
    const share = (i + 0.5) / steps;
    const t = heat.map === "diverging" ? 2 * share - 1 : share;
    group.append(
      svg("rect", {
        x,
        y: (at.plot.y + at.plot.h - (i + 1) * each).toFixed(2),
        width: 9,
        height: (each + 0.5).toFixed(2),
        style: `fill:${mapColour(heat.map ?? "sequential", t)}`,
      }),
    );
  }
  for (const tick of linearTicks(low, high, 4)) {
    const y = at.plot.y + at.plot.h * (1 - (tick.at - low) / (high - low || 1)) + 4.3;
    group.append(svg("text", { x: x + 14, y }, tick.text));
  }
  return group;
}

/** Lines across the plot at a fixed value. @param {Chart} chart @param {Layout} at */
function drawRules(chart, at) {
  const group = svg("g");
  const { plot } = at;
  for (const rule of chart.rules ?? []) {
    const across = rule.axis === "y";
    const p = across ? at.y(rule.at) : at.x(rule.at);
    const d = across ? `M${plot.x},${p}h${plot.w}` : `M${p},${plot.y}v${plot.h}`;
    const colour = paint(rule.colour);
    group.append(
      svg("path", {
        class: "ac-chart-rule",
        d,
        stroke: colour,
        "stroke-dasharray": dashes(rule.dash),
      }),
    );
    if (rule.text) {
      const room = plot.x + plot.w - p > 60;
      const leftwards =
        across || (rule.side ? rule.side === "left" || !room : p > plot.x + plot.w / 2);
      const row = rule.side === "right" && !room ? 28 : 12; // below the one that is at the left anyway
      const place = across
        ? { x: plot.x + plot.w - 4, y: p - 6 }
        : { x: p + (leftwards ? -6 : 6), y: plot.y + row };
      group.append(
        svg(
          "text",
          {
            class: "ac-chart-label",
            ...place,
            "text-anchor": leftwards ? "end" : "start",
            style: `fill:${colour}`,
          },
          ...svgFormula(rule.text),
        ),
      );
    }
  }
  return group;
}

/** @param {Chart} chart @param {Layout} at */
function drawLines(chart, at) {
  return chart.series.filter((s) => s.kind === "line").map((s) => drawLine(chart, s, at));
}

/** The whole picture; `refresh` writes other numbers on the same axes. @param {Chart} chart @param {Layout} at */
export function drawPicture(chart, at) {
  const picture = svg("svg", {
    class: "ac-chart-svg",
    width: at.width,
    height: at.height,
    viewBox: `0 0 ${at.width} ${at.height}`,
    "aria-hidden": "true",
  });
  picture.append(drawAxes(chart, at));
  const cells = drawCells(chart, at);
  picture.append(cells.group);
  let heat = at.heat?.kind === "heat" ? drawHeat(chart, at) : svg("g");
  picture.append(heat);
  const inside = svg("svg", {
    x: at.plot.x - 6,
    y: at.plot.y - 6,
    width: at.plot.w + 12,
    height: at.plot.h + 6.5,
    viewBox: `${at.plot.x - 6} ${at.plot.y - 6} ${at.plot.w + 12} ${at.plot.h + 6.5}`,
    overflow: "hidden",
  });
  const bars = drawBars(chart, at);
  let rules = drawRules(chart, at);
  const lines = svg("g", {}, ...drawLines(chart, at));
  inside.append(bars.group, rules, lines);
  picture.append(inside);
  for (const label of at.labels) {
    const fill = paint(chart.series[label.series].colour);
    picture.append(
      svg(
        "text",
        { class: "ac-chart-label", x: label.x, y: label.y + 4.3, style: `fill:${fill}` },
        label.text,
      ),
    );
  }
  let now = chart;
  const refresh = (/** @type {Chart} */ next) => {
    const before = now;
    now = next;
    const changed = (/** @type {string} */ kind) =>
      next.series.some((s, i) => s.kind === kind && s !== before.series[i]);
    if (changed("bar")) bars.refresh(next);
    if (changed("cells")) cells.refresh(next);
    if (changed("line")) lines.replaceChildren(...drawLines(next, at));
    if (changed("heat")) {
      const other = drawHeat(next, { ...at, heat: next.series.find((s) => s.kind === "heat") });
      heat.replaceWith(other);
      heat = other;
    }
    if (JSON.stringify(next.rules) === JSON.stringify(before.rules)) return;
    const others = drawRules(next, at);
    rules.replaceWith(others);
    rules = others;
  };
  return { picture, refresh };
}
