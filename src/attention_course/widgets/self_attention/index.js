// Self-attention step by step: from the words of a sentence to a context.
import { range } from "../kit/limits.js";
import { buttonControl, checkControl, numberControl, selectControl, sliderControl } from "../kit/controls.js";
import { freshId, make } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";
import { readSetting, sentenceAttention, splitWords } from "./maths.js";
import { chips, matrixOf, span, strip } from "./view.js";
import { sentence, two, working } from "./words.js";

/**
 * @typedef {import("./maths.js").Setting} Setting
 * @typedef {import("./maths.js").Stages} Stages
 * @typedef {ReturnType<typeof createShell>} Shell
 * @typedef {import("./maths.js").Constants} Constants
 */

const STATE = ["text", "token", "other", "step", "d_k", "d_v", "seed", "mask", "positions"];
const [QUERY, KEYS, SCORES, SCALE, MASK, SOFTMAX, VALUES, CONTEXT] = [1, 2, 3, 4, 5, 6, 7, 8];

/** A field for the sentence; what has no word in it is not passed on. @param {number} longest @param {Constants} constants */
function sentenceControl(longest, constants) {
  const id = freshId("text");
  const input = /** @type {HTMLInputElement} */ (make("input", "ac-entry ac-sa-text", { type: "text", id, maxlength: longest, autocomplete: "off", spellcheck: "false" }));
  /** @type {((value: any) => void)[]} */
  const reactions = [];
  input.addEventListener("input", () => {
    try {
      splitWords(input.value, constants);
    } catch {
      return; // an empty field on the way to another sentence
    }
    for (const react of reactions) react(input.value);
  });
  const hint = make("div", "ac-hint", { id: freshId("hint") }, `The first ${constants.MAX_WORDS} words are used.`);
  input.setAttribute("aria-describedby", hint.id);
  const element = make("div", "ac-control ac-sa-sentence", {}, make("label", "ac-label", { for: id }, "Your sentence"), input, hint);
  const set = (/** @type {any} */ value) => {
    if (document.activeElement !== input || input.value.trim()) if (input.value !== value) input.value = String(value);
  };
  return { element, set, onInput: (/** @type {(value: any) => void} */ react) => void reactions.push(react) };
}

/** @param {Shell} shell @param {Constants} constants */
function addControls(shell, constants) {
  shell.add(sentenceControl(shell.limits.text.most, constants), "text");
  const more = make("details", "ac-more", {}, make("summary", "", {}, "Widths, mask, seed and positions"));
  const inner = make("div", "ac-sa-settings");
  more.append(inner);
  // Open where there is room, folded on a phone.
  /** @type {HTMLDetailsElement} */ (more).open = shell.root.clientWidth >= 600 || shell.root.clientWidth === 0;
  const masks = [
    { value: "none", text: "none" },
    { value: "causal", text: "causal" },
    { value: "others", text: "others only" },
  ];
  shell.add(sliderControl({ label: "Width d_k", ...range(shell.limits.d_k), step: 1 }), "d_k", inner);
  shell.add(sliderControl({ label: "Width d_v", ...range(shell.limits.d_v), step: 1 }), "d_v", inner);
  shell.add(selectControl({ label: "Mask", options: masks }), "mask", inner);
  shell.add(numberControl({ label: "Seed", ...range(shell.limits.seed) }), "seed", inner);
  shell.add(checkControl({ label: "Add positions" }), "positions", inner);
  shell.controls.append(more);
}

/** What stands beside the table at each step. @param {Stages} s @param {Setting} setting @param {number} i @param {number} j @param {number} c */
function sheet(s, { step, d_k }, i, j, c) {
  const words = s.words.map((word, t) => `${t + 1} ${word}`);
  const numbers = (/** @type {number[][]} */ M) => M[0].map((_, t) => String(t + 1));
  const inputs = s.W_q.map((_, t) => String(t + 1));
  const square = { rows: words, columns: words, corner: "asks ↓", weights: false, row: i, column: j };
  const wide = { rows: words, corner: "", weights: false, row: i, column: c };
  const learned = { rows: inputs, corner: "", weights: false, row: -1, column: c };
  if (step === QUERY) return { ...learned, title: "W_q: from 8 numbers to a query", values: s.W_q, columns: numbers(s.W_q) };
  if (step === KEYS) return { ...learned, title: "W_k: from 8 numbers to a key", values: s.W_k, columns: numbers(s.W_k) };
  if (step === VALUES) return { ...learned, title: "W_v: from 8 numbers to a value", values: s.W_v, columns: numbers(s.W_v) };
  if (step === SCORES) return { ...square, title: "Q Kᵀ: every word asks every word", values: s.scores };
  if (step === SCALE) return { ...square, title: `Q Kᵀ / √${d_k}: the scores, scaled`, values: s.scaled };
  if (step === MASK) return { ...square, title: "Scores that the mask leaves", values: s.masked };
  if (step === SOFTMAX) return { ...square, title: "Weights: each row sums to 1", values: s.weights, weights: true };
  if (step === CONTEXT) return { ...wide, title: "C: the contexts of all words", values: s.context, columns: numbers(s.context) };
  return { ...wide, title: "X: one row of 8 numbers for each word", values: s.x, columns: numbers(s.x) };
}

/** The cells of one word's row. @param {Stages} s @param {Setting} setting @param {number} i @param {number} j */
function cells(s, { step }, i, j) {
  const vector = (/** @type {Node | null} */ node, name = "") => make("td", name, {}, ...(node ? [node] : []));
  const row = step >= MASK ? s.masked : step === SCALE ? s.scaled : s.scores;
  const score = make("td", "ac-sa-score", step >= SCORES ? { "data-readout": `score-${j}`, "data-value": row[i][j] } : {}, step >= SCORES ? two(row[i][j]) : "");
  const weight = make("td", "ac-sa-weight");
  if (step >= SOFTMAX) {
    const share = s.weights[i][j];
    weight.append(make("span", "ac-sa-bar", { style: `width:${(100 * share).toFixed(1)}%` }), make("span", "ac-sa-share", { "data-readout": `weight-${j}`, "data-value": share }, two(share)));
  }
  const handed = step === CONTEXT ? s.v[j].map((x) => s.weights[i][j] * x) : s.v[j];
  return [
    vector(strip(`x-${j}`, s.x[j], "x", span(s.x)), "ac-sa-x-cell"),
    vector(step >= KEYS ? strip(`k-${j}`, s.k[j], "key", span(s.q, s.k)) : null),
    score,
    weight,
    vector(step >= VALUES ? strip(`v-${j}`, handed, "value", span(s.v)) : null),
  ];
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "An untrained layer of self-attention, step by step", state: STATE, controls: "above" });
  shell.root.classList.add("ac-sa");
  /** @type {Constants} */
  const constants = /** @type {any} */ (shell.limits).constants;
  const { STEPS } = constants;
  addControls(shell, constants);
  const go = (/** @type {number} */ step) => shell.set({ step: (step + STEPS.length) % STEPS.length });
  const steps = chips("Step", freshId("step"), STEPS, go, "steps");
  const turn = (/** @type {number} */ by) => go(Number(shell.get("step")) + by || 0);
  shell.buttons.prepend(buttonControl("‹ Back", () => turn(-1)), buttonControl("Next ›", () => turn(1)));
  const asking = make("div", "ac-sa-asking");
  const table = make("table", "ac-table ac-sa-table");
  const matrix = make("table", "ac-table ac-sa-matrix");
  const how = make("p", "ac-sa-working");
  const scroll = make("div", "ac-sa-scroll", {}, matrix);
  shell.controls.append(asking, steps.element);
  shell.picture.append(make("div", "ac-sa-panels", {}, table, scroll), how);

  const [askGroup, lookGroup] = [freshId("ask"), freshId("look")];
  let known = "";
  /** @type {ReturnType<typeof chips> | null} */
  let ask = null;
  /** @type {{line: HTMLElement, input: HTMLInputElement}[]} */
  let lines = [];
  const [top, bottom] = [make("tr", "ac-sa-asks"), make("tr", "ac-sa-sum")];
  /** @type {{i?: number, j?: number, c?: number} | null} */
  let pointed = null;
  const point = (/** @type {typeof pointed} */ at) => {
    pointed = at;
    shell.refresh();
  };

  /** Rows for these words; kept while the words stay, and with them the focus. @param {string[]} words */
  const build = (words) => {
    if (known === JSON.stringify(words)) return;
    known = JSON.stringify(words);
    ask = chips("Who asks?", askGroup, words, (i) => shell.set({ token: i }), "words");
    asking.replaceChildren(ask.element);
    lines = words.map((word, j) => {
      const input = /** @type {HTMLInputElement} */ (make("input", "ac-radio", { type: "radio", name: lookGroup, "aria-label": `look at ${j + 1} ${word}` }));
      input.addEventListener("input", () => shell.set({ other: j }));
      const label = make("label", "ac-sa-look", {}, input, make("span", "", {}, make("small", "", {}, String(j + 1)), word));
      const line = make("tr", "", {}, make("th", "", { scope: "row" }, label));
      line.addEventListener("pointerenter", () => point({ j }));
      line.addEventListener("pointerleave", () => point(null));
      line.addEventListener("click", () => shell.set({ other: j }));
      return { line, input };
    });
    const body = make("tbody", "", {}, top, ...lines.map(({ line }) => line), bottom);
    table.replaceChildren(make("caption", "", {}, ""), make("thead"), body);
  };

  const spot = (/** @type {Event} */ event) => {
    const cell = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-row]"));
    if (!cell) return null;
    const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
    const step = Number(shell.get("step"));
    if (step >= SCORES && step <= SOFTMAX) return { i: row, j: column };
    return step === 0 || step === CONTEXT ? { i: row, c: column } : { c: column };
  };
  matrix.addEventListener("pointerover", (event) => point(spot(event)));
  matrix.addEventListener("pointerleave", () => point(null));
  matrix.addEventListener("click", (event) => {
    const at = spot(event);
    if (at) shell.set({ ...(at.i === undefined ? {} : { token: at.i }), ...(at.j === undefined ? {} : { other: at.j }) });
  });

  shell.show(() => {
    const setting = readSetting(shell.state(), constants);
    const s = sentenceAttention(setting, constants);
    build(s.words);
    const { step, token } = setting;
    const last = s.words.length - 1;
    const i = Math.min(last, pointed?.i ?? token);
    const j = Math.min(last, pointed?.j ?? setting.other);
    const width = step === VALUES || step === CONTEXT ? setting.d_v : step === 0 ? constants.D_MODEL : setting.d_k;
    const c = Math.min(pointed?.c ?? 0, width - 1);
    shell.root.classList.toggle("ac-sa-later", step >= SCORES);
    steps.set(step);
    ask?.set(token);
    fillTable(table, top, bottom, s, setting);
    lines.forEach(({ line, input }, t) => {
      input.checked = t === setting.other;
      line.className = `${t === j ? "ac-sa-on" : ""}${s.masked[token][t] === -Infinity && step >= MASK ? " ac-sa-masked" : ""}`;
      // The heading stays in its place: taken out, its radio button would lose the focus.
      while (line.childElementCount > 1) line.lastElementChild?.remove();
      line.append(...cells(s, setting, token, t));
    });
    matrix.replaceChildren(...matrixOf(shell.colour, sheet(s, setting, i, j, c)));
    const [what, by, result] = working(s, setting, i, j, c);
    how.replaceChildren(make("span", "ac-sa-what", {}, `${what}: `), `${by} = `, make("strong", "", {}, result));
    shell.say(sentence(s, setting));
  });
  return shell.destroy;
}

/** Head, the asking row and the sum. @param {HTMLElement} table @param {HTMLElement} top @param {HTMLElement} bottom @param {Stages} s @param {Setting} setting */
function fillTable(table, top, bottom, s, { step, token: i }) {
  const [caption, head] = table.children;
  caption.textContent = `What “${s.words[i]}” asks, and what each word answers`;
  const names = ["word", "x", step >= KEYS ? "key" : step >= QUERY ? "query" : "", step >= SCORES ? (step >= SCALE ? "scaled" : "score") : "", step >= SOFTMAX ? "weight" : "", step >= CONTEXT ? "share" : step >= VALUES ? "value" : ""];
  const kinds = ["", "ac-sa-x-cell", "", "ac-sa-score", "ac-sa-weight", ""];
  head.replaceChildren(make("tr", "", {}, ...names.map((name, t) => make(name ? "th" : "td", kinds[t], name ? { scope: "col" } : {}, name))));
  const blank = (/** @type {string} */ name) => make("td", name);
  const query = step >= QUERY ? [strip("q", s.q[i], "query", span(s.q, s.k))] : [];
  const asks = make("th", "", { scope: "row" }, make("small", "", {}, String(i + 1)), `${s.words[i]} ?`);
  top.replaceChildren(asks, blank("ac-sa-x-cell"), make("td", "", {}, ...query), blank("ac-sa-score"), blank("ac-sa-weight"), blank(""));
  top.hidden = step < QUERY;
  bottom.hidden = step < CONTEXT;
  if (step < CONTEXT) return bottom.replaceChildren();
  const sum = s.weights[i].reduce((a, b) => a + b, 0);
  const total = make("td", "ac-sa-weight", {}, make("span", "ac-sa-share", {}, two(sum)));
  const context = make("td", "", {}, strip("c", s.context[i], "context", span(s.v)));
  return bottom.replaceChildren(make("th", "", { scope: "row" }, "context"), blank("ac-sa-x-cell"), blank(""), blank("ac-sa-score"), total, context);
}

export default { render };
