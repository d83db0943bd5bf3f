// `explore`: sliders, the stored chart of what they say, and its sentence.
import { drawChart } from "../chart/chart.js";
import { sliderControl } from "../kit/controls.js";
import { player, still, stillNote } from "../kit/player.js";
import { createShell } from "../kit/shell.js";
import { chartOf, placeOf } from "./maths.js";

/**
 * @typedef {import("../kit/shell.js").Model} Model
 * @typedef {import("./maths.js").Spec} Spec
 * @typedef {import("./maths.js").ControlSpec} ControlSpec
 */

// Shorter than the pause after which a sentence is read out: one is heard at the end.
const PAUSE = 650; // for each stop, in ms

/**
 * The model with one name for each control in place of `chosen`, so that links read
 * `#loss?d_k=64` and reset and the controls need to know nothing of the dictionary.
 * @param {Model} model @param {string[]} names @returns {Model}
 */
export function spreadChosen(model, names) {
  /** @type {Record<string, any>} */
  let waiting = {};
  const inner = (/** @type {string} */ event) =>
    names.includes(event.replace("change:", "")) ? "change:chosen" : event;
  return {
    get(name) {
      if (name === "initial") return { ...model.get("initial")?.chosen };
      if (!names.includes(name)) return model.get(name);
      return { ...model.get("chosen"), ...waiting }[name];
    },
    set(name, value) {
      if (names.includes(name)) waiting[name] = value;
      else model.set(name, value);
    },
    save_changes() {
      if (Object.keys(waiting).length) {
        const next = { ...model.get("chosen"), ...waiting };
        waiting = {};
        model.set("chosen", next);
      }
      model.save_changes();
    },
    on: (event, react) => model.on(inner(event), react),
    off: (event, react) => model.off(event ? inner(event) : event, react),
  };
}

/** A slider over the stops of a control. @param {ControlSpec} control */
function stopsSlider(control) {
  const { label, numbers } = control;
  const slider = sliderControl({
    label,
    min: 0,
    max: numbers.length - 1,
    step: 1,
    format: (place) => String(numbers[place]),
  });
  const set = (/** @type {any} */ value) => {
    try {
      slider.set(placeOf(control, value));
    } catch {
      slider.set(String(value)); // the widget says in its place what is wrong
    }
  };
  const onInput = (/** @type {(value: any) => void} */ react) =>
    slider.onInput((place) => react(numbers[place]));
  return { element: slider.element, input: slider.input, set, onInput };
}

/** Under the sliders the button that plays one of them, if the widget names one. @param {Spec} spec @param {ReturnType<typeof createShell>} shell */
function addPlay(spec, shell) {
  const control = spec.controls.find(({ name }) => name === spec.play);
  if (!control) return null;
  const made = player({
    now: () => placeOf(control, shell.get(control.name)),
    last: control.numbers.length - 1,
    go: (place) => shell.set({ [control.name]: control.numbers[place] }),
    wait: PAUSE,
    byHand: still(),
  });
  shell.buttons.prepend(made.button);
  if (still()) shell.buttons.append(stillNote());
  shell.onDestroy(made.pause);
  return made;
}

/** @param {{model: Model, el: HTMLElement}} place */
function render({ model: whole, el }) {
  const spec = /** @type {Spec} */ (whole.get("spec"));
  if (!spec?.controls || !spec.charts) {
    const told = `spec must hold controls and charts, got ${JSON.stringify(spec)?.slice(0, 60)}`;
    const shell = createShell(whole, el, { title: "Explore", state: [] });
    shell.show(() => {
      throw new Error(told);
    });
    return shell.destroy;
  }
  const names = spec.controls.map((control) => control.name);
  const shell = createShell(spreadChosen(whole, names), el, {
    title: spec.name,
    state: names,
    controls: "left",
  });
  const heading = /** @type {HTMLElement} */ (shell.root.querySelector(".ac-title"));
  const chart = drawChart(shell.picture);
  for (const control of spec.controls) shell.add(stopsSlider(control), control.name);
  const played = addPlay(spec, shell);
  shell.onDestroy(chart.destroy);
  shell.show(() => {
    const shown = chartOf(spec, whole.get("chosen"));
    heading.textContent = shown.title || spec.name;
    chart.update(
      { ...shown, title: "", note: "Stored with five digits." },
      heading.textContent,
    );
    played?.giveWay();
    shell.say(shown.sentence);
  });
  return shell.destroy;
}

export default { render };
