/* Marks in the lists of sections, at the left or at the right, where the reader is, and keeps the
 * mark in sight. */
(() => {
  "use strict";
  const lists = document.querySelectorAll(".ac-here, .ac-sections > ul");
  const links = [...lists].flatMap((list) => [...list.querySelectorAll(":scope > li > a")]);
  const sections = [...new Set(links.map((link) => link.hash))]
    .map((hash) => document.getElementById(decodeURIComponent(hash.slice(1))))
    .filter(Boolean);
  const sidebar = document.querySelector(".bd-sidebar-primary");
  let waiting = false;

  /** Scroll the sidebar, and only that, until a link of it is seen. @param {Element | null} [link] */
  function reveal(link) {
    if (!sidebar || !link || !sidebar.contains(link)) return;
    const box = sidebar.getBoundingClientRect();
    const at = link.getBoundingClientRect();
    const seen = at.top >= box.top && at.bottom <= Math.min(box.bottom, innerHeight);
    if (!seen) sidebar.scrollTop += at.top - box.top - box.height / 4;
  }

  function mark() {
    waiting = false;
    const line = innerHeight * 0.35;
    // On a zoomed page these are fractions, and differ by a pixel even at the end.
    const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const begun = sections.filter(
      (s) => s.checkVisibility() && s.getBoundingClientRect().top < line,
    );
    // A short last section never reaches the line: at the end of the page it counts.
    const here = end && scrollY ? sections.at(-1) : begun.at(-1);
    // So the landing page knows what was read (ticks.js).
    if (here?.id === "what-we-showed")
      globalThis.acStorage.keep(`attention-course: read: ${location.pathname}`, "yes");
    for (const link of links) {
      if (here && decodeURIComponent(link.hash.slice(1)) === here.id) {
        if (!link.hasAttribute("aria-current")) reveal(link);
        link.setAttribute("aria-current", "true");
      } else {
        link.removeAttribute("aria-current");
      }
    }
  }
  function soon() {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  }
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  // Later than the theme, which goes back to where the page before had been.
  addEventListener("load", () => reveal(sidebar?.querySelector("li.current.active > a")));
  soon();
})();
