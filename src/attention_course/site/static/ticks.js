/* Ticks in a list: for a page whose recap was on the screen (place.js), and for an exercise that
 * Check found right (tryit.js). In the landing page's list of chapters (site/chapter_map.py) also how
 * much of each was guessed, solved and answered in words. */
(() => {
  "use strict";
  const { recall } = globalThis.acStorage;

  const solved = (slug) =>
    // Not parsed: what somebody else wrote there is no tick, and no error.
    recall(`attention-course: attempts: ${slug}`)?.includes('"held":"right"');

  /* What was done with what a link leads to, if anything. */
  function done({ href, pathname, dataset }) {
    const [, slug] = /(?:#exercise-|\/exercises\/)([a-z0-9-]+)/.exec(href) ?? [];
    if (slug) return solved(slug) && "solved";
    const read = recall(`attention-course: read: ${pathname}`) && "read";
    const { page, code, guesses, words } = JSON.parse(dataset.parts ?? "{}");
    if (!page) return read;
    const guessed = (question) =>
      recall(`attention-course: ${pathname}: ${question}`) !== undefined;
    const inWords = (name) => recall(`attention-course: words: ${page} ${name}`) !== undefined;
    const some = (n, total, what) => n && `${n} of ${total} ${what}`;
    return [
      read,
      some(guesses.filter(guessed).length, guesses.length, "guessed"),
      some(code.filter(solved).length, code.length, "solved"),
      some(words.filter(inWords).length, words.length, "answered in words"),
    ]
      .filter(Boolean)
      .join(", ");
  }

  function tell() {
    for (const link of document.querySelectorAll(".ac-ticks li a:first-of-type")) {
      const entry = link.parentElement;
      const said = done(/** @type {HTMLAnchorElement} */ (link));
      const tick = { className: "ac-ticked", textContent: ` ✓ ${said}` };
      entry.querySelector(".ac-ticked")?.remove();
      if (said) entry.append(Object.assign(document.createElement("span"), tick));
    }
  }

  // Also when Back shows the page as it was left, and when another tab solves something.
  addEventListener("pageshow", tell);
  addEventListener("storage", tell);
  tell();
})();
