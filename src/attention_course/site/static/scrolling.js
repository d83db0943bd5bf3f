/* Lets the keyboard scroll what is wider than its place, and only that: code, a formula or a table
 * that fits is no stop on the way through the page. And what is copied has each formula once,
 * as its TeX. */
(() => {
  "use strict";
  const WIDE =
    "article pre, :is(.cell_output, .ac-drawn) > .output, .pst-scrollable-table-container, " +
    ".ac-display, .ac-scroll, .ac-fallback, .slide pre, .slide .body";
  const boxes = [...document.querySelectorAll(WIDE)];
  const scrolls = (box) =>
    box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
  // All are measured before any is changed: each change would lay the page out anew.
  const check = (some) => {
    for (const [box, wide] of some.map((box) => [box, scrolls(box)])) {
      // By the keyboard only what has the focus can be scrolled.
      if (wide) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  const begin = () => {
    const watch = new ResizeObserver((changes) => check(changes.map(({ target }) => target)));
    boxes.forEach((box) => watch.observe(box));
    // A font that comes late makes lines wider, but no box: the observer does not see it.
    document.fonts.ready.then(() => check(boxes.filter((box) => box.checkVisibility())));
  };
  // What is not laid out, in a closed fold or further down, is measured when it is.
  if ("parts" in document.documentElement.dataset) addEventListener("ac-settled", begin);
  else begin();

  const formula = (node) => (node.closest ? node : node.parentElement)?.closest(".katex");
  addEventListener("copy", (event) => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const range = selection.getRangeAt(0).cloneRange();
    const [first, last] = [range.startContainer, range.endContainer].map(formula);
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const copied = document.createElement("div");
    copied.append(range.cloneContents());
    const formulas = copied.querySelectorAll(".katex");
    if (!formulas.length) return;
    for (const one of formulas)
      one.replaceWith(`$${one.querySelector("annotation").textContent}$`);
    document.body.append(copied); // its lines break only where it is seen
    event.clipboardData.setData("text/plain", copied.innerText);
    event.clipboardData.setData("text/html", copied.innerHTML);
    copied.remove();
    event.preventDefault();
  });
})();
