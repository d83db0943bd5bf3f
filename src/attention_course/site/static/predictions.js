/* What answers a question (cells tagged `answer`, site/folds.py) is closed until its guess or
 * "Show me". A line in its place leads to the question, or shows all answers of the page, which
 * this browser remembers. For anchors, the search and paper folds.js opens it as any fold. */
(() => {
  "use strict";
  const KEY = `attention-course: answers: ${location.pathname}`;
  let all = false;
  try {
    all = localStorage.getItem(KEY) !== null;
  } catch { /* no storage: until the page is left */ }

  /* Whether a question has had its guess: before it comes to life, as the browser kept it
   * (widgets/prediction/store.js). One that cannot be asked hides nothing. */
  function answered(place) {
    const form = place.querySelector("form");
    if (form) return form.hidden;
    if (place.dataset.acState === "failed") return true;
    const question = place.querySelector(".ac-fallback p")?.lastChild.textContent.trim();
    try {
      return localStorage.getItem(`attention-course: ${location.pathname}: ${question}`) !== null;
    } catch {
      return false;
    }
  }

  /* An answer belongs to the nearest question above it. */
  const questions = new Map();
  let last;
  for (const found of document.querySelectorAll(".ac-widget[data-ac-key^='predict-'], .ac-answer")) {
    if (found.matches(".ac-widget")) questions.set((last = found), { answers: [] });
    else if (last) questions.get(last).answers.push(cover(found, last));
  }

  function cover(fold, place) {
    const line = document.createElement("p");
    line.className = "ac-waits";
    const link = Object.assign(document.createElement("a"), { href: `#${place.dataset.acKey}` });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      place.scrollIntoView({ block: "center", behavior: "instant" });
      place.querySelector("form :is(input, button)")?.focus({ preventScroll: true });
    });
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.addEventListener("click", () => {
      all = !all;
      try {
        if (all) localStorage.setItem(KEY, "shown");
        else localStorage.removeItem(KEY);
      } catch { /* no storage */ }
      questions.forEach(show);
    });
    line.append(link, button);
    fold.before(line);
    const say = () => {
      line.hidden = fold.open && !(all && !answered(place));
      link.textContent = fold.open ? "The answer to the question above." : "Answered by your guess above.";
      button.textContent = all ? "Hide all answers" : "Show all answers on this page";
    };
    fold.addEventListener("toggle", say); // a search on the page opens it, too
    return { fold, say };
  }

  function show(question, place) {
    const open = all || answered(place);
    for (const { fold, say } of question.answers) {
      if (open !== question.open) fold.open = open;
      say();
    }
    question.open = open;
  }

  for (const [place, question] of questions) {
    show(question, place);
    new MutationObserver(() => show(question, place)).observe(place, {
      subtree: true, childList: true, attributeFilter: ["hidden", "data-ac-state"],
    });
  }
})();
