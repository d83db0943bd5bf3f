// Hard choices by the hundred: an estimate of the gradient finds the exact one, or does not.
import { choices, range } from "../kit/limits.js";
import { drawChart } from "../chart/chart.js";
import { bestBaseline, estimate, reinforceVariance } from "./maths.js";
import { formatNumber } from "../kit/numbers.js";
import { numberControl, selectControl, sliderControl } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

/** @typedef {import("./maths.js").State} State */

/** Mean square error of one estimate as a formula gives it; null where there is none. @param {State} state @param {ReturnType<typeof estimate>} now */
export function expectedError({ estimator }, { weights, rewards }) {
  if (estimator === "plain") return reinforceVariance(weights, rewards, 0);
  if (estimator === "best baseline")
    return reinforceVariance(weights, rewards, bestBaseline(weights, rewards));
  return null;
}

/** What is seen, in words. @param {State} state @param {ReturnType<typeof estimate>} now */
export function tell(state, now) {
  const size = Math.hypot(...now.exact);
  const first = `After ${state.samples} choices the mean estimate is ${formatNumber(now.distance)} away from the exact gradient, whose length is ${formatNumber(size)}.`;
  const second = ` One estimate misses it by a mean square of ${formatNumber(now.error)}.`;
  const chance = Math.sqrt(now.error / state.samples);
  const far = now.distance > 3 * chance;
  const third =
    state.estimator === "straight-through"
      ? far
        ? " That is more than chance explains: this estimate is biased."
        : " Chance alone could explain that."
      : ` Chance explains about ${formatNumber(chance)}.`;
  return first + second + third;
}

/** @param {State} state @param {ReturnType<typeof estimate>} now @returns {import("../chart/layout.js").Chart} */
function pathChart(state, now) {
  const formula = expectedError(state, now);
  const spread = formula ?? now.error;
  const falling = now.stops.map((n) => Math.sqrt(spread / n));
  const all = [...now.path, ...falling].filter((x) => x > 0);
  return {
    title: "Distance of the mean estimate from the exact gradient",
    x: { type: "log", range: [1, Math.max(...now.stops)], title: "choices made" },
    y: {
      type: "log",
      range: [Math.min(...all) / 1.5, Math.max(...all) * 1.5],
      title: "distance",
    },
    series: [
      {
        kind: "line",
        name: "by chance",
        label: true,
        colour: { role: "series-2" },
        dash: "dash",
        x: now.stops,
        y: falling,
      },
      {
        kind: "line",
        name: "this run",
        label: true,
        colour: { role: "series-1" },
        x: now.stops,
        y: now.path,
      },
    ],
  };
}

/** @param {ReturnType<typeof estimate>} now */
function tableOf(now) {
  const head = ["choice", "weight", "reward", "chosen", "exact", "mean"].map((name) =>
    make("th", "", { scope: "col" }, name),
  );
  const rows = now.weights.map((w, j) =>
    make(
      "tr",
      "",
      {},
      make("th", "", { scope: "row" }, `${j + 1}`),
      make("td", "", { "data-readout": `weight-${j}`, "data-value": w }, w.toFixed(3)),
      make("td", "", {}, String(Number(now.rewards[j].toFixed(2))).replace("-", "−")),
      make(
        "td",
        "",
        { "data-readout": `count-${j}`, "data-value": now.counts[j] },
        String(now.counts[j]),
      ),
      make(
        "td",
        "",
        { "data-readout": `exact-${j}`, "data-value": now.exact[j] },
        now.exact[j].toFixed(3).replace("-", "−"),
      ),
      make(
        "td",
        "",
        { "data-readout": `mean-${j}`, "data-value": now.mean[j] },
        now.mean[j].toFixed(3).replace("-", "−"),
      ),
    ),
  );
  return [make("thead", "", {}, make("tr", "", {}, ...head)), make("tbody", "", {}, ...rows)];
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Choose, and estimate the gradient" });
  const { estimator, samples, shift, tau, seed } = shell.limits;
  shell.add(selectControl({ label: "Estimate", options: choices(estimator) }), "estimator");
  shell.add(
    sliderControl({ label: "Choices", ...range(samples), format: (n) => String(n) }),
    "samples",
  );
  shell.add(
    sliderControl({
      label: "Add to every reward",
      ...range(shift),
      step: 1,
      format: (x) => String(x).replace("-", "−"),
    }),
    "shift",
  );
  shell.add(
    sliderControl({
      label: "Temperature τ",
      hint: "of straight-through",
      ...range(tau),
      log: true,
    }),
    "tau",
  );
  shell.add(numberControl({ label: "Seed", ...range(seed) }), "seed");

  const table = make("table", "ac-table ac-choice");
  const right = make("div");
  const error = make("span", "ac-offscreen", { "data-readout": "error", "aria-hidden": true });
  const distance = make("span", "ac-offscreen", {
    "data-readout": "distance",
    "aria-hidden": true,
  });
  shell.picture.append(table, right, error, distance);
  const chart = drawChart(right);
  shell.show(() => {
    const state = /** @type {State} */ (shell.state());
    const now = estimate(state);
    table.replaceChildren(...tableOf(now));
    error.dataset.value = String(now.error);
    distance.dataset.value = String(now.distance);
    chart.update(pathChart(state, now));
    shell.say(tell(state, now));
  });
  shell.onDestroy(chart.destroy);
  return shell.destroy;
}

export default { render };
