// A field for a question.
// @ts-check
import { freshId, tag } from "../kit/elements.js";

/** @param {{label: string, most: number}} how most characters */
export function questionField({ label, most }) {
  const id = freshId("question");
  const input = tag("input.ac-entry.ac-ask-field", {
    type: "text",
    id,
    maxlength: most,
    lang: "en",
    autocomplete: "off",
    spellcheck: "false",
  });
  return {
    element: tag("div.ac-control", tag("label.ac-label", { for: id }, label), input),
    set: (/** @type {any} */ value) => void (input.value = String(value)),
    onInput: (/** @type {(value: any) => void} */ react) =>
      input.addEventListener("change", () => react(input.value)),
  };
}
