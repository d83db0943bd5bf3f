/* While an open prediction is on the screen, what follows it in its section is blurred
 * (styles/4-live.css): a chart's title would give the answer. It clears with a guess or "Show me",
 * for who reads on, and for who clicks or tabs into it. */
(() => {
  "use strict";
  const cells = [...document.querySelectorAll('.ac-widget[data-ac-key^="predict-"]')]
    .map((place) => place.closest("div.cell"));
  const clear = (cell) => (cell.dataset.acAsks = "past");

  // The root is all that lies above the screen or behind the bar at its top, so that a jump over
  // a question counts, too.
  const above = new IntersectionObserver(
    (entries) => entries.filter((e) => e.isIntersecting).forEach((e) => clear(e.target)),
    { rootMargin: "1000000px 0px -93% 0px", threshold: 0.75 },
  );
  for (const cell of cells) {
    cell.dataset.acAsks = "open";
    above.observe(cell);
  }

  function lift(event) {
    const asking = cells.filter((cell) =>
      cell.parentElement !== event.target && cell.parentElement.contains(event.target) &&
      !cell.contains(event.target) && cell.matches('[data-ac-asks="open"]') &&
      [...cell.parentElement.children].some((child) => child.contains(event.target) &&
        getComputedStyle(child).filter !== "none"));
    asking.forEach(clear);
    if (!asking.length || event.type !== "click") return;
    event.preventDefault(); // the first click shows a link, the second follows it
    event.stopPropagation();
  }
  addEventListener("click", lift, true);
  addEventListener("focusin", lift);
})();
