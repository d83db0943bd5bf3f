/* Ticks in a list: for a page whose recap was on the screen (place.js), and for an exercise that
 * Check found right (tryit.js). */
(() => {
  "use strict";
  const { recall } = globalThis.acStorage;

  /* What was done with what a link leads to, if anything. */
  function done({ href, pathname }) {
    const [, slug] = /(?:#exercise-|\/exercises\/)([a-z0-9-]+)/.exec(href) ?? [];
    if (!slug) return recall(`attention-course: read: ${pathname}`) && "read";
    // Not parsed: what somebody else wrote there is no tick, and no error.
    const tries = recall(`attention-course: attempts: ${slug}`);
    return tries?.includes('"held":"right"') && "solved";
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
