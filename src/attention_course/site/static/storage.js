/* What this browser keeps for the course, each thing with the time at which it was last changed.
 * Where its storage is full or forbidden, it is kept as long as the page. */
(() => {
  "use strict";
  const kept = new Map();
  const BEGIN = "attention-course: ";
  const whenOf = (key) => key.replace(BEGIN, `${BEGIN}when: `);

  function recall(key) {
    try {
      // Where a browser blocks storage even reading it throws.
      return kept.get(key) ?? localStorage.getItem(key) ?? undefined;
    } catch {
      return kept.get(key);
    }
  }

  /* Whether the browser keeps it beyond this page. */
  function keep(key, value, when = Date.now()) {
    try {
      if (value === undefined) {
        localStorage.removeItem(key);
        localStorage.removeItem(whenOf(key));
      } else if (localStorage.getItem(key) !== value) {
        localStorage.setItem(key, value);
        localStorage.setItem(whenOf(key), String(when));
      }
      kept.delete(key);
      return true;
    } catch {
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
      return false;
    }
  }

  /* When it was last changed, in milliseconds since 1970; 0 if that is not known. */
  const changed = (key) => Number(recall(whenOf(key))) || 0;

  /* What is kept under keys that begin so, by the rest of its key. */
  function all(beginning) {
    const keys = new Set(kept.keys());
    try {
      Object.keys(localStorage).forEach((key) => keys.add(key));
    } catch {
      /* no storage */
    }
    const mine = [...keys].filter((key) => key.startsWith(beginning)).sort();
    return new Map(mine.map((key) => [key.slice(beginning.length), recall(key)]));
  }

  /* What a browser keeps under the address of a page that has been split since goes with both. */
  const SPLIT = { "recurrent/gnmt-and-lstmn.html": /recurrent\/(?:gnmt|lstmn)\.html$/ };
  for (const [old, pages] of Object.entries(SPLIT)) {
    if (!pages.test(location.pathname)) continue;
    const before = location.pathname.replace(pages, old);
    for (const [key, value] of all("attention-course: ")) {
      if (!key.includes(before)) continue;
      const now = `attention-course: ${key.replace(before, location.pathname)}`;
      if (recall(now) === undefined) keep(now, value);
    }
  }

  globalThis.acStorage = { recall, keep, changed, all };
})();
