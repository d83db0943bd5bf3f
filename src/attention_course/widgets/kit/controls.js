// Controls: native and labelled. Each has an element, shows a value, and tells of input.
import { freshId, tag } from "./elements.js";
import { numberField } from "./field.js";

/**
 * @typedef {object} Control
 * @property {HTMLElement} element
 * @property {(value: any) => void} set shows a value; never throws
 * @property {(react: (value: any) => void) => void} onInput
 */

/** Those who want to know of an input. */
function listeners() {
  /** @type {((value: any) => void)[]} */
  const reactions = [];
  return {
    onInput: (/** @type {(value: any) => void} */ react) => void reactions.push(react),
    emit: (/** @type {any} */ value) => reactions.forEach((react) => react(value)),
  };
}

/**
 * A slider with its value beside it, and with `entry` a field for an exact number.
 * Give `values` (steps), or `min`, `max` and `step`, or `min`, `max` and `log`.
 * @param {object} options
 * @param {string} options.label
 * @param {string} [options.hint] a short explanation under the label
 * @param {number[]} [options.values]
 * @param {number} [options.min]
 * @param {number} [options.max]
 * @param {number} [options.step]
 * @param {boolean} [options.log]
 * @param {boolean} [options.entry]
 * @param {{min?: number, max?: number, whole?: boolean}} [options.takes] what the field takes, where it differs from the slider
 * @param {(value: number) => string} [options.format]
 * @returns {Control & {input: HTMLInputElement}}
 */
export function sliderControl({
  label,
  hint,
  values,
  min = 0,
  max = 1,
  step = 0.01,
  log,
  entry,
  takes,
  format = String,
}) {
  const stops = 200;
  const low = values ? values[0] : min;
  const high = values ? values[values.length - 1] : max;
  const toPlace = (/** @type {number} */ value) => {
    if (values) {
      let best = 0;
      values.forEach(
        (v, i) => (best = Math.abs(v - value) < Math.abs(values[best] - value) ? i : best),
      );
      return best;
    }
    return log ? Math.round((stops * Math.log(value / min)) / Math.log(max / min)) : value;
  };
  const toValue = (/** @type {number} */ place) => {
    if (values) return values[place];
    return log ? Number((min * (max / min) ** (place / stops)).toPrecision(3)) : place;
  };
  const id = freshId("slider");
  const input = tag("input.ac-range", {
    type: "range",
    id,
    min: values || log ? 0 : min,
    max: values ? values.length - 1 : log ? stops : max,
    step: values || log ? 1 : step,
  });
  const { onInput, emit } = listeners();
  const field = entry
    ? numberField({
        min: low,
        max: high,
        step: "any",
        ...takes,
        attributes: { role: "spinbutton", "aria-label": `${label}, exact` },
      })
    : null;
  const shown = tag("output.ac-value", { for: id });
  const set = (/** @type {any} */ value) => {
    const known = typeof value === "number" && Number.isFinite(value);
    if (known) input.value = String(toPlace(value));
    const text = known ? format(value) : String(value);
    input.setAttribute("aria-valuetext", text);
    shown.textContent = text;
    field?.set(known ? value : undefined);
  };
  input.addEventListener("input", () => emit(toValue(Number(input.value))));
  field?.onChange(emit);
  const head = tag(
    "div.ac-label-row",
    tag("label.ac-label", { for: id }, label),
    field?.input ?? shown,
  );
  const element = tag("div.ac-control", head, ...(field ? [field.note] : []), input);
  if (hint) {
    const note = tag("div.ac-hint", { id: freshId("hint") }, hint);
    input.setAttribute("aria-describedby", note.id);
    element.append(note);
  }
  return { element, input, set, onInput };
}

/**
 * A field for a number, a whole one where it counts by one.
 * @param {{label: string, min?: number, max?: number, step?: number | "any"}} options
 * @returns {Control & {input: HTMLInputElement}}
 */
export function numberControl({ label, min, max, step = 1 }) {
  const id = freshId("number");
  const field = numberField({
    min,
    max,
    step,
    whole: step === 1,
    attributes: { id, role: "spinbutton" },
  });
  const { input } = field;
  const { onInput, emit } = listeners();
  field.onChange(emit);
  const set = (/** @type {any} */ value) =>
    field.set(typeof value === "number" ? value : undefined);
  const row = tag("div.ac-label-row", tag("label.ac-label", { for: id }, label), input);
  return { element: tag("div.ac-control", row, field.note), input, set, onInput };
}

/**
 * A list to choose from.
 * @param {{label: string, options: (string | {value: any, text: string})[]}} options
 * @returns {Control & {input: HTMLSelectElement}}
 */
export function selectControl({ label, options }) {
  const choices = options.map((option) =>
    typeof option === "object" ? option : { value: option, text: String(option) },
  );
  const id = freshId("select");
  const input = tag("select.ac-select", { id });
  choices.forEach(({ text }, i) => input.append(tag("option", { value: i }, text)));
  const { onInput, emit } = listeners();
  input.addEventListener("input", () => emit(choices[Number(input.value)].value));
  const set = (/** @type {any} */ value) =>
    void (input.selectedIndex = choices.findIndex((choice) => choice.value === value));
  const row = tag("div.ac-label-row", tag("label.ac-label", { for: id }, label), input);
  return { element: tag("div.ac-control", row), input, set, onInput };
}

/**
 * A few choices side by side, one of them on.
 * @param {{label: string, options: {value: any, text: string, spoken?: string}[]}} options
 * @returns {Control}
 */
export function radioControl({ label, options }) {
  const group = freshId("radio");
  const { onInput, emit } = listeners();
  const inputs = options.map(({ value, spoken, text }) => {
    const input = tag("input.ac-radio", {
      type: "radio",
      name: group,
      "aria-label": spoken ?? text,
    });
    input.addEventListener("input", () => emit(value));
    return input;
  });
  const row = tag(
    "div.ac-radios",
    ...inputs.map((input, i) =>
      tag("label.ac-radio-label", input, tag("span", options[i].text)),
    ),
  );
  const element = tag("fieldset.ac-control.ac-fieldset", tag("legend.ac-label", label), row);
  const set = (/** @type {any} */ value) =>
    inputs.forEach((input, i) => (input.checked = options[i].value === value));
  return { element, set, onInput };
}

/**
 * A box to tick.
 * @param {{label: string}} options
 * @returns {Control & {input: HTMLInputElement}}
 */
export function checkControl({ label }) {
  const input = tag("input.ac-check", { type: "checkbox" });
  const { onInput, emit } = listeners();
  input.addEventListener("input", () => emit(input.checked));
  const element = tag("div.ac-control", tag("label.ac-label.ac-check-label", input, label));
  return {
    element,
    input,
    set: (/** @type {any} */ value) => void (input.checked = value === true),
    onInput,
  };
}

/** A button. @param {string} text @param {() => void} press */
export function buttonControl(text, press) {
  const button = tag("button.ac-button", { type: "button" }, text);
  button.addEventListener("click", press);
  return button;
}
