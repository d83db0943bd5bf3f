/* Lets the keyboard scroll what is wider than its place, and only that: a formula or a table
 * that fits is no stop on the way through the page. */
(() => {
  "use strict";
  const boxes = [...document.querySelectorAll(".ac-display, .ac-scroll, .ac-fallback, .slide pre, .show-table")];
  const scrolls = (box) =>
    box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
  // All are measured before any is changed: each change would lay the page out anew.
  const check = (some) => {
    for (const [box, wide] of some.map((box) => [box, scrolls(box)])) {
      if (wide) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  const watch = new ResizeObserver((changes) => check(changes.map(({ target }) => target)));
  boxes.forEach((box) => watch.observe(box));
  document.fonts.ready.then(() => check(boxes));
})();
