// One query: a score for each key that can be dragged, and the weight it gets.
import { formatNumber } from "../kit/numbers.js";
import { tag } from "../kit/elements.js";
import { makePanel, write } from "./pictures.js";
import { sayWeight } from "./words.js";

const TRACK = 0.52; // share of the height that the scores have

/**
 * @typedef {import("./pictures.js").Ink} Ink
 * @typedef {import("./maths.js").Numbers} Numbers
 */

/**
 * The panel. `move(key, score)` is called with the score wanted for a key, or null to put it
 * back.
 * @param {(key: number, score: number | null) => void} move
 */
export function makeKeys(move) {
  const panel = makePanel("keys");
  const handles = tag("div.ac-handles", {
    role: "group",
    "aria-label":
      "Scores of the shown query. Up and down move a score, left and right go to the next key, Delete puts it back.",
  });
  // The sliders tell what the picture shows.
  panel.canvas.setAttribute("aria-hidden", "true");
  panel.canvas.removeAttribute("role");
  panel.element.append(tag("div.ac-holder", panel.canvas, handles));
  /** @type {HTMLElement[]} */
  let sliders = [];
  /** @type {Numbers["shown"] | null} */
  let shown = null;
  let half = 4;
  let current = 0;
  let pause = 0;

  const tell = () => {
    if (!shown) return;
    for (const [j, slider] of sliders.entries()) {
      const [score, weight] = [shown.scores[j], shown.weights[j]];
      const moved = score === shown.base[j] ? "" : ", moved";
      slider.setAttribute("aria-valuenow", String(Number.isFinite(score) ? score : 0));
      slider.setAttribute("aria-valuemin", String(-half));
      slider.setAttribute("aria-valuemax", String(half));
      slider.setAttribute(
        "aria-valuetext",
        `score ${formatNumber(score)}, weight ${formatNumber(weight)}${moved}`,
      );
    }
  };

  const build = (/** @type {number} */ n) => {
    if (sliders.length === n) return;
    current = Math.min(current, n - 1);
    sliders = Array.from({ length: n }, (_, j) => makeSlider(j, n));
    handles.replaceChildren(...sliders);
    tell();
  };

  const focus = (/** @type {number} */ j) => {
    sliders[current].tabIndex = -1;
    current = (j + sliders.length) % sliders.length;
    sliders[current].tabIndex = 0;
    sliders[current].focus();
  };

  /** @param {number} j @param {number} n */
  const makeSlider = (j, n) => {
    const slider = tag("div.ac-handle", {
      role: "slider",
      tabindex: j === current ? 0 : -1,
      "aria-label": `Score of key ${j + 1}`,
      "aria-orientation": "vertical",
    });
    slider.style.left = `${(100 * j) / n}%`;
    slider.style.width = `${100 / n}%`;
    const by = (/** @type {number} */ steps) => {
      const now = shown?.scores[j] ?? 0;
      move(j, Math.max(-half, Math.min(half, now + (steps * half) / 40)));
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowUp: () => by(1),
      ArrowDown: () => by(-1),
      PageUp: () => by(10),
      PageDown: () => by(-10),
      Home: () => by(-1e9),
      End: () => by(1e9),
      ArrowLeft: () => focus(j - 1),
      ArrowRight: () => focus(j + 1),
      Delete: () => move(j, null),
      Backspace: () => move(j, null),
    };
    slider.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    slider.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !shown) return;
      event.preventDefault();
      slider.setPointerCapture(event.pointerId);
      if (sliders[current] !== slider) sliders[current].tabIndex = -1;
      current = j;
      slider.tabIndex = 0;
      slider.focus({ preventScroll: true });
      const [from, score] = [event.clientY, shown.scores[j]];
      const tall = slider.clientHeight - 16;
      const drag = (/** @type {PointerEvent} */ at) => {
        const wanted = score - ((at.clientY - from) / tall) * 2 * half;
        move(j, Math.max(-half, Math.min(half, wanted)));
      };
      slider.addEventListener("pointermove", drag);
      const end = () => slider.removeEventListener("pointermove", drag);
      slider.addEventListener("pointerup", end, { once: true });
      slider.addEventListener("pointercancel", end, { once: true });
    });
    slider.addEventListener("dblclick", () => move(j, null));
    return slider;
  };

  /** @param {Numbers} numbers @param {Ink} ink */
  const draw = (numbers, ink) => {
    shown = numbers.shown;
    half = 4;
    for (const score of shown.base)
      while (half < 1.2 * Math.abs(score) && Number.isFinite(score)) half *= 2;
    const n = shown.weights.length;
    build(n);
    clearTimeout(pause);
    pause = window.setTimeout(tell, 120);
    const { pen, width, height } = panel.start();
    const column = width / n;
    const upper = height * TRACK;
    const middle = upper / 2;
    const toY = (/** @type {number} */ score) =>
      middle - (Math.max(-half, Math.min(half, score)) / half) * (middle - 8);
    pen.fillStyle = ink.line;
    pen.fillRect(0, Math.round(middle), width, 1);
    const base = height - 16;
    const tall = base - upper - 16;
    let top = 0;
    for (let j = 0; j < n; j++) {
      const x = (j + 0.5) * column;
      const [score, weight] = [shown.scores[j], shown.weights[j]];
      if (weight > shown.weights[top]) top = j;
      const y = score === score ? toY(score) : middle;
      pen.fillStyle = ink.score;
      pen.fillRect(x - 0.75, Math.min(y, middle), 1.5, Math.abs(middle - y));
      triangle(pen, x, y, Math.min(6, column * 0.32), score !== shown.base[j]);
      const high = weight === weight ? weight * tall : 0;
      pen.fillStyle = ink.weight;
      pen.fillRect(
        x - column * 0.36,
        base - Math.max(high, weight > 0 ? 0.75 : 0),
        column * 0.72,
        Math.max(high, weight > 0 ? 0.75 : 0),
      );
      if (column > 17 || j % 4 === 0) {
        pen.fillStyle = ink.soft;
        pen.textAlign = "center";
        pen.fillText(String(j + 1), x, height - 2);
      }
    }
    pen.fillStyle = ink.edge;
    pen.fillRect(0, Math.round(base), width, 1);
    pen.fillStyle = ink.soft;
    pen.textAlign = "left";
    pen.fillText(`scores, −${half} to ${half}`, 0, 11);
    pen.fillText("weights, 0 to 1", 0, upper + 10);
    const known = shown.top_weight === shown.top_weight;
    if (known) {
      pen.fillStyle = ink.weight;
      pen.textAlign = top < n / 2 ? "left" : "right";
      pen.fillText(
        sayWeight(shown.top_weight),
        (top + (top < n / 2 ? 1 : 0)) * column,
        base - shown.weights[top] * tall + 10,
      );
    }
    write(panel.caption, `Query ${shown.query}: drag its scores, watch its weights`);
  };
  return { panel, draw, end: () => clearTimeout(pause) };
}

/** The score's marker: a triangle, with a ring around it once moved. @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} r @param {boolean} moved */
function triangle(pen, x, y, r, moved) {
  pen.beginPath();
  pen.moveTo(x, y - r);
  pen.lineTo(x + r, y + r * 0.8);
  pen.lineTo(x - r, y + r * 0.8);
  pen.closePath();
  pen.fill();
  if (!moved) return;
  pen.strokeStyle = pen.fillStyle;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.arc(x, y, r + 3, 0, 7);
  pen.stroke();
}
