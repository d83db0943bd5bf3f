// A prediction: the question, the guess, then the answer and how far off the guess was.
import { buttonControl } from "../kit/controls.js";
import { freshId, readout, tag } from "../kit/elements.js";
import { numberField } from "../kit/field.js";
import { checked, wrong } from "../kit/limits.js";
import { createShell } from "../kit/shell.js";
import { fitsQuestion, judge, moved, verdict, withUnit, written } from "./maths.js";
import { recall, remember } from "./store.js";

/**
 * @typedef {import("./maths.js").Asked} Asked
 * @typedef {object} Entry where the guess is made
 * @property {HTMLElement} element
 * @property {(guess: number[]) => void} set shows a guess; [] for none
 * @property {() => number[]} read the guess as it stands; [] if there is none
 * @property {string} missing what is said when there is none
 * @property {() => boolean} [unread] whether what was typed is no number, which is said beside it
 * @property {() => HTMLElement | null} first what gets the focus
 */

/** A field for a number. @param {string} unit @param {number} tolerance @param {string} about @param {(guess: number[]) => void} change @returns {Entry} */
function numberEntry(unit, tolerance, about, change) {
  const id = freshId("guess");
  const field = numberField({
    name: "ac-entry ac-predict-entry",
    step: "any",
    unit,
    format: (x) => withUnit(x, unit, 6),
    attributes: { id, "aria-describedby": about },
  });
  const { input } = field;
  const read = () => [field.read().value ?? []].flat();
  field.onChange(() => change(read()));
  return {
    element: tag(
      "div.ac-predict-number",
      tag("label.ac-label", { for: id }, "Your guess"),
      input,
      tag(
        "span.ac-predict-unit",
        [unit, tolerance ? `(within ${written(tolerance)})` : ""].filter(Boolean).join(" "),
      ),
      field.note,
    ),
    set: (guess) => field.set(guess[0]),
    read,
    unread: () => field.read().problem !== undefined,
    missing: "Type a number first, such as 0.5, 1/8 or 1e-3.",
    first: () => input,
  };
}

/** Radio buttons, one under the other. @param {string[]} choices @param {string} about @param {(guess: number[]) => void} change @returns {Entry} */
function choiceEntry(choices, about, change) {
  const name = freshId("choice");
  const inputs = choices.map((_, i) => {
    const input = tag("input.ac-predict-radio", { type: "radio", name, value: i });
    input.addEventListener("input", () => change([i]));
    return input;
  });
  const labels = inputs.map((input, i) =>
    tag("label.ac-predict-choice", input, tag("span", choices[i])),
  );
  return {
    element: tag(
      "div.ac-predict-choices",
      { role: "radiogroup", "aria-labelledby": about },
      ...labels,
    ),
    set: (guess) => inputs.forEach((input, i) => (input.checked = guess[0] === i)),
    read: () => inputs.flatMap((input, i) => (input.checked ? [i] : [])),
    missing: "Choose one first.",
    first: () => inputs.find((input) => input.checked) ?? inputs[0],
  };
}

/** A list to put in order, by buttons or by dragging. @param {string[]} choices @param {string} about @param {(guess: number[]) => void} change @param {(text: string) => void} tell @returns {Entry} */
function orderEntry(choices, about, change, tell) {
  let order = choices.map((_, i) => i);
  let dragged = -1;
  const list = tag("ol.ac-predict-order", { "aria-labelledby": about });
  const move = (/** @type {number} */ item, /** @type {number} */ to) => {
    const next = moved(order, item, to);
    if (next.every((other, i) => other === order[i])) return;
    change(next);
    tell(`${choices[item]} is now ${next.indexOf(item) + 1} of ${choices.length}.`);
  };
  const rows = choices.map((choice, item) => {
    const step = (
      /** @type {number} */ by,
      /** @type {string} */ sign,
      /** @type {string} */ word,
    ) => {
      const button = buttonControl(sign, () => move(item, order.indexOf(item) + by));
      button.classList.add("ac-predict-step");
      button.setAttribute("aria-label", `Move ${choice} ${word}`);
      return button;
    };
    const row = tag(
      "li.ac-predict-item",
      { draggable: "true" },
      tag("span.ac-predict-text", choice),
      step(-1, "↑", "up"),
      step(1, "↓", "down"),
    );
    row.addEventListener("dragstart", (event) => {
      dragged = item;
      // Firefox drags nothing that carries no data.
      event.dataTransfer?.setData("text/plain", choice);
    });
    row.addEventListener("dragover", (event) => {
      if (dragged < 0) return;
      event.preventDefault();
      // Only where dragover is prevented something can be dropped.
      move(dragged, order.indexOf(item));
    });
    row.addEventListener("drop", (event) => event.preventDefault());
    row.addEventListener("dragend", () => void (dragged = -1));
    return row;
  });
  const show = () => {
    const now = [...list.children];
    if (order.some((item, i) => now[i] !== rows[item])) {
      const focused = /** @type {HTMLElement | null} */ (
        list.contains(document.activeElement) ? document.activeElement : null
      );
      list.replaceChildren(...order.map((item) => rows[item]));
      // An element that is moved within the document loses the focus.
      focused?.focus({ preventScroll: true });
    }
    order.forEach((item, i) => {
      const [up, down] = rows[item].querySelectorAll("button");
      up.setAttribute("aria-disabled", String(i === 0));
      down.setAttribute("aria-disabled", String(i === order.length - 1));
    });
  };
  return {
    element: list,
    set(guess) {
      order = guess.length ? guess : choices.map((_, i) => i);
      show();
    },
    read: () => order,
    missing: "",
    first: () => list.querySelector("button"),
  };
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const question = String(model.get("question"));
  const shell = createShell(model, el, {
    title: `Predict: ${question}`,
    controls: "above",
    compact: true,
  });
  const names = Object.keys(shell.limits);
  // What restores the first state: the shell's own button, under the name of what it does here.
  const again = /** @type {HTMLElement} */ (shell.buttons.querySelector("button"));
  again.textContent = "Guess again";
  shell.root.classList.add("ac-predict");
  const about = freshId("question");
  const asked = tag(
    "p.ac-predict-question",
    { id: about },
    tag("b", "Predict."),
    ` ${question}`,
  );
  const note = tag("span.ac-predict-note", { "aria-live": "polite" });
  const reveal = tag("div.ac-predict-reveal", {
    role: "region",
    "aria-label": "What was computed",
  });
  shell.readout.after(reveal, shell.buttons);
  const change = (/** @type {number[]} */ guess) => {
    note.textContent = "";
    shell.set({ guess });
  };
  const tell = (/** @type {string} */ text) => void (note.textContent = text);

  /** @type {Entry | undefined} */
  let entry;
  let wasOpened = false;
  const form = tag("form.ac-predict-form");
  const choices = model.get("choices");
  if (Array.isArray(choices)) {
    const kind = model.get("kind");
    entry =
      kind === "number"
        ? numberEntry(model.get("unit"), model.get("tolerance"), about, change)
        : kind === "order"
          ? orderEntry(choices, about, change, tell)
          : choiceEntry(choices, about, change);
    const guess = tag("button.ac-button.ac-predict-guess", { type: "submit" }, "Guess");
    const showMe = buttonControl("Show me", () => shell.set({ guess: [], opened: true }));
    form.append(entry.element, tag("div.ac-predict-row", guess, showMe, note));
  }
  // JupyterLab keeps the browser from submitting by Enter.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    /** @type {HTMLFormElement} */ (form).requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = entry?.read() ?? [];
    if (guess.length) shell.set({ guess, opened: true });
    else {
      tell(entry?.unread?.() ? "" : (entry?.missing ?? ""));
      entry?.first()?.focus();
    }
  });
  shell.controls.append(asked, form);

  const kept = recall(question);
  if (!model.get("opened") && kept) {
    const state = Object.fromEntries(names.map((name) => [name, model.get(name)]));
    const guess = kept.guess ?? [];
    if (!guess.length || fitsQuestion(guess, /** @type {any} */ (state)))
      shell.set({ guess, opened: true });
  }

  shell.show(
    () => {
      /** @type {Asked & {reveal: string, believed: number[][], beliefs: string[]}} */
      const state = checked(shell.get, shell.limits, names);
      if (state.guess.length && !fitsQuestion(state.guess, state))
        throw wrong("guess", "one that fits the question", state.guess);
      if (!fitsQuestion(state.answer, state))
        throw wrong("answer", "one that fits the question", state.answer);
      const odd = state.believed.find((guess) => !fitsQuestion(guess, state));
      if (odd) throw wrong("believed", "guesses that fit the question", odd);
      if (state.believed.length !== state.beliefs.length)
        throw wrong(
          "beliefs",
          `${state.believed.length} texts, one for each guess in believed`,
          state.beliefs,
        );
      const within = shell.root.contains(document.activeElement);
      entry?.set(state.guess);
      form.hidden = state.opened;
      again.hidden = reveal.hidden = !state.opened;
      reveal.hidden ||= !state.reveal;
      reveal.textContent = state.opened ? state.reveal : "";
      // By keyboard it is reached where there is something to scroll.
      reveal.tabIndex = reveal.scrollWidth > reveal.clientWidth ? 0 : -1;
      const numbers = Object.entries(judge(state)).map(([name, value]) =>
        tag("data", readout(name, value)),
      );
      shell.picture.replaceChildren(...numbers);
      shell.say(state.opened ? verdict(state) : "Your guess stays in this browser.");
      if (state.opened !== wasOpened) {
        remember(question, state.opened ? { guess: state.guess } : null);
        note.textContent = "";
        // What had the focus is hidden now: hand it on, or the keyboard starts again at the top.
        if (within) (state.opened ? again : entry?.first())?.focus({ preventScroll: true });
      }
      wasOpened = state.opened;
    },
    names.filter((name) => !(name in model.get("initial"))),
  );
  return shell.destroy;
}

export default { render };
