/* Lets the keyboard scroll what is wider than its place, and only that: a formula or a table
 * that fits is no stop on the way through the page. */
(() => {
  "use strict";
  const boxes = [...document.querySelectorAll(".ac-display, .ac-scroll, .ac-fallback, .slide pre, .show-table")];
  const check = (box) => {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1) {
      box.tabIndex = 0;
    } else {
      box.removeAttribute("tabindex");
    }
  };
  const watch = new ResizeObserver((changes) => changes.forEach(({ target }) => check(target)));
  boxes.forEach((box) => watch.observe(box));
  document.fonts.ready.then(() => boxes.forEach(check));
})();
