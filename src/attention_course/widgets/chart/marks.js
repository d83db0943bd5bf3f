// Small drawing parts of a chart: colours, marker shapes, swatches.
import { svg } from "../kit/elements.js";

/**
 * @typedef {import("./layout.js").Colour} Colour
 * @typedef {import("./layout.js").Series} Series
 */

const LEVELS = 64;

/** The CSS of a colour: a role's variable, or the colour itself. @param {Colour} [colour] */
export function paint(colour) {
  if (colour?.role) return `var(--ac-${colour.role})`;
  return colour?.css ?? "var(--ac-context)";
}

/**
 * A colour of a map, as CSS that follows the theme. `t` runs from 0 to 1, or from -1 to 1.
 * @param {"sequential" | "diverging"} map @param {number} t
 */
export function mapColour(map, t) {
  const end = map === "sequential" ? "weight" : t < 0 ? "minus" : "plus";
  const share = (Math.min(1, Math.abs(t)) * 100).toFixed(1);
  return `color-mix(in oklab, var(--ac-${end}) ${share}%, var(--ac-paper))`;
}

/** Which of three inks can be read on a colour of a map. @param {number} t */
export function inkOn(t) {
  const depth = Math.abs(t);
  if (depth <= 0.55) return "ink";
  return depth > (t < 0 ? 0.85 : 0.64) ? "paper" : "mid";
}

/** Where a value lies on its map: 0 to 1, or -1 to 1, in 64 steps. @param {Series} heat @param {number} value */
export function mapPosition(heat, value) {
  const [low, high] = heat.range ?? [0, 1];
  const share = Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
  const t = heat.map === "diverging" ? 2 * share - 1 : share;
  return Math.round(t * LEVELS) / LEVELS;
}

/** @param {number} n @param {number} r @param {number} [inner] @param {number} [turn] */
function polygon(n, r, inner = r, turn = -Math.PI / 2) {
  const points = Array.from({ length: inner === r ? n : 2 * n }, (_, i) => {
    const radius = i % 2 && inner !== r ? inner : r;
    const angle = turn + (2 * Math.PI * i) / (inner === r ? n : 2 * n);
    return `${(radius * Math.cos(angle)).toFixed(2)},${(radius * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

/** The outline of a marker around the origin. @param {string} [shape] */
export function markerPath(shape = "circle", r = 4) {
  /** @type {Record<string, string>} */
  const shapes = {
    circle: `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`,
    square: polygon(4, r * 1.25, r * 1.25, Math.PI / 4),
    diamond: polygon(4, r * 1.35),
    "triangle-up": polygon(3, r * 1.35),
    "triangle-down": polygon(3, r * 1.35, r * 1.35, Math.PI / 2),
    star: polygon(5, r * 1.5, r * 0.62),
    hexagon: polygon(6, r * 1.2),
    cross: polygon(4, r * 1.5, r * 0.5, 0),
    x: polygon(4, r * 1.5, r * 0.5, Math.PI / 4),
  };
  return shapes[shape] ?? shapes.circle;
}

/** Dashes as plotly names them. @param {string} [dash] */
export function dashes(dash) {
  /** @type {Record<string, string>} */
  const names = {
    dash: "8 5",
    dot: "2 4",
    dashdot: "8 4 2 4",
    longdash: "14 6",
    longdashdot: "14 5 2 5",
  };
  return names[dash ?? ""];
}

/** A small sample of a series for the legend. @param {Series} series */
export function swatch(series) {
  const sample = svg("svg", {
    width: 26,
    height: 14,
    viewBox: "0 0 26 14",
    "aria-hidden": "true",
  });
  const colour = paint(series.colour);
  if (series.kind === "bar") {
    const opacity = series.opacity ?? 1;
    sample.append(
      svg("rect", { x: 4, y: 1, width: 18, height: 12, rx: 2, fill: colour, opacity }),
    );
    return sample;
  }
  if (series.lines !== false) {
    sample.append(
      svg("path", {
        d: "M1,7H25",
        stroke: colour,
        "stroke-width": 2.2,
        "stroke-dasharray": dashes(series.dash),
      }),
    );
  }
  if (series.marker) {
    sample.append(
      svg("path", {
        d: markerPath(series.marker, 3.6),
        fill: colour,
        transform: "translate(13,7)",
      }),
    );
  }
  return sample;
}
