// The field for an English sentence of the small world.
import { buttonControl } from "../kit/controls.js";
import { freshId, make } from "../kit/elements.js";
import { readEnglish, readWords } from "./truth.js";

/** @param {{LONGEST: number, SENTENCES: [string, string][]}} constants @param {() => import("./truth.js").World | null} world */
export function worldField({ LONGEST, SENTENCES }, world) {
  const id = freshId("sentence");
  const input = /** @type {HTMLInputElement} */ (
    make("input", "ac-entry ac-sp-field", {
      type: "text",
      id,
      lang: "en",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
    })
  );
  const hint = make("div", "ac-hint", { id: freshId("hint"), "aria-live": "polite" });
  input.setAttribute("aria-describedby", hint.id);
  /** @type {((value: any) => void)[]} */
  const reactions = [];
  const take = () => {
    try {
      const words = readWords(input.value, world(), LONGEST);
      hint.textContent = "";
      for (const react of reactions) react(words.join(" "));
    } catch (problem) {
      hint.textContent = /** @type {Error} */ (problem).message;
    }
  };
  input.addEventListener("focus", () => world());
  input.addEventListener("change", take);
  const buttons = SENTENCES.map(([text, label]) =>
    buttonControl(label, () => {
      input.value = text;
      take();
    }),
  );
  const element = make(
    "div",
    "ac-control ac-sp-wide",
    {},
    make("label", "ac-label", { for: id }, "Your English sentence"),
    input,
    hint,
    make("div", "ac-sp-buttons", {}, ...buttons),
  );
  return {
    element,
    set: (/** @type {any} */ value) => {
      // What is typed stays as long as it reads as this.
      if (readEnglish(input.value, null).words.join(" ") !== value) input.value = String(value);
    },
    onInput: (/** @type {(value: any) => void} */ react) => void reactions.push(react),
  };
}
