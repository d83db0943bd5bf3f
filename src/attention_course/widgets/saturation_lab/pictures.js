// The lab's pictures on canvas: the scores of all pairs, the Jacobian, the gradients.
import { formatNumber } from "../kit/numbers.js";
import { css, mapColours, shade } from "../kit/colour.js";
import { make } from "../kit/elements.js";
import { GRADIENT_EDGES } from "./maths.js";

/**
 * @typedef {import("./maths.js").Numbers} Numbers
 * @typedef {Record<string, string>} Ink colours by role and part, as hex
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {HTMLElement} caption
 * @property {HTMLCanvasElement} canvas
 * @property {() => {pen: CanvasRenderingContext2D, width: number, height: number}} start
 * @property {() => void} resize
 */

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";

/** A figure with a title and a canvas that is crisp on every screen. @param {string} name @returns {Panel} */
export function makePanel(name) {
  const canvas = /** @type {HTMLCanvasElement} */ (make("canvas", `ac-canvas ac-canvas-${name}`, { role: "img", "aria-label": "Not drawn yet" }));
  const caption = make("figcaption", "ac-panel-title");
  const element = make("figure", "ac-panel", {}, caption, canvas);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  let [width, height] = [0, 0];
  return {
    element,
    caption,
    canvas,
    // Reading sizes makes the browser lay the page out: once a resize, not once a frame.
    resize() {
      const dense = window.devicePixelRatio || 1;
      [width, height] = [canvas.clientWidth, canvas.clientHeight];
      canvas.width = Math.round(width * dense);
      canvas.height = Math.round(height * dense);
    },
    start() {
      const dense = width ? canvas.width / width : 1;
      pen.setTransform(dense, 0, 0, dense, 0, 0);
      pen.clearRect(0, 0, width, height);
      pen.font = FONT;
      pen.textBaseline = "alphabetic";
      return { pen, width, height };
    },
  };
}

/** Text that is only written when it changed. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A label that stays inside the picture. @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x @param {number} y @param {number} width */
function label(pen, text, x, y, width) {
  const half = pen.measureText(text).width / 2;
  pen.textAlign = "center";
  pen.fillText(text, Math.min(width - half, Math.max(half, x)), y);
}

/**
 * Bars on a baseline.
 * @param {CanvasRenderingContext2D} pen
 * @param {number[]} counts
 * @param {{left: number, width: number, base: number, height: number}} box
 * @param {string} colour
 */
function bars(pen, counts, { left, width, base, height }, colour) {
  const most = Math.max(1, ...counts);
  const step = width / counts.length;
  pen.fillStyle = colour;
  counts.forEach((count, i) => {
    const tall = count ? Math.max(1, (count / most) * height) : 0;
    pen.fillRect(left + i * step + 0.5, base - tall, Math.max(1, step - 1), tall);
  });
}

/** All scores, with the standard normal for comparison. @param {Panel} panel @param {Numbers} numbers @param {Ink} ink */
export function drawScores(panel, { scores }, ink) {
  const { pen, width, height } = panel.start();
  const box = { left: 6, width: width - 12, base: height - 34, height: height - 50 };
  bars(pen, scores.counts, box, ink.score);
  const toX = (/** @type {number} */ value) => box.left + ((value / scores.half_width + 1) / 2) * box.width;
  pen.beginPath();
  for (let x = box.left; x <= box.left + box.width; x++) {
    const value = ((x - box.left) / box.width) * 2 - 1;
    const high = Math.exp(-((value * scores.half_width) ** 2) / 2);
    if (high > 0.004) pen.lineTo(x, box.base - box.height * high); // its tails would hide small bars
  }
  overBars(pen, ink, [5, 3]);
  axis(pen, box, ink);
  pen.fillStyle = ink.soft;
  for (const part of width < 300 && scores.half_width > 1000 ? [-1, 0, 1] : [-1, -0.5, 0, 0.5, 1]) {
    const value = part * scores.half_width;
    pen.fillRect(toX(value) - 0.5, box.base, 1, 4);
    label(pen, String(value).replace("-", "−"), toX(value), box.base + 17, width);
  }
  label(pen, "score", width / 2, height - 3, width);
  pen.fillStyle = ink.ink;
  pen.textAlign = "left";
  const near = toX(Math.min(1.3, scores.half_width / 3)) + 6;
  pen.fillText("standard normal", Math.min(near, width - 96), 12);
  write(panel.caption, `All scores: standard deviation ${formatNumber(scores.std)}`);
}

/** Draw the path so that it shows on the page and on bars of any colour. @param {CanvasRenderingContext2D} pen @param {Ink} ink @param {number[]} dash */
function overBars(pen, ink, dash) {
  [pen.strokeStyle, pen.lineWidth] = [ink.paper, 4];
  pen.stroke();
  [pen.strokeStyle, pen.lineWidth] = [ink.ink, 1.5];
  pen.setLineDash(dash);
  pen.stroke();
  pen.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} pen @param {{left: number, width: number, base: number}} box @param {Ink} ink */
function axis(pen, box, ink) {
  pen.fillStyle = ink.edge;
  pen.fillRect(box.left, Math.round(box.base), box.width, 1);
}

/** Gradient norms of the 256 queries, with median and mean. @param {Panel} panel @param {Numbers} numbers @param {Ink} ink */
export function drawGradients(panel, { gradients, batch }, ink) {
  const { pen, width, height } = panel.start();
  const box = { left: 6, width: width - 12, base: height - 34, height: height - 72 };
  const counts = [gradients.below, 0, ...gradients.counts];
  bars(pen, counts, box, ink.query);
  axis(pen, box, ink);
  const step = box.width / counts.length;
  const toX = (/** @type {number} */ norm) => {
    const place = 3 * Math.log10(Math.max(norm, GRADIENT_EDGES[0])) + 24;
    return box.left + step * (norm < GRADIENT_EDGES[0] ? 0.5 : 2 + place);
  };
  pen.fillStyle = ink.soft;
  for (let power = -8; power <= 2; power += 2) {
    const x = toX(10 ** power);
    pen.fillRect(x - 0.5, box.base, 1, 4);
    if (power > -8) label(pen, power === 0 ? "1" : power === 2 ? "100" : `10${raise(power)}`, x, box.base + 17, width);
  }
  pen.textAlign = "left";
  pen.fillText("< 10⁻⁸", 0, box.base + 17);
  label(pen, "norm of the gradient", width / 2, height - 3, width);
  for (const [name, value, y, dash] of /** @type {[string, number, number, number[]][]} */ ([
    ["median", batch.gradient_norm_median, 12, []],
    ["mean", batch.gradient_norm_mean, 28, [4, 3]],
  ])) {
    if (value !== value) continue;
    const x = toX(value);
    pen.fillStyle = ink.ink;
    pen.beginPath();
    pen.moveTo(x, y - 10);
    pen.lineTo(x, box.base);
    overBars(pen, ink, dash);
    const text = `${name} ${formatNumber(value)}`;
    const half = pen.measureText(text).width / 2 + 5;
    // Outside the pair of lines, so that no line crosses a label.
    const outside = (name === "median") === batch.gradient_norm_median <= batch.gradient_norm_mean ? -1 : 1;
    const fits = x + outside * 2 * half > 0 && x + outside * 2 * half < width;
    label(pen, text, x + (fits ? outside : -outside) * half, y, width);
  }
  write(panel.caption, "Gradient that reaches each of the 256 queries");
}

/** @param {number} power */
function raise(power) {
  return [...String(power)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
}

/** The Jacobian of the shown query, on a scale that never changes. @param {Panel} panel @param {Numbers} numbers @param {Ink} ink @param {number} query */
export function drawJacobian(panel, { shown }, ink, query) {
  const { pen, width, height } = panel.start();
  const p = shown.weights;
  const n = p.length;
  const side = Math.floor(Math.min(width - 64, height - 22));
  const cell = side / n;
  const map = mapColours((name) => ink[name], "div");
  // Square root: a tenth of the largest entry still shows a third of the colour.
  const colour = (/** @type {number} */ value) => css(shade(map, 0.5 + Math.sign(value) * Math.sqrt(Math.abs(value))));
  const known = shown.top_weight === shown.top_weight;
  for (let i = 0; known && i < n; i++) {
    for (let j = 0; j < n; j++) {
      const value = i === j ? p[i] * (1 - p[i]) : -p[i] * p[j];
      if (Math.abs(value) < 1e-4) continue;
      pen.fillStyle = colour(value);
      pen.fillRect(j * cell, i * cell, cell, cell);
      if (Math.abs(value) >= 0.004 && cell >= 5) sign(pen, (j + 0.5) * cell, (i + 0.5) * cell, cell, value, Math.abs(value) > 0.03 ? ink.paper : ink.ink);
    }
  }
  pen.strokeStyle = ink.edge;
  pen.lineWidth = 1;
  pen.strokeRect(0.5, 0.5, side - 1, side - 1);
  pen.fillStyle = ink.soft;
  pen.textAlign = "left";
  pen.fillText("rows: weights · columns: scores", 0, height - 5);
  key(pen, side + 14, side, colour, ink);
  const norm = known ? `‖J‖ = ${formatNumber(shown.jacobian_norm)}` : "not a number";
  write(panel.caption, `Jacobian of query ${query}: ${norm}`);
}

/** A plus or a minus, drawn: a glyph would be too small to centre. @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} cell @param {number} value @param {string} colour */
function sign(pen, x, y, cell, value, colour) {
  const arm = Math.min(4, cell * 0.28);
  pen.fillStyle = colour;
  pen.fillRect(x - arm, y - 0.6, 2 * arm, 1.2);
  if (value > 0) pen.fillRect(x - 0.6, y - arm, 1.2, 2 * arm);
}

/** The colour scale, from 0.25 to -0.25. @param {CanvasRenderingContext2D} pen @param {number} x @param {number} side @param {(value: number) => string} colour @param {Ink} ink */
function key(pen, x, side, colour, ink) {
  const tall = Math.min(side, 150);
  for (let y = 0; y < tall; y++) {
    pen.fillStyle = colour(0.25 - (0.5 * y) / (tall - 1));
    pen.fillRect(x, y, 10, 1.5);
  }
  pen.strokeStyle = ink.edge;
  pen.strokeRect(x + 0.5, 0.5, 9, tall - 1);
  pen.fillStyle = ink.soft;
  pen.textAlign = "left";
  [["+¼", 10], ["0", tall / 2 + 4], ["−¼", tall - 2]].forEach(([text, y]) => pen.fillText(String(text), x + 15, Number(y)));
}
