/* Lays out what is further down the page when the browser has nothing else to do.
 *
 * To a page that is read from its top the first paint comes sooner if only its beginning is laid
 * out for it; the style sheet says so of a page with data-parts. One block after another follows,
 * and then the page is as if it had been laid out at once. What a link led to meanwhile may have
 * moved: who has not gone on from there is led there again. */
(() => {
  "use strict";
  const root = document.documentElement;
  const later = ".bd-article > section > section:nth-of-type(n + 2)";
  const blocks = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(
    `${later} > :not(section), ${later} section:not(.ac-widget *) > :not(section)`,
  ));
  const idle = globalThis.requestIdleCallback ?? ((then) => setTimeout(then, 16));
  let at = 0;
  let goal = /** @type {Element | null} */ (null);

  function next() {
    const some = [...blocks].slice(at, (at += 3));
    for (const block of some) block.style.contentVisibility = "visible";
    if (some.length) return void idle(next);
    goal?.scrollIntoView({ behavior: "instant" });
    globalThis.acSettled = true;
    dispatchEvent(new Event("ac-settled"));
  }

  if (!("parts" in root.dataset)) return;
  addEventListener("hashchange", () => (goal = document.querySelector(":target")));
  for (const moves of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(moves, () => (goal = null), { passive: true });
  }
  if (document.readyState === "complete") idle(next);
  else addEventListener("load", () => idle(next));
})();
