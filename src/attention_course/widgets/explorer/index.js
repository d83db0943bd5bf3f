// `explore`: controls, the stored chart of what they say, and its sentence. With a kernel and
// `live`, sliders also stop in between: Python computes those charts.
import { drawChart } from "../chart/chart.js";
import { findCombination, labelAt, openCharts, placeOf, valueAt } from "./decode.js";
import { formatNumber } from "../kit/numbers.js";
import { checkControl, selectControl, sliderControl } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { player, still } from "../kit/player.js";
import { createShell } from "../kit/shell.js";

/**
 * @typedef {import("../kit/shell.js").Model} Model
 * @typedef {import("./decode.js").Spec} Spec
 * @typedef {import("./decode.js").ControlSpec} ControlSpec
 */

const ANSWER_WITHIN = 4000;
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
  const slider = sliderControl({
    label: control.label, min: 0, max: control.labels.length - 1, step: 1,
    format: (place) => labelAt(control, place),
  });
  const set = (/** @type {any} */ value) => {
    try {
      slider.set(placeOf(control, value));
    } catch {
      slider.set(String(value)); // the widget says in its place what is wrong
    }
  };
  const onInput = (/** @type {(value: any) => void} */ react) => slider.onInput((place) => react(valueAt(control, place)));
  return { element: slider.element, input: slider.input, set, onInput };
}

/** @param {ControlSpec} control */
function makeControl(control) {
  if (control.kind === "checkbox") return checkControl({ label: control.label });
  if (control.kind === "select") return selectControl({ label: control.label, options: control.labels });
  return stopsSlider(control);
}

/** Under the controls the button that plays one of them, if the widget names one. @param {Spec} spec @param {ReturnType<typeof createShell>} shell */
function addPlay(spec, shell) {
  const control = spec.controls.find(({ name }) => name === spec.play);
  if (!control) return null;
  const made = player({
    now: () => placeOf(control, shell.get(control.name)),
    last: control.labels.length - 1,
    go: (place) => shell.set({ [control.name]: valueAt(control, place) }),
    wait: PAUSE,
    byHand: still(),
  });
  shell.buttons.prepend(made.button);
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
  const model = spreadChosen(whole, names);
  const shell = createShell(model, el, { title: spec.name, state: names, controls: "left" });
  const heading = /** @type {HTMLElement} */ (shell.root.querySelector(".ac-title"));
  const chart = drawChart(shell.picture);
  const note = make("p", "ac-explore-note", { hidden: true });
  shell.readout.before(note);
  const read = openCharts(spec);
  const controls = spec.controls.map((control) => ({ control, made: shell.add(makeControl(control), control.name) }));
  const played = addPlay(spec, shell);
  let alive = false;
  let asked = 0;

  const between = () => {
    const answer = whole.get("computed");
    const [now, then] = [whole.get("chosen"), answer?.chosen ?? {}];
    if (names.some((name) => now[name] !== then[name])) return null;
    if (answer.error) throw new Error(answer.error);
    return openCharts(answer)(0);
  };

  const draw = () => {
    const found = findCombination(spec.controls, whole.get("chosen"));
    const computed = found.exact ? null : between();
    const shown = computed ?? read(found.at);
    heading.textContent = shown.chart.title || spec.name;
    const told = `Stored to within ${formatNumber(100 * spec.precision, 1)} % of the range of each column.`;
    chart.update({ ...shown.chart, title: "", note: told }, heading.textContent ?? "");
    const stale = !found.exact && !computed;
    note.hidden = !stale;
    clearTimeout(asked);
    played?.giveWay();
    if (stale) {
      note.textContent = alive ? "Computing …" : "";
      // A kernel that is busy or gone leaves the nearest stored chart, and says so.
      const admit = () => void (note.textContent = `Nearest stored values: ${found.nearest}.`);
      if (alive) asked = window.setTimeout(admit, ANSWER_WITHIN);
      else admit();
    }
    shell.say(shown.sentence);
  };

  const greet = () => {
    alive = spec.live && whole.get("hello") !== "" && whole.get("alive") === whole.get("hello");
    for (const { control, made } of controls) {
      if (control.kind === "slider") /** @type {HTMLInputElement} */ (made.input).step = alive ? String(fineStep(control)) : "1";
    }
  };
  if (spec.live) {
    whole.on("change:alive", greet);
    shell.onDestroy(() => whole.off("change:alive", greet));
    whole.set("hello", Math.random().toString(36).slice(2));
    whole.save_changes();
  }
  shell.onDestroy(() => clearTimeout(asked));
  shell.onDestroy(chart.destroy);
  shell.show(draw, ["computed"]);
  return shell.destroy;
}

/** Ten places between two stops; fewer where whole numbers leave no room. @param {ControlSpec} control */
export function fineStep(control) {
  const numbers = control.numbers ?? [];
  const widest = Math.max(1, ...numbers.slice(1).map((n, i) => n - numbers[i]));
  return control.whole ? 1 / Math.min(16, Math.max(1, Math.round(widest))) : 0.1;
}

export default { render };
