// What the lab paints on canvas: panels, and the Jacobian of one query.
import { formatNumber } from "../kit/numbers.js";
import { css, mapColours, shade } from "../kit/colour.js";
import { tag } from "../kit/elements.js";

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
  const canvas = tag("canvas", {
    class: `ac-canvas ac-canvas-${name}`,
    role: "img",
    "aria-label": "Not drawn yet",
  });
  const caption = tag("figcaption.ac-panel-title");
  const element = tag("figure.ac-panel", caption, canvas);
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

/** The Jacobian of the shown query, on a scale that never changes. @param {Panel} panel @param {Numbers} numbers @param {Ink} ink */
export function drawJacobian(panel, { shown }, ink) {
  const { pen, width, height } = panel.start();
  const p = shown.weights;
  const n = p.length;
  const side = Math.floor(Math.min(width - 64, height - 22));
  const cell = side / n;
  const map = mapColours((name) => ink[name], "div");
  // Square root: a tenth of the largest entry still shows a third of the colour.
  const colour = (/** @type {number} */ value) =>
    css(shade(map, 0.5 + Math.sign(value) * Math.sqrt(Math.abs(value))));
  const known = shown.top_weight === shown.top_weight;
  for (let i = 0; known && i < n; i++) {
    for (let j = 0; j < n; j++) {
      const value = i === j ? p[i] * (1 - p[i]) : -p[i] * p[j];
      if (Math.abs(value) < 1e-4) continue;
      pen.fillStyle = colour(value);
      pen.fillRect(j * cell, i * cell, cell, cell);
      if (Math.abs(value) >= 0.004 && cell >= 5)
        sign(
          pen,
          (j + 0.5) * cell,
          (i + 0.5) * cell,
          cell,
          value,
          Math.abs(value) > 0.03 ? ink.paper : ink.ink,
        );
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
  write(panel.caption, `Jacobian of query ${shown.query}: ${norm}`);
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
  [
    ["+¼", 10],
    ["0", tall / 2 + 4],
    ["−¼", tall - 2],
  ].forEach(([text, y]) => pen.fillText(String(text), x + 15, Number(y)));
}
