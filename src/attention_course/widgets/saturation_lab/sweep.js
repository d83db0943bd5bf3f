// Median and mean gradient against d_k, for the other settings as they are.
import { formatNumber } from "../kit/numbers.js";
import { makePanel, write } from "./pictures.js";
import { MAX_D_K, saturation } from "./maths.js";

const WIDTHS = Array.from({ length: 13 }, (_, i) => 2 ** i);
const [LOW, HIGH] = [-8, 2]; // powers of ten

/**
 * @typedef {import("./maths.js").Setting} Setting
 * @typedef {import("./maths.js").Table} Table
 * @typedef {{median: number, mean: number}[]} Points
 */

/** What the curve depends on. @param {Setting} setting */
function nameOf({ n_keys, scale, scale_value, spread, number_format, seed }) {
  return JSON.stringify([n_keys, scale, scale === "custom" && scale_value, spread, number_format, seed]);
}

/** The panel. The curve is computed between frames, one d_k at a time. @param {() => void} ready */
export function makeSweep(ready) {
  const panel = makePanel("sweep");
  let [name, wanted, timer] = ["", "", 0];
  /** @type {Points} */
  let points = [];

  /** @param {Table} table @param {Setting} setting */
  const compute = (table, setting) => {
    const goal = nameOf(setting);
    if (goal === wanted) return;
    wanted = goal;
    clearTimeout(timer);
    /** @type {Points} */
    const found = [];
    const next = () => {
      const { batch } = saturation(table, { ...setting, d_k: WIDTHS[found.length] });
      found.push({ median: batch.gradient_norm_median, mean: batch.gradient_norm_mean });
      if (found.length < WIDTHS.length) {
        timer = window.setTimeout(next, 4);
        return;
      }
      [name, points] = [goal, found];
      ready();
    };
    timer = window.setTimeout(next, 150);
  };

  /** @param {Table} table @param {Setting} setting @param {import("./pictures.js").Ink} ink */
  const draw = (table, setting, ink) => {
    compute(table, setting);
    const { pen, width, height } = panel.start();
    const [left, right, top, base] = [34, width - 54, 8, height - 34];
    const toX = (/** @type {number} */ d_k) => left + (Math.log2(d_k) / Math.log2(MAX_D_K)) * (right - left);
    const toY = (/** @type {number} */ norm) => {
      const power = Math.min(HIGH, Math.max(LOW, Math.log10(norm)));
      return base - ((power - LOW) / (HIGH - LOW)) * (base - top);
    };
    pen.fillStyle = ink.soft;
    for (let power = LOW; power <= HIGH; power += 2) {
      const y = toY(10 ** power);
      pen.fillStyle = power === LOW ? ink.edge : ink.line;
      pen.fillRect(left, Math.round(y), right - left, 1);
      pen.fillStyle = ink.soft;
      pen.textAlign = "right";
      pen.fillText(power === 0 ? "1" : power === 2 ? "100" : `10⁻${"⁰¹²³⁴⁵⁶⁷⁸"[-power]}`, left - 5, y + 4);
    }
    pen.textAlign = "center";
    for (const d_k of width < 300 ? [1, 16, 256, 4096] : [1, 4, 16, 64, 256, 1024, 4096]) pen.fillText(String(d_k), toX(d_k), base + 17);
    pen.fillText("width d_k", (left + right) / 2, height - 3);
    pen.fillStyle = ink.ink;
    pen.fillRect(toX(setting.d_k) - 0.75, top - 4, 1.5, base - top + 8);
    if (!points.length) return;
    pen.globalAlpha = name === nameOf(setting) ? 1 : 0.35;
    curve(pen, points.map((p) => p.mean), toX, toY, ink.query, [4, 3], ink.paper);
    curve(pen, points.map((p) => p.median), toX, toY, ink.query, [], ink.query);
    pen.globalAlpha = 1;
    pen.fillStyle = ink.ink;
    pen.textAlign = "left";
    const last = points[points.length - 1];
    const [mean, median] = [toY(last.mean) + 4, toY(last.median) + 4];
    const gap = Math.max(0, 15 - Math.abs(median - mean)) / 2;
    if (last.mean === last.mean) pen.fillText("mean", right + 8, mean - gap);
    if (last.median === last.median) pen.fillText("median", right + 8, median + gap);
    write(panel.caption, "The same gradient against d_k");
    const text = WIDTHS.map((d_k, i) => `${d_k}: ${formatNumber(points[i].median)} and ${formatNumber(points[i].mean)}`).join("; ");
    if (panel.canvas.ariaLabel !== text) panel.canvas.setAttribute("aria-label", `Median and mean gradient by d_k. ${text}.`);
  };
  write(panel.caption, "The same gradient against d_k");
  return { panel, draw, end: () => clearTimeout(timer) };
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number[]} norms
 * @param {(d_k: number) => number} toX
 * @param {(norm: number) => number} toY
 * @param {string} colour
 * @param {number[]} dash
 * @param {string} fill
 */
function curve(pen, norms, toX, toY, colour, dash, fill) {
  const places = norms.map((norm, i) => [toX(WIDTHS[i]), toY(norm)]).filter(([, y]) => y === y);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.75;
  pen.setLineDash(dash);
  pen.beginPath();
  for (const [x, y] of places) pen.lineTo(x, y);
  pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = fill;
  for (const [x, y] of places) {
    pen.beginPath();
    pen.arc(x, y, 2.75, 0, 7);
    pen.fill();
    pen.stroke();
  }
}
