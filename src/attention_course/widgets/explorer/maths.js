// The stored charts of `explore`: from the sliders' values to the chart of just these.

/**
 * @typedef {import("../chart/layout.js").Chart} Chart
 * @typedef {{name: string, label: string, numbers: number[]}} ControlSpec
 * @typedef {{name: string, controls: ControlSpec[], charts: (Chart & {sentence: string})[], play?: string}} Spec
 */

/** The number of a slider's stop. @param {ControlSpec} control @param {any} value */
export function placeOf({ name, numbers }, value) {
  const place = numbers.indexOf(value);
  if (place < 0)
    throw new Error(
      `${name} must be one of ${numbers.join(", ")}, got ${JSON.stringify(value)}`,
    );
  return place;
}

/** The chart of what is chosen, cells with their texts. @param {Spec} spec @param {Record<string, any>} chosen */
export function chartOf({ controls, charts }, chosen) {
  const chart =
    charts[
      controls.reduce(
        (at, control) => at * control.numbers.length + placeOf(control, chosen[control.name]),
        0,
      )
    ];
  const series = chart.series.map((one) =>
    one.digits === undefined ? one : { ...one, text: texts(one.z ?? [], one.digits) },
  );
  return { ...chart, series };
}

/** @param {(number | null)[]} z @param {number} digits */
function texts(z, digits) {
  return z.map((v) => (v === null ? "" : v.toFixed(digits).replace("-", "−")));
}
