/* Opens a fold for an anchor inside it, for a word that the search highlights, and for paper.
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

  /* What one searched for: the search leaves the words behind. They are taken before Sphinx's
   * script, which comes next, marks them everywhere, in the contents and in formulas too. */
  let words = new URL(location).searchParams.get("highlight") ?? "";
  try {
    words = localStorage.getItem("sphinx_highlight_terms") ?? words;
    localStorage.removeItem("sphinx_highlight_terms");
  } catch { /* no storage */ }

  /* Marks them. Answers and code stay closed while the word is seen elsewhere. */
  function showFound() {
    if (!words || typeof _highlightText === "undefined") return;
    const texts = article.querySelectorAll(":is(h1, h2, h3, h4, p, li, th, td, pre):not(script *)");
    for (const word of words.toLowerCase().split(/\s+/).filter(Boolean)) {
      texts.forEach((text) => _highlightText(text, word, "highlighted"));
    }
    const found = [...article.querySelectorAll("span.highlighted")];
    const quiet = (mark) => folds(mark).some((fold) => isCode(fold) || isAnswer(fold));
    found.filter((mark) => !quiet(mark)).forEach(open);
    if (!found.some((mark) => mark.checkVisibility())) found.slice(0, 1).forEach(open);
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
