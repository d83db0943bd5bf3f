/* Lays out what is further down the page when the browser has nothing else to do.
 *
 * To a page that is read from its top the first paint comes sooner if only its beginning is laid
 * out for it; the style sheet says so of a page with data-parts. One block after another follows,
 * and then the page is as if it had been laid out at once. What a link leads to moves when what
 * stands above it is laid out or comes to life: who has not gone on from there stays with it. */
(() => {
  "use strict";
  const root = document.documentElement;
  const later = ".bd-article > section > section:nth-of-type(n + 2)";
  const blocks = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(
      `${later} > :not(section), ${later} section:not(.ac-widget *) > :not(section)`,
    )
  );
  // Safari has no requestIdleCallback.
  const idle = globalThis.requestIdleCallback ?? ((then) => setTimeout(then, 16));
  let at = 0;
  let goal = /** @type {Element | null} */ (null);

  function next() {
    // Three at a time, so that a click or a key need not wait.
    const some = [...blocks].slice(at, (at += 3));
    for (const block of some) block.style.contentVisibility = "visible";
    if (some.length) return void idle(next);
    stay();
    globalThis.acSettled = true;
    dispatchEvent(new Event("ac-settled"));
  }

  /* "#a-section", or "#saturation-lab?d_k=512" for a widget. */
  function begin() {
    const name = decodeURIComponent(location.hash.slice(1)).split("?")[0];
    goal = name
      ? (document.getElementById(name) ??
        document.querySelector(`[data-ac-key="${CSS.escape(name)}"]`))
      : null;
    stay();
  }

  let height = 0;
  function stay() {
    height = root.scrollHeight;
    goal?.scrollIntoView({ behavior: "instant" });
  }

  /* By its bar a page is moved without a key or a wheel: then nothing else has changed. */
  function leave() {
    if (!goal || root.scrollHeight !== height) return;
    const { top, bottom } = goal.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) goal = null;
  }

  addEventListener("hashchange", begin);
  addEventListener("ac-found", (event) => {
    // by the search: folds.js
    goal = /** @type {CustomEvent<Element>} */ (event).detail;
    stay();
  });
  addEventListener("click", ({ target }) => {
    // A second click on the same link changes no address.
    const link = target instanceof Element && target.closest("a[href]");
    if (link instanceof HTMLAnchorElement && link.hash && link.href === location.href)
      setTimeout(begin);
  });
  addEventListener("scrollend", leave);
  for (const moves of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(moves, () => (goal = null), { passive: true });
  }
  const article = document.querySelector("article");
  if (article)
    new ResizeObserver(() => goal && root.scrollHeight !== height && stay()).observe(article);
  addEventListener("DOMContentLoaded", () => location.hash && begin());

  if (!("parts" in root.dataset)) return;
  if (document.readyState === "complete") idle(next);
  else addEventListener("load", () => idle(next));
})();
