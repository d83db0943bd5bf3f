// The stored charts of `explore`: packed arrays to numbers, chosen values to a chart.

/**
 * @typedef {import("../chart/layout.js").Chart} Chart
 * @typedef {{name: string, label: string, kind: "slider" | "select" | "checkbox",
 *   labels: string[], numbers: number[] | null, whole: boolean}} ControlSpec
 * @typedef {[string, number, number, number, number]} Packed format, first byte, length, low, step
 * @typedef {{templates: any[], charts: [number, string, string, number[]][], arrays: Packed[],
 *   data: string}} Stored
 * @typedef {Stored & {name: string, live: boolean, precision: number, controls: ControlSpec[], play?: string}} Spec
 * @typedef {Record<string, any>} Chosen
 */

/** Bytes of a base64 text. @param {string} text */
export function bytesOf(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** A half-precision float from its 16 bits. @param {number} bits */
export function halfFloat(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * One array; null where there is no value.
 * @param {Uint8Array} bytes @param {Packed} packed @returns {(number | null)[]}
 */
export function unpackArray(bytes, [format, first, count, low, step]) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + first, count * Number(format[1]));
  return Array.from({ length: count }, (_, i) => {
    if (format === "u1") return fromStep(view.getUint8(i), 255, low, step);
    if (format === "u2") return fromStep(view.getUint16(2 * i, true), 65535, low, step);
    const value = format === "f2" ? halfFloat(view.getUint16(2 * i, true)) : view.getFloat32(4 * i, true);
    return Number.isNaN(value) ? null : value;
  });
}

/** @param {number} stored @param {number} missing @param {number} low @param {number} step */
function fromStep(stored, missing, low, step) {
  return stored === missing ? null : low + stored * step;
}

/**
 * The charts of a stored table, unpacked when they are asked for.
 * @param {Stored} stored
 */
export function openCharts(stored) {
  const bytes = bytesOf(stored.data);
  /** @type {Map<number, (number | null)[]>} */
  const known = new Map();
  const array = (/** @type {number} */ id) => {
    const found = known.get(id) ?? unpackArray(bytes, stored.arrays[id]);
    known.set(id, found);
    return found;
  };
  return (/** @type {number} */ at) => {
    const [template, title, sentence, ids] = stored.charts[at];
    const skeleton = stored.templates[template];
    const series = skeleton.series.map((/** @type {any} */ one) => fillSeries(one, (slot) => array(ids[slot])));
    return { chart: /** @type {Chart} */ ({ ...skeleton, title, series }), sentence };
  };
}

const ARRAYS = ["x", "y", "low", "high", "z"];

/** @param {any} series @param {(slot: number) => (number | null)[]} read */
function fillSeries(series, read) {
  const filled = { ...series };
  for (const name of ARRAYS) {
    if (name in series) filled[name] = read(series[name]);
  }
  if (filled.digits !== undefined) {
    filled.text = filled.z.map((/** @type {number | null} */ v) => (v === null ? "" : v.toFixed(filled.digits).replace("-", "−")));
  }
  return filled;
}

/**
 * The place of a value on a control: a fraction between two stops of a slider.
 * @param {ControlSpec} control @param {any} value
 */
export function placeOf(control, value) {
  const { kind, labels, numbers } = control;
  if (kind === "checkbox" && typeof value === "boolean") return Number(value);
  if (kind === "select" && labels.includes(String(value))) return labels.indexOf(String(value));
  if (kind === "slider" && numbers && typeof value === "number") {
    const exact = numbers.findIndex((n) => Math.abs(n - value) <= 1e-9 * Math.abs(n));
    if (exact >= 0) return exact;
    const after = numbers.findIndex((n) => n > value);
    if (after > 0) return after - 1 + (value - numbers[after - 1]) / (numbers[after] - numbers[after - 1]);
  }
  const known = labels.length > 8 ? [...labels.slice(0, 4), "...", ...labels.slice(-2)] : labels;
  throw new Error(`${control.name} must be one of ${known.join(", ")}, got ${JSON.stringify(value)}`);
}

/** The value at a place, as JSON holds it. @param {ControlSpec} control @param {number} place */
export function valueAt(control, place) {
  const { kind, labels, numbers, whole } = control;
  if (kind === "checkbox") return place >= 0.5;
  if (kind === "select" || !numbers) return labels[Math.round(place)];
  const low = Math.floor(place);
  if (low === place) return numbers[low];
  const value = numbers[low] + (place - low) * (numbers[low + 1] - numbers[low]);
  return whole ? Math.round(value) : Number(value.toPrecision(6));
}

/** How a value is written beside its slider. @param {ControlSpec} control @param {number} place */
export function labelAt(control, place) {
  return place === Math.floor(place) ? control.labels[place] : String(valueAt(control, place));
}

/**
 * The stored combination nearest to what is chosen, and whether it is exactly that.
 * @param {ControlSpec[]} controls @param {Chosen} chosen
 */
export function findCombination(controls, chosen) {
  let at = 0;
  let exact = true;
  const nearest = controls.map((control) => {
    const place = placeOf(control, chosen[control.name]);
    const stop = Math.floor(place + 0.5);
    at = at * control.labels.length + stop;
    if (stop !== place) exact = false;
    return `${control.label} = ${control.labels[stop]}`;
  });
  return { at, exact, nearest: nearest.join(", ") };
}
