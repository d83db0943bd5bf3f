/* Opens a fold for an anchor inside it, for what one searched for, and for paper.
 * Browsers open folds for what one looks for on the page by themselves. */
(() => {
  "use strict";
  const article = document.querySelector("article") ?? document.body;
  const isCode = (fold) => fold.matches(".hide, .ac-data");
  const isAnswer = (fold) =>
    /^\s*(solution|answer)/i.test(fold.querySelector("summary")?.textContent ?? "");

  /* The folds around an element, and the one that it is the head of. */
  function folds(element) {
    const own = element.matches("section") && element.querySelector(":scope > .ac-deeper");
    const found = own ? [own] : [];
    for (let at = element.closest("details"); at; at = at.parentElement.closest("details")) {
      found.push(at);
    }
    return found;
  }

  function open(element) {
    const closed = folds(element).filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
    return closed.length > 0;
  }

  /* "#a-section", or "#saturation-lab?d_k=512" for a widget. */
  function reveal() {
    const name = decodeURIComponent(location.hash.slice(1)).split("?")[0];
    if (!name) return;
    const target =
      document.getElementById(name) ??
      article.querySelector(`[data-ac-key="${CSS.escape(name)}"]`);
    if (target && open(target)) target.scrollIntoView({ behavior: "instant" });
  }

  /* What one searched for is in the link of a result. It is taken before Sphinx's script, which
   * comes next, marks it everywhere, in the contents and in formulas too. */
  const here = new URL(location.href);
  const words = [...new Set(here.searchParams.get("highlight")?.toLowerCase().match(/\S+/g))];
  here.searchParams.delete("highlight");
  if (words.length) history.replaceState(history.state, "", here);

  /* Marks it, or as much of a word's beginning as stands there, and leads to the place that has
   * most of it, a heading first. Answers and code stay closed while as much is seen elsewhere. */
  function showFound() {
    if (!words.length || typeof _highlightText === "undefined") return;
    const TEXT =
      ":is(h1, h2, h3, h4, p, li, th, td, pre):not(script *, .ac-widget *, .ac-waits)";
    const texts = [...article.querySelectorAll(TEXT)];
    const has = (text, word) => text.textContent.toLowerCase().includes(word);
    const parts = words.map((word) => {
      while (word.length > 4 && !texts.some((text) => has(text, word)))
        word = word.slice(0, -1);
      return word;
    });
    for (const part of parts)
      texts.forEach((text) => _highlightText(text, part, "highlighted"));
    const marks = [...article.querySelectorAll("span.highlighted")];
    const quiet = (mark) => folds(mark).some((fold) => isCode(fold) || isAnswer(fold));
    const loud = marks.filter((mark) => !quiet(mark));
    loud.forEach(open);
    const rank = (mark) => {
      const text = mark.closest(TEXT);
      return parts.filter((part) => has(text, part)).length + text.matches("h2, h3, h4") / 2;
    };
    const [first, ...others] = [...loud, ...marks.filter(quiet)];
    if (!first || location.hash) return;
    const best = others.reduce((a, b) => (rank(b) > rank(a) ? b : a), first);
    open(best);
    dispatchEvent(new CustomEvent("ac-found", { detail: best }));
  }

  addEventListener("hashchange", reveal);
  addEventListener("click", ({ target }) => {
    // A second click on the same link changes no address.
    const link = target.closest?.("a[href]");
    if (link?.hash && link.href === location.href) setTimeout(reveal);
  });
  addEventListener("DOMContentLoaded", () => {
    reveal();
    showFound();
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...article.querySelectorAll("details:not([open], .ac-data, .tag_setup *)")];
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });
})();
