// The skeleton of every widget: controls, picture, read-out in words, "reset", "copy link".
// Pure mathematics is in maths.js.
//
//   const shell = createShell(model, el, { title: "Temperature", state: ["tau"] });
//   shell.add(sliderControl({ label: "Temperature", values: [0.1, 1, 10] }), "tau");
//   shell.picture.append(...);
//   shell.show(() => { draw(shell.get("tau")); shell.say("In words."); });
//   return shell.destroy;

/**
 * @typedef {object} Model what anywidget hands to render
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {(event: string, react: () => void) => void} on
 * @property {(event?: string | null, react?: (() => void) | null) => void} off
 * @property {() => void} save_changes
 *
 * @typedef {object} Control
 * @property {HTMLElement} element
 * @property {(value: any) => void} set shows a value; never throws
 * @property {(react: (value: any) => void) => void} onInput
 *
 * @typedef {object} ShellOptions
 * @property {string} title what the widget is called (its accessible name, and its heading)
 * @property {string[]} state traits that reset restores and a link carries
 * @property {"left" | "above"} [controls] where the controls stand on a wide page
 * @property {boolean} [compact] no heading, no copy link
 */

/** An element with a class, attributes and children. @param {string} tag @param {string} [name] @param {Record<string, any>} [attributes] @param {(Node | string)[]} children */
export function make(tag, name = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** An id that no other widget on the page has. @param {string} name */
export function freshId(name) {
  return `ac-${name}-${Math.random().toString(36).slice(2, 10)}`;
}

// ---- theme ----

/** What the page says, else what the reader's system prefers. @returns {"light" | "dark"} */
export function currentTheme() {
  const [html, body] = [document.documentElement, document.body];
  const said =
    html.dataset.theme ?? // the site
    html.getAttribute("theme") ?? // Colab
    body?.dataset.vscodeThemeKind ?? // VS Code
    { true: "light", false: "dark" }[body?.dataset.jpThemeLight ?? ""]; // JupyterLab
  if (said) return said.includes("dark") || said === "vscode-high-contrast" ? "dark" : "light";
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Keep `root` in the page's theme. Returns what stops it. @param {HTMLElement} root @param {(theme: "light" | "dark") => void} react */
export function watchTheme(root, react) {
  const look = () => {
    const theme = currentTheme();
    if (root.dataset.acTheme === theme) return;
    root.dataset.acTheme = theme;
    react(theme);
  };
  look();
  const seen = new MutationObserver(look);
  const attributeFilter = ["data-theme", "theme", "data-vscode-theme-kind", "data-jp-theme-light"];
  for (const place of [document.documentElement, document.body]) seen.observe(place, { attributes: true, attributeFilter });
  const media = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  media?.addEventListener("change", look);
  return () => {
    seen.disconnect();
    media?.removeEventListener("change", look);
  };
}

/** Does the reader ask for less motion? */
export function reducedMotion() {
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

// ---- links ----

/**
 * State from `#key?a=1&b=x`; null if the hash is not for this widget. What does not parse
 * stays text, so that the widget can say what is wrong with it.
 * @param {string} hash
 * @param {string} key
 * @param {Record<string, any>} like the state as it is: its types say how to read
 */
export function readHash(hash, key, like) {
  const [name, query] = hash.replace(/^#/, "").split("?");
  if (name !== key || query === undefined) return null;
  /** @type {Record<string, any>} */
  const state = {};
  for (const [field, text] of new URLSearchParams(query)) {
    if (!(field in like)) continue;
    state[field] = text;
    if (typeof like[field] === "string") continue;
    try {
      state[field] = JSON.parse(text);
    } catch {
      // stays text
    }
  }
  return state;
}

/** The hash that carries a state. @param {string} key @param {Record<string, any>} state */
export function writeHash(key, state) {
  const fields = Object.entries(state).map(([field, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${encodeURIComponent(field)}=${encodeURIComponent(text)}`;
  });
  return `#${key}?${fields.join("&")}`;
}

/** Put text on the clipboard; false if the browser refuses. @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = /** @type {HTMLTextAreaElement} */ (make("textarea", "ac-offscreen"));
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}

// ---- controls: native, labelled ----

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
 * @param {(value: number) => string} [options.format]
 * @returns {Control & {input: HTMLInputElement}}
 */
export function sliderControl({ label, hint, values, min = 0, max = 1, step = 0.01, log, entry, format = String }) {
  const stops = 200;
  const low = values ? values[0] : min;
  const high = values ? values[values.length - 1] : max;
  const toPlace = (/** @type {number} */ value) => {
    if (values) {
      let best = 0;
      values.forEach((v, i) => (best = Math.abs(v - value) < Math.abs(values[best] - value) ? i : best));
      return best;
    }
    return log ? Math.round((stops * Math.log(value / min)) / Math.log(max / min)) : value;
  };
  const toValue = (/** @type {number} */ place) => {
    if (values) return values[place];
    return log ? Number((min * (max / min) ** (place / stops)).toPrecision(3)) : place;
  };
  const id = freshId("slider");
  const input = /** @type {HTMLInputElement} */ (
    make("input", "ac-range", {
      type: "range",
      id,
      min: values || log ? 0 : min,
      max: values ? values.length - 1 : log ? stops : max,
      step: values || log ? 1 : step,
    })
  );
  const { onInput, emit } = listeners();
  const field = entry
    ? /** @type {HTMLInputElement} */ (
        make("input", "ac-entry", { type: "number", min: low, max: high, step: "any", "aria-label": `${label}, exact` })
      )
    : null;
  const shown = make("output", "ac-value", { for: id });
  const set = (/** @type {any} */ value) => {
    const known = typeof value === "number" && Number.isFinite(value);
    if (known) input.value = String(toPlace(value));
    const text = known ? format(value) : String(value);
    input.setAttribute("aria-valuetext", text);
    shown.textContent = text;
    if (field && document.activeElement !== field) field.value = known ? String(value) : "";
  };
  input.addEventListener("input", () => emit(toValue(Number(input.value))));
  field?.addEventListener("change", () => {
    const value = Number(field.value);
    emit(field.value === "" || Number.isNaN(value) ? field.value : value);
  });
  const head = make("div", "ac-label-row", {}, make("label", "ac-label", { for: id }, label), field ?? shown);
  const element = make("div", "ac-control", {}, head, input);
  if (hint) {
    const note = make("div", "ac-hint", { id: freshId("hint") }, hint);
    input.setAttribute("aria-describedby", note.id);
    element.append(note);
  }
  return { element, input, set, onInput };
}

/**
 * A field for a number.
 * @param {{label: string, min?: number, max?: number, step?: number | "any"}} options
 * @returns {Control & {input: HTMLInputElement}}
 */
export function numberControl({ label, min, max, step = 1 }) {
  const id = freshId("number");
  const input = /** @type {HTMLInputElement} */ (make("input", "ac-entry", { type: "number", id, min, max, step }));
  const { onInput, emit } = listeners();
  input.addEventListener("change", () => emit(input.value === "" ? "" : Number(input.value)));
  const set = (/** @type {any} */ value) => {
    if (document.activeElement !== input) input.value = typeof value === "number" ? String(value) : "";
  };
  const row = make("div", "ac-label-row", {}, make("label", "ac-label", { for: id }, label), input);
  return { element: make("div", "ac-control", {}, row), input, set, onInput };
}

/**
 * A list to choose from.
 * @param {{label: string, options: (string | {value: any, text: string})[]}} options
 * @returns {Control & {input: HTMLSelectElement}}
 */
export function selectControl({ label, options }) {
  const choices = options.map((option) => (typeof option === "object" ? option : { value: option, text: String(option) }));
  const id = freshId("select");
  const input = /** @type {HTMLSelectElement} */ (make("select", "ac-select", { id }));
  choices.forEach(({ text }, i) => input.append(make("option", "", { value: i }, text)));
  const { onInput, emit } = listeners();
  input.addEventListener("input", () => emit(choices[Number(input.value)].value));
  const set = (/** @type {any} */ value) => void (input.selectedIndex = choices.findIndex((choice) => choice.value === value));
  const row = make("div", "ac-label-row", {}, make("label", "ac-label", { for: id }, label), input);
  return { element: make("div", "ac-control", {}, row), input, set, onInput };
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
    const input = /** @type {HTMLInputElement} */ (make("input", "ac-radio", { type: "radio", name: group, "aria-label": spoken ?? text }));
    input.addEventListener("input", () => emit(value));
    return input;
  });
  const row = make("div", "ac-radios", {}, ...inputs.map((input, i) => make("label", "ac-radio-label", {}, input, make("span", "", {}, options[i].text))));
  const element = make("fieldset", "ac-control ac-fieldset", {}, make("legend", "ac-label", {}, label), row);
  const set = (/** @type {any} */ value) => inputs.forEach((input, i) => (input.checked = options[i].value === value));
  return { element, set, onInput };
}

/**
 * A box to tick.
 * @param {{label: string}} options
 * @returns {Control & {input: HTMLInputElement}}
 */
export function checkControl({ label }) {
  const input = /** @type {HTMLInputElement} */ (make("input", "ac-check", { type: "checkbox" }));
  const { onInput, emit } = listeners();
  input.addEventListener("input", () => emit(input.checked));
  const element = make("div", "ac-control", {}, make("label", "ac-label ac-check-label", {}, input, label));
  return { element, input, set: (/** @type {any} */ value) => void (input.checked = value === true), onInput };
}

/** A button. @param {string} text @param {() => void} press */
export function buttonControl(text, press) {
  const button = make("button", "ac-button", { type: "button" }, text);
  button.addEventListener("click", press);
  return button;
}

// ---- the skeleton ----

/**
 * Build the skeleton in `el` and tie it to the model.
 * @param {Model} model
 * @param {HTMLElement} el
 * @param {ShellOptions} options
 */
export function createShell(model, el, { title, state, controls: side = "left", compact = false }) {
  /** @type {(() => void)[]} */
  const endings = [];
  const root = make("section", `ac-root ac-side-${side}${compact ? " ac-compact" : ""}`, { "aria-label": title });
  const controls = make("div", "ac-controls", { role: "group", "aria-label": `${title}: controls` });
  const picture = make("div", "ac-picture");
  const readout = make("p", "ac-readout");
  const heard = make("div", "ac-offscreen", { "aria-live": "polite" });
  const error = make("div", "ac-error", { role: "alert", hidden: true });
  const buttons = make("div", "ac-buttons");
  const stage = make("div", "ac-stage", {}, error, picture, readout);
  if (!compact) root.append(make("div", "ac-title", {}, title));
  const frame = make("div", "ac-frame", {}, make("div", "ac-side", {}, controls, buttons), stage);
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
  const first = given && Object.keys(given).length ? given : structuredClone(stateNow());
  const key = model.get("key") || title.toLowerCase().replace(/\W+/g, "-");

  const fail = (/** @type {unknown} */ problem) => {
    const message = problem instanceof Error ? problem.message : String(problem);
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

  return {
    root,
    controls,
    picture,
    readout,
    buttons,
    get,
    set,
    say,
    fail,
    clear,
    refresh,
    /** Tie a control to a trait and put it among the controls. @template {Control} T @param {T} control @param {string} name @param {HTMLElement} [place] @returns {T} */
    add(control, name, place = controls) {
      control.onInput((value) => set({ [name]: value }));
      const shown = () => control.set(get(name));
      listen(`change:${name}`, shown);
      shown();
      place.append(control.element);
      return control;
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

// ---- colour ----

/** @typedef {[number, number, number]} Rgb */

/** "#rrggbb" to three numbers. @param {string} hex @returns {Rgb} */
export function parseHex(hex) {
  const n = Number.parseInt(hex.replace("#", ""), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

/** Between two colours, t from 0 to 1. @param {Rgb} a @param {Rgb} b @param {number} t @returns {Rgb} */
export function mix(a, b, t) {
  const u = Math.min(1, Math.max(0, t));
  return [a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u, a[2] + (b[2] - a[2]) * u];
}

/** CSS text of a colour. @param {Rgb} rgb */
export function css(rgb) {
  return `rgb(${rgb.map(Math.round).join(" ")})`;
}

/**
 * The colours of a map, to look shades up in: "seq" for weights, "div" for signed quantities.
 * @param {(name: string) => string} colour
 * @param {"seq" | "div"} map
 * @returns {Rgb[]}
 */
export function mapColours(colour, map) {
  return Array.from({ length: map === "seq" ? 6 : 7 }, (_, i) => parseHex(colour(`${map}-${i}`)));
}

/** A shade of a map; t from 0 to 1. @param {Rgb[]} colours @param {number} t @returns {Rgb} */
export function shade(colours, t) {
  const place = Math.min(1, Math.max(0, t)) * (colours.length - 1);
  const low = Math.min(colours.length - 2, Math.floor(place));
  return mix(colours[low], colours[low + 1], place - low);
}
