/* Marks in the lists of sections, at the left or at the right, where the reader is. */
(() => {
  "use strict";
  const lists = document.querySelectorAll(".ac-here, .ac-sections > ul");
  const links = [...lists].flatMap((list) => [...list.querySelectorAll(":scope > li > a")]);
  const sections = [...new Set(links.map((link) => link.hash))]
    .map((hash) => document.getElementById(decodeURIComponent(hash.slice(1))))
    .filter(Boolean);
  let waiting = false;

  function mark() {
    waiting = false;
    const line = innerHeight * 0.35;
    const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const begun = sections.filter((s) => s.getBoundingClientRect().top < line);
    const here = end && scrollY ? sections.at(-1) : begun.at(-1);
    for (const link of links) {
      if (here && decodeURIComponent(link.hash.slice(1)) === here.id) {
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
  soon();
})();
