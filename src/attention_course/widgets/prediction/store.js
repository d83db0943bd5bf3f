// Guesses stay in this browser, by page and question; without storage they last as long as the page.

/** @param {string} question */
function place(question) {
  return `attention-course: ${location.pathname}: ${question}`;
}

/** The guess that was kept, or null. @param {string} question @returns {any} */
export function recall(question) {
  try {
    return JSON.parse(localStorage.getItem(place(question)) ?? "null");
  } catch {
    return null;
  }
}

/** Keep a guess; null forgets it. @param {string} question @param {{guess: number[]} | null} guess */
export function keep(question, guess) {
  try {
    if (guess) localStorage.setItem(place(question), JSON.stringify(guess));
    else localStorage.removeItem(place(question));
  } catch {
    // Storage is denied: nothing is kept.
  }
}
