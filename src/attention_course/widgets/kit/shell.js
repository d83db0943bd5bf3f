// The skeleton of every widget: controls, picture, read-out in words, "reset", "copy link".
//
//   const shell = createShell(model, el, { title: "Temperature" });
//   shell.add(sliderControl({ label: "Temperature", values: [0.1, 1, 10] }), "tau");
//   shell.picture.append(...);
//   shell.show(() => { draw(shell.get("tau")); shell.say("In words."); });
//   return shell.destroy;
import { buttonControl, checkControl, selectControl, sliderControl } from "./controls.js";
import { tag } from "./elements.js";
import { checked, choices, range } from "./limits.js";
import { copyText, readHash, writeHash } from "./links.js";
import { watchTheme } from "./theme.js";

/**
 * @typedef {object} Model what anywidget hands to render
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {(event: string, react: () => void) => void} on
 * @property {(event?: string | null, react?: (() => void) | null) => void} off
 * @property {() => void} save_changes
 *
 * @typedef {import("./controls.js").Control} Control
 *
 * @typedef {object} ShellOptions
 * @property {string} title what the widget is called (its accessible name, and its heading)
 * @property {string[]} [state] traits that reset restores and a link carries: those of the trait `initial`, unless given
 * @property {"left" | "above"} [controls] where the controls stand on a wide page
 * @property {boolean} [compact] no heading, no copy link
 */

/**
 * Build the skeleton in `el` and tie it to the model.
 * @param {Model} model
 * @param {HTMLElement} el
 * @param {ShellOptions} options
 */
export function createShell(
  model,
  el,
  {
    title,
    state = Object.keys(model.get("initial") ?? {}),
    controls: side = "left",
    compact = false,
  },
) {
  /** @type {(() => void)[]} */
  const endings = [];
  const root = tag("section", {
    class: `ac-root ac-side-${side}${compact ? " ac-compact" : ""}`,
    "aria-label": title,
  });
  // In JupyterLab the keyboard belongs to the control that has the focus; without this, arrow
  // keys select another cell instead. On the root alone it does nothing: JupyterLab's rule
  // fits the focused element itself, and is looked up there first.
  root.addEventListener("focusin", ({ target }) =>
    /** @type {Element} */ (target).setAttribute("data-lm-suppress-shortcuts", "true"),
  );
  const controls = tag("div.ac-controls", {
    role: "group",
    "aria-label": `${title}: controls`,
  });
  const picture = tag("div.ac-picture");
  const readout = tag("p.ac-readout");
  const heard = tag("div.ac-offscreen", { "aria-live": "polite" });
  const error = tag("div.ac-error", { role: "alert", hidden: true });
  const buttons = tag("div.ac-buttons");
  const stage = tag("div.ac-stage", error, picture, readout);
  if (!compact) root.append(tag("div.ac-title", title));
  const frame = tag("div.ac-frame", tag("div.ac-side", controls, buttons), stage);
  root.append(frame, heard);
  el.replaceChildren(root);

  const get = (/** @type {string} */ name) => model.get(name);
  const set = (/** @type {Record<string, any>} */ values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const listen = (/** @type {string} */ event, /** @type {() => void} */ react) => {
    model.on(event, react);
    endings.push(() => model.off(event, react));
  };
  const stateNow = () => Object.fromEntries(state.map((name) => [name, get(name)]));
  const given = model.get("initial");
  // A copy: later changes must not reach the state that Reset goes back to.
  const first = given && Object.keys(given).length ? given : structuredClone(stateNow());
  /** @type {import("./limits.js").Limits} */
  const limits = model.get("limits") ?? {};
  const key = model.get("key") || title.toLowerCase().replace(/\W+/g, "-");

  const fail = (/** @type {unknown} */ problem) => {
    const message = problem instanceof Error ? problem.message : String(problem);
    // An alert is read out whenever its text is written, even if it is the same.
    if (error.textContent !== message) error.textContent = message;
    error.hidden = false;
    picture.hidden = readout.hidden = true;
  };
  const clear = () => {
    if (error.hidden) return;
    error.hidden = true;
    error.textContent = "";
    picture.hidden = readout.hidden = false;
  };

  // The eye gets every sentence at once; a screen reader gets the last one after a pause.
  let pause = 0;
  let spoken = "";
  const say = (/** @type {string} */ text) => {
    if (readout.textContent === text) return;
    const firstTime = readout.textContent === "";
    readout.textContent = text;
    spoken = text;
    clearTimeout(pause);
    // What widgets say as a page loads would all be read out.
    if (!firstTime) pause = window.setTimeout(() => void (heard.textContent = spoken), 700);
  };
  endings.push(() => clearTimeout(pause));

  // One update a frame, however many events came.
  let wanted = 0;
  /** @type {() => void} */
  let update = () => {};
  const run = () => {
    wanted = 0;
    try {
      update();
      clear();
    } catch (problem) {
      fail(problem);
    }
  };
  const refresh = () => {
    wanted = wanted || requestAnimationFrame(run);
  };
  endings.push(() => cancelAnimationFrame(wanted));

  const fromHash = () => {
    const linked = readHash(location.hash, key, first);
    if (!linked) return;
    set({ ...first, ...linked });
    root.scrollIntoView({ block: "nearest", behavior: "instant" });
  };
  const reset = buttonControl("Reset", () => set(structuredClone(first)));
  buttons.append(reset);
  // In a frame (Colab, VS Code) the address is not the page's: no link could work.
  if (!compact && window.parent === window) {
    const link = buttonControl("Copy link", async () => {
      const hash = writeHash(key, stateNow());
      // Setting location.hash would scroll the page and add a step to Back.
      history.replaceState(history.state, "", hash);
      const copied = await copyText(location.href);
      link.textContent = copied ? "Link copied" : "Link is in the address bar";
      setTimeout(() => void (link.textContent = "Copy link"), 2500);
    });
    link.setAttribute("aria-live", "polite");
    buttons.append(link);
  }
  endings.push(watchTheme(root, refresh));
  const resized = new ResizeObserver(refresh);
  resized.observe(stage);
  endings.push(() => resized.disconnect());

  /** Tie a control to a trait and put it among the controls. @template {Control} T @param {T} control @param {string} name @param {HTMLElement} [place] @returns {T} */
  const add = (control, name, place = controls) => {
    control.onInput((value) => set({ [name]: value }));
    const shown = () => control.set(get(name));
    listen(`change:${name}`, shown);
    shown();
    place.append(control.element);
    return control;
  };

  return {
    root,
    controls,
    picture,
    readout,
    buttons,
    get,
    set,
    limits,
    /** The state now; throws if a value (of a link, say) is not what Python would take. */
    state: () => checked(get, limits, state),
    say,
    fail,
    clear,
    refresh,
    add,
    /** Add the control that a trait's limits ask for: a list, a box or a slider. @param {string} name @param {string} label @param {Partial<Parameters<typeof sliderControl>[0]>} [more] of a slider @param {HTMLElement} [place] */
    offer(name, label, more, place) {
      const limit = limits[name];
      if (limit.kind === "choice")
        return add(selectControl({ label, options: choices(limit) }), name, place);
      if (limit.kind === "flag") return add(checkControl({ label }), name, place);
      const step = limit.kind === "whole" ? { step: 1 } : {};
      return add(sliderControl({ label, ...step, ...range(limit), ...more }), name, place);
    },
    /** Call `draw` now and whenever state, theme or size change. What it throws is shown in place. @param {() => void} draw @param {string[]} [more] further traits to watch */
    show(draw, more = []) {
      update = draw;
      for (const name of [...state, ...more]) listen(`change:${name}`, refresh);
      window.addEventListener("hashchange", fromHash);
      endings.push(() => window.removeEventListener("hashchange", fromHash));
      fromHash();
      cancelAnimationFrame(wanted);
      run();
    },
    /** A CSS variable's value, e.g. colour("query"). @param {string} name */
    colour: (name) => getComputedStyle(root).getPropertyValue(`--ac-${name}`).trim(),
    /** @param {() => void} end */
    onDestroy: (end) => void endings.push(end),
    destroy() {
      for (const end of endings.splice(0)) end();
      el.replaceChildren();
    },
  };
}
