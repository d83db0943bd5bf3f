// The parts of the picture: strips of bars for vectors, and a matrix with its numbers.
import { css, mapColours, shade } from "../kit/colour.js";
import { make, svg } from "../kit/elements.js";
import { two } from "./words.js";

const [WIDE, HIGH] = [10, 32];

/**
 * A vector as small bars, up for positive and down for negative numbers.
 * @param {string} name read by tests
 * @param {number[]} values
 * @param {string} role its colour
 * @param {number} limit the largest size that is drawn
 */
export function strip(name, values, role, limit) {
  const picture = svg("svg", { viewBox: `0 0 ${values.length * WIDE} ${HIGH}`, class: `ac-sa-strip ac-sa-${role}`, role: "img", preserveAspectRatio: "none" });
  picture.setAttribute("style", `--ac-n:${values.length}`);
  picture.setAttribute("aria-label", values.map(two).join(", "));
  picture.dataset.vector = name;
  picture.dataset.values = JSON.stringify(values);
  picture.append(svg("line", { x1: 0, x2: values.length * WIDE, y1: HIGH / 2, y2: HIGH / 2, class: "ac-sa-zero" }));
  values.forEach((x, c) => {
    const tall = (Math.min(1, Math.abs(x) / (limit || 1)) * (HIGH - 2)) / 2;
    picture.append(svg("rect", { x: c * WIDE + 1, width: WIDE - 2, y: x > 0 ? HIGH / 2 - tall : HIGH / 2, height: Math.max(0.4, tall) }));
  });
  return picture;
}

/** The largest size in some matrices. @param {...number[][]} matrices */
export function span(...matrices) {
  return Math.max(...matrices.flat(2).filter(Number.isFinite).map(Math.abs), 1e-9);
}

/** Brightness as people see it. @param {number[]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((x) => (x / 255 <= 0.03928 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * @typedef {object} Sheet what the matrix shows
 * @property {string} title
 * @property {number[][]} values
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {string} corner
 * @property {boolean} weights shares from 0 to 1, or signed numbers
 * @property {number} row the marked row, -1 for none
 * @property {number} column the marked column, -1 for none
 */

/** @param {(name: string) => string} colour @param {Sheet} sheet */
export function matrixOf(colour, { title, values, rows, columns, corner, weights, row, column }) {
  const colours = mapColours(colour, weights ? "seq" : "div");
  const limit = span(values);
  const head = make("tr", "", {}, make("th", "ac-sa-corner", { scope: "col" }, corner));
  columns.forEach((name, c) => head.append(make("th", `${c === column ? "ac-sa-on" : ""}${/\D/.test(name) ? " ac-sa-tall" : ""}`, { scope: "col" }, make("span", "", {}, name))));
  const body = make("tbody");
  values.forEach((numbers, r) => {
    const line = make("tr", r === row ? "ac-sa-asks" : "", {}, make("th", "", { scope: "row" }, rows[r]));
    numbers.forEach((x, c) => {
      const cell = make("td", c === column ? "ac-sa-on" : "", { "data-readout": `cell-${r}-${c}`, "data-value": x, "data-row": r, "data-column": c }, two(x));
      if (x === -Infinity) cell.classList.add("ac-sa-hidden");
      else {
        const rgb = shade(colours, weights ? x : 0.5 + x / limit / 2);
        cell.style.background = css(rgb);
        cell.style.color = luminance(rgb.map(Math.round)) > 0.179 ? "#000" : "#fff";
      }
      line.append(cell);
    });
    body.append(line);
  });
  return [make("caption", "", {}, title), make("thead", "", {}, head), body];
}

/**
 * Radio buttons that look like words or like steps.
 * @param {string} legend @param {string} group @param {string[]} texts @param {(i: number) => void} choose @param {string} kind
 */
export function chips(legend, group, texts, choose, kind) {
  const inputs = texts.map((text, i) => {
    const input = /** @type {HTMLInputElement} */ (make("input", "ac-radio", { type: "radio", name: group, "aria-label": `${i + 1} ${text}` }));
    input.addEventListener("input", () => choose(i));
    return input;
  });
  const labels = inputs.map((input, i) => make("label", "ac-sa-chip", {}, input, make("span", "", {}, make("small", "", {}, String(i + 1)), texts[i])));
  const element = make("fieldset", `ac-fieldset ac-sa-chips ac-sa-${kind}`, {}, make("legend", "ac-label", {}, legend), make("div", "ac-sa-row", {}, ...labels));
  const set = (/** @type {number} */ value) => inputs.forEach((input, i) => (input.checked = i === value));
  return { element, set };
}
