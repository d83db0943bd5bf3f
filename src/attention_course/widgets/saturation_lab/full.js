// The full lab: three pictures that move together, and below them what explains them.
import { drawChart } from "../chart/chart.js";
import { buttonControl, numberControl, radioControl } from "../kit/controls.js";
import { tag } from "../kit/elements.js";
import { formula } from "../kit/formula.js";
import { choices, range } from "../kit/limits.js";
import { formatNumber } from "../kit/numbers.js";
import { createShell } from "../kit/shell.js";
import { howManyTimes, makeQuestion } from "./ask.js";
import { widthControl, widthStops } from "./controls.js";
import { makeFigures } from "./figures.js";
import { makeKeys } from "./keys.js";
import { drawJacobian, makePanel } from "./pictures.js";
import { makeGhost, makeStore } from "./store.js";
import { gradientsView, queriesView, scoresView, weightsView } from "./views.js";
import { sentence } from "./words.js";

/**
 * @typedef {import("./maths.js").Setting} Setting
 * @typedef {import("./maths.js").Numbers} Numbers
 * @typedef {ReturnType<typeof createShell>} Shell
 */

const INK = [
  "query",
  "score",
  "weight",
  "paper",
  "ink",
  "soft",
  "line",
  "edge",
  ...[0, 1, 2, 3, 4, 5, 6].map((i) => `div-${i}`),
];

/** How scales are read aloud that are written in symbols. @type {Record<string, string>} */
const SPOKEN = {
  sqrt_d_k: "divide by the square root of d_k",
  d_k: "divide by d_k",
  custom: "multiply by a number of your own",
};

/** What the setting is compared with: the factor, or none where it stands. @param {Setting} setting @returns {Setting} */
function withOther(setting) {
  return { ...setting, scale: setting.scale === "sqrt_d_k" ? "none" : "sqrt_d_k", offsets: [] };
}

/** A part that is folded until it is wanted. @param {string} title @param {...Node} inner */
function fold(title, ...inner) {
  const details = tag(
    "details.ac-lab-fold",
    tag("summary", title),
    tag("div.ac-folded", ...inner),
  );
  return details;
}

/** Buttons that set several things; the one that stands is marked. @param {Shell} shell @param {{text: string, hint: string, set: Record<string, any>}[]} presets */
function addPresets(shell, presets) {
  const row = tag("div.ac-presets", {
    role: "group",
    "aria-label": "Settings to start from",
  });
  const buttons = presets.map(({ text, hint, set }) => {
    const button = buttonControl(text, () => shell.set({ ...set, offsets: [] }));
    button.append(tag("small", ...formula(hint)));
    button.setAttribute("aria-label", `${text}: ${hint}`);
    row.append(button);
    return button;
  });
  shell.controls.append(row);
  return () =>
    presets.forEach(({ set }, i) => {
      const on = String(
        Object.entries(set).every(([name, value]) => shell.get(name) === value),
      );
      if (buttons[i].getAttribute("aria-pressed") !== on)
        buttons[i].setAttribute("aria-pressed", on);
    });
}

/** Width and scale, which stay in view. @param {Shell} shell */
function addStrip(shell) {
  const strip = tag("div.ac-strip");
  shell.controls.append(strip);
  shell.add(widthControl(shell.limits, true), "d_k", strip);
  const scale = radioControl({
    label: "Scale of the dot products",
    options: choices(shell.limits.scale).map((one) => ({ ...one, spoken: SPOKEN[one.value] })),
  });
  for (const span of scale.element.querySelectorAll("span"))
    span.replaceChildren(...formula(span.textContent ?? ""));
  shell.add(scale, "scale", strip);
  const factor = shell.offer("scale_value", "Multiply by", { log: true, entry: true }, strip);
  factor.element.classList.add("ac-factor");
  return () => void (factor.element.hidden = shell.get("scale") !== "custom");
}

/** @param {Shell} shell */
function moreControls(shell) {
  const inner = tag("div.ac-more-controls");
  shell.offer("n_keys", "Number of keys", {}, inner);
  shell.offer("spread", "Query spread", { log: true, entry: true }, inner);
  const formats = choices(shell.limits.number_format);
  shell.add(radioControl({ label: "Number format", options: formats }), "number_format", inner);
  const format = (/** @type {number} */ i) => (i < 0 ? "a typical one" : String(i));
  shell.offer("query", "Shown query", { format }, inner);
  shell.add(numberControl({ label: "Seed", ...range(shell.limits.seed) }), "seed", inner);
  return fold("More controls: keys, spread, number format, query, seed", inner);
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
export function renderFull({ model, el }) {
  const shell = createShell(model, el, { title: "Saturation lab", controls: "above" });
  shell.root.classList.add("ac-lab", "ac-lab-full");
  /** @type {import("./maths.js").Sizes} */
  const sizes = model.get("sizes");
  const store = makeStore(sizes, shell.refresh);
  /** @type {ReturnType<typeof makeGhost<{numbers: Numbers}>>} */
  const ghost = makeGhost();
  const plain = /** @type {Setting} */ ({
    ...model.get("initial"),
    scale: "none",
    offsets: [],
  });

  const question = makeQuestion({
    text: "Without the factor, from which width d_k on are more than half of the queries dead?",
    min: shell.limits.d_k.min,
    max: sizes.width,
    begin() {
      shell.set(plain);
      shell.refresh();
    },
    answer(table) {
      const found =
        widthStops(sizes.width).find(
          (d_k) => store.numbers(table, { ...plain, d_k }).batch.dead > 0.5,
        ) ?? sizes.width;
      shell.set({ d_k: found });
      return found;
    },
    say: (guess, answer) =>
      `From d_k = ${answer} on: ${howManyTimes(guess, answer)}. The lab shows it; now divide by √d_k.`,
  });
  shell.controls.before(question.element);
  const markPreset = addPresets(shell, model.get("presets") ?? []);
  const arrange = addStrip(shell);

  const hosts = Array.from({ length: 4 }, () => tag("div.ac-panel"));
  const [scores, weights, queries, gradients] = hosts.map(drawChart);
  const otherIs = tag("span");
  const dead = tag("b");
  const key = tag(
    "p.ac-lab-key",
    tag("span", tag("span.ac-line-key", { "aria-hidden": "true" }), " line: ", otherIs),
    " ",
    tag(
      "span",
      tag("span.ac-dots", { "aria-hidden": "true" }),
      " dotted: before the last change",
    ),
    " ",
    tag("span", "Stronger blue: larger gradient."),
    " ",
    tag(
      "span",
      tag("span.ac-cross", { "aria-hidden": "true" }, "×"),
      "\u00a0and\u00a0grey: ",
      dead,
      ` of ${sizes.queries} queries dead. The norm of their softmax Jacobian is below ${sizes.dead}.`,
    ),
  );
  /** @type {Numbers | null} */
  let latest = null;
  const keys = makeKeys((at, score) => {
    const base = latest?.shown.base[at] ?? 0;
    const offsets = Array.from(
      { length: Math.max(at + 1, shell.get("offsets").length) },
      (_, j) => shell.get("offsets")[j] ?? 0,
    );
    offsets[at] = score === null || !Number.isFinite(base) ? 0 : score - base;
    while (offsets.length && offsets[offsets.length - 1] === 0) offsets.pop();
    shell.set({ offsets });
  });
  const jacobian = makePanel("jacobian");
  const one = fold(
    "One query: drag its scores, watch its weights and its Jacobian",
    tag("div.ac-panels.ac-two", keys.panel.element, jacobian.element),
  );
  const figures = makeFigures(sizes);
  const waiting = tag("div.ac-waiting", "Drawing 1.2 million random numbers …");
  const grid = tag(
    "div.ac-all",
    tag("div.ac-panels.ac-three", ...hosts.slice(0, 3)),
    key,
    tag("div.ac-panels", hosts[3]),
    one,
    fold("All the numbers", tag("div.ac-figures-frame", figures.table)),
  );
  shell.picture.append(waiting, grid);
  shell.picture.after(moreControls(shell), shell.buttons);
  shell.buttons.firstElementChild?.addEventListener("click", () => {
    question.forget();
    ghost.forget();
  });
  one.open = (model.get("offsets") ?? []).length > 0;

  const stops = widthStops(sizes.width);
  let touched = false; // whoever only reads past needs no numbers in advance
  for (const event of ["pointerover", "focusin"])
    shell.root.addEventListener(event, () => (touched ||= (shell.refresh(), true)));

  /** @type {Record<string, string>} */
  let ink = {};
  let [theme, size, tall, wide, pause] = ["", "", 0, 0, 0];
  /** @type {ReturnType<typeof views>} */
  let view;
  const views = () => ({
    scores: scoresView(sizes, tall),
    weights: weightsView(tall),
    queries: queriesView(sizes, tall),
    gradients: gradientsView(sizes, 210),
  });
  const measure = new ResizeObserver(() => {
    size = "";
    shell.refresh();
  });
  measure.observe(grid);
  one.addEventListener("toggle", () => {
    size = "";
    shell.refresh();
  });

  shell.onDestroy(() => {
    clearTimeout(pause);
    measure.disconnect();
    store.end();
    keys.end();
    for (const chart of [scores, weights, queries, gradients]) chart.destroy();
  });

  shell.show(() => {
    arrange();
    markPreset();
    const setting = /** @type {Setting} */ (shell.state());
    const table = store.table(setting);
    if (!table) shell.picture.setAttribute("aria-busy", "true");
    waiting.hidden = table !== null || latest !== null;
    grid.style.visibility = latest || table ? "" : "hidden";
    if (!table) return;
    question.tell(table);
    const numbersOf = (/** @type {Setting} */ of) => store.numbers(table, of);
    const numbers = (latest = numbersOf(setting));
    if (!size) {
      size = "known";
      wide = hosts[2].clientWidth;
      const now = shell.root.clientWidth < 600 ? 124 : 170;
      if (now !== tall) [tall, view] = [now, ((tall = now), views())];
      for (const panel of [keys.panel, jacobian]) panel.resize();
    }
    const name = JSON.stringify(setting);
    const before = ghost.before(name, { numbers });
    const shown = { numbers, other: numbersOf(withOther(setting)), ghost: before?.numbers };
    scores.update(view.scores(shown), "histogram of all scores, on an axis that stays.");
    const which = `Weights of ${setting.query < 0 ? "typical " : ""}query ${numbers.shown.query}`;
    weights.update(view.weights(shown, which), "weights of one query, the largest first.");
    queries.update(
      view.queries(numbers, wide, "The gradient of each query"),
      "the gradient of each query.",
    );
    gradients.update(
      view.gradients(shown),
      "histogram of gradient norms, on a logarithmic axis.",
    );
    shell.picture.setAttribute("aria-busy", "false");
    figures.fill(numbers);
    const other =
      setting.scale === "sqrt_d_k" ? "the same without the factor" : "the same divided by √d_k";
    if (otherIs.dataset.text !== other) {
      otherIs.dataset.text = other;
      otherIs.replaceChildren(...formula(other));
    }
    const count = String(Math.round(numbers.batch.dead * sizes.queries));
    if (dead.textContent !== count) dead.textContent = count;
    if (one.open) {
      if (theme !== shell.root.dataset.acTheme || !ink.paper) {
        theme = shell.root.dataset.acTheme ?? "light";
        ink = Object.fromEntries(INK.map((name) => [name, shell.colour(name)]));
      }
      keys.draw(numbers, ink);
      drawJacobian(jacobian, numbers, ink);
      clearTimeout(pause);
      pause = window.setTimeout(() => {
        jacobian.canvas.setAttribute(
          "aria-label",
          `Jacobian of query ${numbers.shown.query} as a heat map, from minus a quarter to a quarter; its norm is ${formatNumber(numbers.shown.jacobian_norm)}.`,
        );
      }, 200);
    }
    shell.say(sentence(numbers, setting, sizes.queries));
    if (touched)
      store.foresee(
        table,
        stops.flatMap((d_k) => [{ ...setting, d_k }, withOther({ ...setting, d_k })]),
      );
  });
  return shell.destroy;
}
