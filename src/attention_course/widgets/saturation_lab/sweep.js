// Median and mean gradient against d_k, for the other settings as they are.
import { drawChart } from "../chart/chart.js";

const LOWEST = 1e-10;

/**
 * @typedef {import("./maths.js").Setting} Setting
 * @typedef {import("./maths.js").Numbers} Numbers
 * @typedef {import("../chart/layout.js").Series} Series
 */

/** What the curve depends on. @param {Setting} setting */
function nameOf({ n_keys, scale, scale_value, spread, number_format, seed }) {
  return JSON.stringify([
    n_keys,
    scale,
    scale === "custom" && scale_value,
    spread,
    number_format,
    seed,
  ]);
}

/**
 * The panel. The curve is computed between frames, one d_k at a time.
 * @param {HTMLElement} host @param {number} most the largest d_k @param {number} height @param {() => void} ready
 */
export function makeSweep(host, most, height, ready) {
  const chart = drawChart(host);
  const widths = Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, i) => 2 ** i);
  const ticks = widths.filter((_, i) => i % 2 === 0);
  /** @type {import("../chart/scale.js").Axis[]} */
  const [x, y] = [
    {
      type: "log",
      range: [1, most],
      title: "width d_k",
      ticks: ticks.map((at) => ({ at, text: String(at) })),
    },
    { type: "log", range: [LOWEST, 100], title: "norm of the gradient" },
  ];
  let [name, wanted, timer] = ["", "", 0];
  /** @type {Series[]} */
  let series = [];
  /** @type {Series[]} Until there are numbers, the names alone take their room. */
  let faded = ["median", "mean"].map((name) => ({
    kind: "line",
    name,
    label: true,
    x: [],
    y: [],
  }));

  /** @param {(setting: Setting) => Numbers} numbersOf @param {Setting} setting */
  const compute = (numbersOf, setting) => {
    const goal = nameOf(setting);
    if (goal === wanted) return;
    wanted = goal;
    clearTimeout(timer);
    /** @type {Numbers["batch"][]} */
    const found = [];
    const next = () => {
      found.push(
        numbersOf({ ...setting, query: 0, offsets: [], d_k: widths[found.length] }).batch,
      );
      if (found.length < widths.length) {
        timer = window.setTimeout(next, 4);
        return;
      }
      /** @param {"median" | "mean"} one @param {Partial<Series>} look @returns {Series} */
      const line = (one, look) => ({
        kind: "line",
        name: one,
        label: true,
        colour: { role: "query" },
        x: widths,
        y: found.map((batch) => batch[`gradient_norm_${one}`]),
        ...look,
      });
      series = [line("median", { marker: "circle" }), line("mean", { dash: "dash" })];
      faded = series.map((one) => ({ ...one, opacity: 0.35 }));
      name = goal;
      ready();
    };
    timer = window.setTimeout(next, 150);
  };
  return {
    /** @param {(setting: Setting) => Numbers} numbersOf @param {Setting} setting */
    draw(numbersOf, setting) {
      compute(numbersOf, setting);
      chart.update({
        title: "The same gradient at every width",
        x,
        y,
        height,
        plain: true,
        series: name === nameOf(setting) ? series : faded,
        rules: [{ axis: "x", at: setting.d_k, dash: "" }],
      });
    },
    end() {
      clearTimeout(timer);
      chart.destroy();
    },
  };
}
