// Plays the drawing of a model: its groups light up, and its numbers appear, step by step.
import { buttonControl, radioControl, selectControl, sliderControl } from "../kit/controls.js";
import { tag } from "../kit/elements.js";
import { wrong } from "../kit/limits.js";
import { player } from "../kit/player.js";
import { createShell } from "../kit/shell.js";
import { compute } from "./maths.js";
import { barsPath, cellText, fill, lookUp } from "./words.js";

const PAUSE = 4000; // for each step, in ms

/**
 * @typedef {{name: string, lit: string, says: string | Record<string, string>}} Step
 * @typedef {object} Plan
 * @property {string} title
 * @property {string} drawing an SVG with slots
 * @property {string} kind
 * @property {any} inputs
 * @property {Step[]} steps
 * @property {string} ask
 * @property {string[]} words
 * @property {string} factor what the scores can be multiplied by; nothing where they cannot
 */

/** The groups that each step lights. @param {Step[]} steps @param {Record<string, any>} values */
function litGroups(steps, values) {
  return steps.map(({ lit }) => new Set(fill(lit, values).split(" ")));
}

/** Write the numbers into the drawing. @param {Element} drawing @param {Record<string, any>} values */
function write(drawing, values) {
  const all = (/** @type {string} */ kind) =>
    /** @type {SVGElement[]} */ ([...drawing.querySelectorAll(`[data-${kind}]`)]);
  for (const place of all("v")) {
    const path = place.dataset.v ?? "";
    const value = lookUp(values, path);
    place.textContent = cellText(value);
    if (typeof value === "number") tell(place, { readout: path, value: String(value) });
  }
  for (const bar of all("fill")) {
    const frame = /** @type {Element} */ (bar.previousElementSibling);
    const [y, high] = ["y", "height"].map((name) => Number(frame.getAttribute(name)));
    const tall = high * lookUp(values, bar.dataset.fill ?? "");
    bar.setAttribute("height", String(tall));
    bar.setAttribute("y", String(y + high - tall));
  }
  for (const path of all("bars")) {
    const [wide, high] = (path.dataset.size ?? "").split(" ").map(Number);
    const name = path.dataset.bars ?? "";
    const limit = Math.max(...lookUp(values, name.split(".")[0]).flat(3).map(Math.abs));
    path.setAttribute("d", barsPath(lookUp(values, name), limit, wide, high));
    tell(path, { vector: name, values: JSON.stringify(lookUp(values, name)) });
  }
  for (const path of all("width"))
    path.setAttribute(
      "stroke-width",
      String(0.8 + 5 * lookUp(values, path.dataset.width ?? "")),
    );
}

/** Leave the exact numbers in the markup, of what is shown by now. @param {SVGElement} place @param {Record<string, string>} exact */
function tell(place, exact) {
  const later = place.closest(".ac-later");
  for (const [name, text] of Object.entries(exact))
    later ? delete place.dataset[name] : (place.dataset[name] = text);
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  /** @type {Plan} */
  const plan = model.get("plan");
  const { steps, words } = plan;
  const last = steps.length - 1;
  const shell = createShell(model, el, { title: plan.title });
  shell.root.classList.add("ac-stepper");
  const slider = sliderControl({
    label: "Step",
    min: 0,
    max: last,
    step: 1,
    format: (i) => `${i} of ${last}: ${steps[i]?.name ?? "?"}`,
  });
  shell.add(slider, "step");

  const now = () => Number(shell.get("step")) || 0;
  const go = (/** @type {number} */ step) =>
    shell.set({ step: Math.max(0, Math.min(last, step)) });
  const { button: play, pause, giveWay } = player({ now, last, go, wait: PAUSE });
  const by = (/** @type {() => void} */ move) => () => {
    pause();
    move();
  };
  const buttons = [
    buttonControl(
      "‹ Back",
      by(() => go(now() - 1)),
    ),
    play,
    buttonControl(
      "Forward ›",
      by(() => go(now() + 1)),
    ),
  ];
  shell.controls.append(tag("div.ac-stepper-buttons", ...buttons));
  slider.input.addEventListener("input", pause);
  shell.onDestroy(pause);
  // Arrow keys step from the buttons too; fields have keys of their own.
  const keys = /** @type {Record<string, () => number>} */ ({
    ArrowLeft: () => now() - 1,
    ArrowRight: () => now() + 1,
    Home: () => 0,
    End: () => last,
  });
  shell.root.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (
      !(event.key in keys) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.matches("input, select")
    )
      return;
    event.preventDefault();
    by(() => go(keys[event.key]()))();
  });

  if (plan.ask)
    shell.add(
      selectControl({
        label: plan.ask,
        options: words.map((text, value) => ({ value, text: `${value + 1} ${text}` })),
      }),
      "word",
    );
  const scales = [
    { value: "none", text: "none" },
    { value: "sqrt_d_k", text: plan.factor },
  ];
  if (plan.factor) shell.add(radioControl({ label: "Factor", options: scales }), "scale");

  const drawing = new DOMParser().parseFromString(plan.drawing, "text/html").body
    .firstElementChild;
  if (!drawing) throw new Error("the stepper has no drawing");
  shell.picture.append(drawing);
  const groups = /** @type {SVGElement[]} */ ([...drawing.querySelectorAll("[data-g]")]);

  shell.show(() => {
    const { step, word, scale } = shell.state();
    if (step > last) throw wrong("step", `a whole number from 0 to ${last}`, step);
    if (plan.ask && word >= words.length)
      throw wrong("word", `a whole number from 0 to ${words.length - 1}`, word);
    giveWay();
    const values = compute(plan, word, scale);
    const lit = litGroups(steps, values);
    for (const group of groups) {
      const name = group.dataset.g ?? "";
      const first = lit.findIndex((names) => names.has(name));
      group.classList.toggle("ac-later", first > step);
      group.classList.toggle("ac-lit", lit[step].has(name));
    }
    write(drawing, values);
    const { says } = steps[step];
    shell.picture.dataset.step = String(step);
    shell.say(fill(typeof says === "string" ? says : says[scale], values));
  });
  return shell.destroy;
}

export default { render };
