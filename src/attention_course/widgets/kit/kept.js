// Text that stays in this browser, by name; where storage is denied nothing is kept.

/** @param {string} name @returns {string | null} */
export function kept(name) {
  try {
    return localStorage.getItem(`attention-course: ${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} text null: nothing is kept any more */
export function keep(name, text) {
  try {
    if (text === null) localStorage.removeItem(`attention-course: ${name}`);
    else localStorage.setItem(`attention-course: ${name}`, text);
  } catch {
    // it stays in the page
  }
}
