// The reader's sentence goes along from chapter to chapter; without storage it stays on its page.

/** @typedef {import("./maths.js").State["model"]} Name of the model that reads it */

/** @param {Name} model */
const place = (model) =>
  `attention-course: sentence${model === "verses" ? "" : ` of the ${model}`}`;

/** The sentence that was kept, or null. @param {Name} model @returns {string | null} */
export function recall(model) {
  try {
    return localStorage.getItem(place(model));
  } catch {
    return null;
  }
}

/** @param {Name} model @param {string} sentence */
export function keep(model, sentence) {
  try {
    localStorage.setItem(place(model), sentence);
  } catch {
    // Storage is denied: nothing is kept.
  }
}

/** The next chapter opens with its own. @param {Name} model */
export function forget(model) {
  try {
    localStorage.removeItem(place(model));
  } catch {
    // Nothing was kept.
  }
}
