// Turn the temperature: scores are divided by it before the softmax, and the weights spread.
import { wrong } from "../kit/limits.js";
import { drawChart } from "../chart/chart.js";
import { tidyNumber } from "../chart/scale.js";
import { formatNumber } from "../kit/numbers.js";
import { tableWith, tag } from "../kit/elements.js";
import { numberField } from "../kit/field.js";
import { createShell } from "../kit/shell.js";
import { namesOf, quoted, sweep, tell, temper, weightText } from "./maths.js";

/**
 * @typedef {import("../kit/shell.js").Model} Model
 * @typedef {{line: HTMLElement, input: HTMLInputElement, show: (state: Shown) => void}} Row
 * @typedef {{score: number, scaled: number, reach: [number, number], weight: number, rest: number}} Shown
 */

/** A cell with a bar behind its number. @param {string} role */
function barCell(role) {
  const bar = tag("span", { class: `ac-temp-bar ac-temp-${role}` });
  const text = tag("span.ac-temp-number");
  const cell = tag("td.ac-temp-cell", tag("span.ac-temp-track", bar), text);
  return {
    cell,
    /** From zero to the value, on a track from `low` to `high`. */
    show(/** @type {number} */ value, /** @type {string} */ words, low = 0, high = 1) {
      const percent = (/** @type {number} */ v) =>
        `${((100 * v) / (high - low || 1)).toFixed(2)}%`;
      bar.style.marginLeft = percent(Math.min(0, value) - low);
      bar.style.width = percent(Math.abs(value));
      text.textContent = words;
      cell.dataset.value = String(value);
    },
  };
}

/** One word: its score to edit, the score over the temperature, its weight. @param {string} word @param {import("../kit/limits.js").Limit} limit @param {(score: number | string) => void} edit @returns {Row} */
function makeRow(word, { min, max }, edit) {
  const field = numberField({
    name: "ac-entry ac-temp-entry",
    min,
    max,
    attributes: { role: "spinbutton", "aria-label": `score of ${word}` },
  });
  const { input, note } = field;
  field.onChange(edit);
  const [scaled, weight] = [barCell("score"), barCell("weight")];
  const line = tag(
    "tr",
    tag("th", { scope: "row" }, word),
    tag("td", input, note),
    scaled.cell,
    weight.cell,
  );
  return {
    line,
    input,
    show(state) {
      field.set(state.score);
      scaled.show(state.scaled, tidyNumber(state.scaled), ...state.reach);
      weight.show(state.weight, weightText(state.weight, state.rest));
    },
  };
}

/** @param {string[]} words @param {number[]} scores @param {number} temperature @param {import("../kit/limits.js").Limit} limit @returns {import("../chart/layout.js").Chart} */
function sweepChart(words, scores, temperature, { min, max }) {
  const x = sweep(min, max);
  const columns = x.map((t) => temper(scores, t).weights);
  const dashes = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
  return {
    title: "Every weight, at every temperature",
    x: { type: "log", range: [min, max], title: "temperature T" },
    y: {
      type: "linear",
      range: [0, 1.14],
      title: "weight α",
      ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: String(at) })),
    },
    series: words.map((name, i) => ({
      kind: "line",
      name,
      label: true,
      colour: { role: "weight" },
      dash: dashes[i % dashes.length],
      x,
      y: columns.map((weights) => weights[i]),
    })),
    rules: [
      {
        axis: "x",
        at: temperature,
        dash: "solid",
        colour: { role: "context" },
        text: `T = ${tidyNumber(temperature)}`,
      },
    ],
  };
}

/** @param {{model: Model, el: HTMLElement}} place */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Turn the temperature", controls: "above" });
  shell.offer("temperature", "Temperature T", {
    log: true,
    entry: true,
    format: (t) => tidyNumber(t),
  });
  const { table, body } = tableWith(".ac-temp-table", ["word", "score e", "e ÷ T", "weight α"]);
  const total = tag("p.ac-temp-total");
  const right = tag("div");
  shell.picture.append(tag("div.ac-temp-frame", tag("div", table, total), right));
  const chart = drawChart(right);
  /** @type {Row[]} */
  let rows = [];

  const rename = (/** @type {string[]} */ words) => {
    rows = words.map((word, i) =>
      makeRow(word, shell.limits.scores.item, (score) =>
        shell.set({
          scores: shell
            .get("scores")
            .map((/** @type {number} */ old, /** @type {number} */ j) =>
              j === i ? score : old,
            ),
        }),
      ),
    );
    body.replaceChildren(...rows.map((row) => row.line));
  };

  let named = "";
  shell.show(() => {
    const { scores, temperature } = shell.state();
    const given = shell.get("words") ?? [];
    if (given.length && given.length !== scores.length)
      throw wrong("words", `${scores.length} words, one for each score`, given);
    const words = namesOf(given, scores);
    if (named !== words.join("\n")) rename(words);
    named = words.join("\n");
    const state = temper(scores, temperature);
    // The bars of the scores are measured against the scores at temperature 1.
    const reach = /** @type {[number, number]} */ ([
      Math.min(0, ...scores),
      Math.max(0, ...scores),
    ]);
    rows.forEach((row, i) => {
      const rest = state.weights.reduce((sum, w, j) => (j === i ? sum : sum + w), 0);
      row.show({
        score: scores[i],
        scaled: state.scaled[i],
        reach,
        weight: state.weights[i],
        rest,
      });
    });
    total.dataset.entropy = String(state.entropy);
    total.dataset.top = String(state.weights[state.top]);
    total.replaceChildren(
      ...figure("entropy", `${formatNumber(state.entropy)} nats`),
      ...figure("top weight", weightText(state.weights[state.top], state.rest)),
    );
    chart.update(sweepChart(words, scores, temperature, shell.limits.temperature));
    shell.say(tell(scores, temperature, quoted(given, scores)));
  }, ["words"]);
  shell.onDestroy(chart.destroy);
  return shell.destroy;
}

/** @param {string} name @param {string} value */
function figure(name, value) {
  return [tag("span.ac-temp-figure", `${name} `, tag("b", value))];
}

export default { render };
