// The saturation lab: d_k, scale and number format on the left; what they do on the right.
import { range } from "../kit/limits.js";
import { formatNumber } from "../kit/numbers.js";
import { buttonControl, numberControl, radioControl, sliderControl } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";
import { buildDraws, buildTable, N_QUERIES, saturation } from "./maths.js";
import { makeKeys } from "./keys.js";
import { drawGradients, drawJacobian, drawScores, makePanel, write } from "./pictures.js";
import { makeSweep } from "./sweep.js";
import { FIGURES, sentence, shortWeight } from "./words.js";

/**
 * @typedef {import("./maths.js").Table} Table
 * @typedef {import("./maths.js").Draws} Draws
 * @typedef {ReturnType<typeof createShell>} Shell
 */

const STATE = ["d_k", "n_keys", "scale", "scale_value", "spread", "number_format", "seed", "query", "offsets"];
const INK = ["query", "score", "weight", "paper", "ink", "soft", "line", "edge", ...[0, 1, 2, 3, 4, 5, 6].map((i) => `div-${i}`)];

/** Every whole number to 8, then eight steps to each doubling. @param {number} most */
function widthStops(most) {
  const stops = [1, 2, 3, 4, 5, 6, 7];
  for (let low = 8; low < most; low *= 2) for (let i = 0; i < 8; i++) stops.push(low + (i * low) / 8);
  return [...stops, most];
}

const PRESETS = [
  { text: "Narrow", hint: "d_k = 4", set: { d_k: 4, scale: "none", spread: 1, number_format: "float32" } },
  { text: "Wide", hint: "512, no scale", set: { d_k: 512, scale: "none", spread: 1, number_format: "float32" } },
  { text: "Scaled", hint: "512, ÷ √d_k", set: { d_k: 512, scale: "sqrt_d_k", spread: 1, number_format: "float32" } },
  { text: "Too much", hint: "512, ÷ d_k", set: { d_k: 512, scale: "d_k", spread: 1, number_format: "float32" } },
];

/** Tables of one seed, built in slices so that the page stays alive. @param {() => void} ready */
function makeStore(ready) {
  /** @type {Draws | null} */
  let draws = null;
  /** @type {Map<string, Table>} */
  const tables = new Map();
  let [wanted, timer] = ["", 0];

  /** @param {number} seed @param {string} format */
  function* build(seed, format) {
    if (draws?.seed !== seed) {
      tables.clear();
      draws = null;
      draws = yield* buildDraws(seed);
    }
    tables.set(format, yield* buildTable(draws, format));
  }
  return {
    /** The table, or null while it is being built. @param {number} seed @param {string} format @returns {Table | null} */
    get(seed, format) {
      const name = `${seed} ${format}`;
      const there = draws?.seed === seed ? tables.get(format) : undefined;
      if (there || wanted === name) return there ?? null;
      clearTimeout(timer);
      wanted = name;
      const steps = build(seed, format);
      const slice = () => {
        const until = performance.now() + 10;
        while (performance.now() < until) {
          if (!steps.next().done) continue;
          wanted = "";
          ready();
          return;
        }
        timer = window.setTimeout(slice);
      };
      timer = window.setTimeout(slice);
      return null;
    },
    end: () => clearTimeout(timer),
  };
}

/** The controls. @param {Shell} shell @param {boolean} compact */
function addControls(shell, compact) {
  const { limits } = shell;
  const presets = make("div", "ac-presets", { role: "group", "aria-label": "Settings to start from" });
  for (const { text, hint, set } of PRESETS) {
    const button = buttonControl(text, () => shell.set({ ...set, offsets: [] }));
    button.append(make("small", "", {}, hint));
    presets.append(button);
  }
  shell.controls.append(presets);
  const width = shell.add(sliderControl({ label: "Width d_k", values: widthStops(limits.d_k.max), entry: true }), "d_k");
  width.element.classList.add("ac-follow");
  const scale = radioControl({
    label: "Scale of the dot products",
    options: [
      { value: "none", text: "none" },
      { value: "sqrt_d_k", text: "÷ √d_k", spoken: "divide by the square root of d_k" },
      { value: "d_k", text: "÷ d_k", spoken: "divide by d_k" },
      { value: "custom", text: "other", spoken: "multiply by a number of your own" },
    ].slice(0, compact ? 3 : 4),
  });
  shell.add(scale, "scale");
  if (compact) return () => {};
  const factor = sliderControl({ label: "Multiply by", ...range(limits.scale_value), log: true, entry: true });
  shell.add(factor, "scale_value");
  const more = make("details", "ac-more", {}, make("summary", "", {}, "More controls"));
  const inner = make("div", "ac-more-controls");
  more.append(inner);
  shell.controls.append(more);
  const add = (/** @type {import("../kit/controls.js").Control} */ control, /** @type {string} */ name) => shell.add(control, name, inner);
  add(sliderControl({ label: "Number of keys", ...range(limits.n_keys), step: 1 }), "n_keys");
  add(sliderControl({ label: "Query spread", ...range(limits.spread), log: true, entry: true }), "spread");
  add(radioControl({ label: "Number format", options: limits.number_format.options.map((value) => ({ value, text: value })) }), "number_format");
  add(sliderControl({ label: "Shown query", ...range(limits.query), step: 1 }), "query");
  add(numberControl({ label: "Seed", ...range(limits.seed) }), "seed");
  // Open where there is room beside the picture, folded on a phone.
  /** @type {HTMLDetailsElement} */ (more).open = shell.root.clientWidth >= 600 || shell.root.clientWidth === 0;
  return () => void (factor.element.hidden = shell.get("scale") !== "custom");
}

/** The figures as a table; `fill` writes them. */
function makeFigures() {
  const table = make("table", "ac-table ac-figures");
  const head = ["", "this query", "median", "mean"].map((text) => make(text ? "th" : "td", "", text ? { scope: "col" } : {}, text));
  /** @type {[HTMLElement, "shown" | "batch", string][]} */
  const cells = [];
  const rows = FIGURES.map(([, text, one, median, mean]) => {
    const row = make("tr", "", {}, make("th", "", { scope: "row" }, text));
    for (const [part, name] of /** @type {["shown" | "batch", string][]} */ ([["shown", one], ["batch", median], ["batch", mean]])) {
      const cell = make("td", "", name ? { "data-ac-figure": `${part}.${name}` } : {});
      if (name) cells.push([cell, part, name]);
      row.append(cell);
    }
    return row;
  });
  const last = make("td", "", { colspan: 3, class: "ac-figures-note" });
  for (const [name, after] of [["dead", " of 256 queries are dead: their Jacobian norm is below 0.001. "], ["gradient_norm_p99", " is the gradient's 99th percentile."]]) {
    const cell = make("span", "", { "data-ac-figure": `batch.${name}` });
    cells.push([cell, "batch", name]);
    last.append(cell, after);
  }
  rows.push(make("tr", "", {}, make("th", "", { scope: "row" }, "Also"), last));
  table.append(make("caption", "", {}, "The shown query, and all 256"), make("thead", "", {}, make("tr", "", {}, ...head)), make("tbody", "", {}, ...rows));
  /** @param {import("./maths.js").Numbers} numbers */
  const fill = (numbers) => {
    for (const [cell, part, name] of cells) {
      const value = /** @type {Record<string, any>} */ (numbers[part])[name];
      const text = name === "dead" ? String(Math.round(value * N_QUERIES)) : name.startsWith("top") ? shortWeight(value) : formatNumber(value);
      write(cell, text);
      // The full number, for tests and for the curious.
      cell.dataset.acValue = String(value);
    }
  };
  return { table, fill };
}

/** What pictures say to those who do not see them. @param {HTMLCanvasElement} canvas @param {string} text */
function describe(canvas, text) {
  if (canvas.getAttribute("aria-label") !== text) canvas.setAttribute("aria-label", text);
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const compact = model.get("compact") === true;
  const shell = createShell(model, el, { title: "Saturation lab", state: STATE, controls: compact ? "above" : "left", compact });
  shell.root.classList.add("ac-lab");
  const arrange = addControls(shell, compact);
  const store = makeStore(shell.refresh);
  shell.onDestroy(store.end);

  const move = (/** @type {number} */ key, /** @type {number | null} */ score) => {
    const base = latest?.shown.base[key] ?? 0;
    const offsets = Array.from({ length: Math.max(key + 1, shell.get("offsets").length) }, (_, j) => shell.get("offsets")[j] ?? 0);
    offsets[key] = score === null || !Number.isFinite(base) ? 0 : score - base;
    while (offsets.length && offsets[offsets.length - 1] === 0) offsets.pop();
    shell.set({ offsets });
  };
  const keys = makeKeys(compact ? null : move);
  shell.onDestroy(keys.end);
  const [scores, jacobian, gradients] = ["scores", "jacobian", "gradients"].map(makePanel);
  const sweep = makeSweep(shell.refresh);
  shell.onDestroy(sweep.end);
  const panels = compact ? [scores, keys.panel, gradients] : [scores, keys.panel, gradients, sweep.panel, jacobian];
  const grid = make("div", "ac-panels", {}, ...panels.map((panel) => panel.element));
  const figures = makeFigures();
  if (!compact) grid.append(make("div", "ac-figures-frame", {}, figures.table));
  const waiting = make("div", "ac-waiting", { hidden: true }, "Drawing 1.2 million random numbers …");
  shell.picture.append(waiting, grid);

  /** @type {import("./maths.js").Numbers | null} */
  let latest = null;
  /** @type {Record<string, string>} */
  let ink = {};
  let [theme, size, pause] = ["", "", 0];
  shell.onDestroy(() => clearTimeout(pause));
  const measure = new ResizeObserver(() => {
    size = "";
    shell.refresh();
  });
  measure.observe(grid);
  shell.onDestroy(() => measure.disconnect());

  shell.show(() => {
    arrange();
    const setting = /** @type {import("./maths.js").Setting} */ (shell.state());
    const table = store.get(setting.seed, setting.number_format);
    shell.picture.setAttribute("aria-busy", String(!table));
    waiting.hidden = table !== null || latest !== null;
    grid.style.visibility = latest || table ? "" : "hidden";
    if (!table) return;
    const first = latest === null;
    const numbers = (latest = saturation(table, setting));
    if (theme !== shell.root.dataset.acTheme || !ink.paper) {
      theme = shell.root.dataset.acTheme ?? "light";
      ink = Object.fromEntries(INK.map((name) => [name, shell.colour(name)]));
    }
    if (!size) {
      panels.forEach((panel) => panel.resize());
      size = "known";
    }
    drawScores(scores, numbers, ink);
    keys.draw(numbers, ink, setting.query);
    drawGradients(gradients, numbers, ink);
    if (!compact) {
      drawJacobian(jacobian, numbers, ink, setting.query);
      sweep.draw(table, setting, ink);
      figures.fill(numbers);
    }
    shell.say(sentence(numbers, setting));
    clearTimeout(pause);
    const tell = () => {
      const { batch } = numbers;
      describe(scores.canvas, `Histogram of all scores, from ${-numbers.scores.half_width} to ${numbers.scores.half_width}; standard deviation ${formatNumber(numbers.scores.std)}, beside the standard normal.`);
      describe(gradients.canvas, `Histogram of gradient norms on a logarithmic axis: median ${formatNumber(batch.gradient_norm_median)}, mean ${formatNumber(batch.gradient_norm_mean)}.`);
      describe(jacobian.canvas, `Jacobian of query ${setting.query} as a heat map, from minus a quarter to a quarter; its norm is ${formatNumber(numbers.shown.jacobian_norm)}.`);
    };
    if (first) tell();
    else pause = window.setTimeout(tell, 200);
  });
  return shell.destroy;
}

export default { render };
