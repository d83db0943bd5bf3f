// The reader's sentence goes along from chapter to chapter; without storage it stays on its page.

const PLACE = "attention-course: sentence of the world";

/** The sentence that was kept, or null. @returns {string | null} */
export function recall() {
  try {
    return localStorage.getItem(PLACE);
  } catch {
    return null;
  }
}

/** @param {string} sentence */
export function keep(sentence) {
  try {
    localStorage.setItem(PLACE, sentence);
  } catch {
    // Storage is denied: nothing is kept.
  }
}

/** The next chapter opens with its own. */
export function forget() {
  try {
    localStorage.removeItem(PLACE);
  } catch {
    // Nothing was kept.
  }
}
