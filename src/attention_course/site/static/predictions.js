/* What answers a question (cells tagged `answer`, site/folds.py) is closed until its guess or
 * "Show me", and opens together wherever it stands. One line, in the place of the first of it,
 * leads to the question, or shows all answers of the page, which this browser remembers. For
 * anchors, the search and paper folds.js opens it as any fold. */
(() => {
  "use strict";
  const { recall, keep } = globalThis.acStorage;
  const { element, button: buttonOf } = globalThis.acPage;
  const KEY = `attention-course: answers: ${location.pathname}`;
  let all = recall(KEY) !== undefined;

  /* Whether a question has had its guess: before it comes to life, as the browser kept it
   * (widgets/prediction/store.js). One that cannot be asked hides nothing. */
  function answered(place) {
    const form = place.querySelector("form");
    if (form) return form.hidden;
    if (place.dataset.acState === "failed") return true;
    return recall(questions.get(place).key) !== undefined;
  }

  /* An answer belongs to the nearest question above it. */
  const questions = new Map();
  let last;
  const both = ".ac-widget[data-ac-key^='predict-'], .ac-answer";
  for (const found of document.querySelectorAll(both)) {
    if (found.matches(".ac-widget")) {
      const asked = found.querySelector(".ac-fallback p")?.lastChild.textContent.trim();
      const key = `attention-course: ${location.pathname}: ${asked}`;
      questions.set((last = found), { key, guess: recall(key), folds: [], say: () => {} });
    } else if (last) questions.get(last).folds.push(found);
  }

  function cover(place, question) {
    const { folds } = question;
    const link = element("a", { href: `#${place.dataset.acKey}` });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      place.scrollIntoView({ block: "center", behavior: "instant" });
      place.querySelector("form :is(input, button)")?.focus({ preventScroll: true });
    });
    const button = buttonOf("", () => {
      all = !all;
      keep(KEY, all ? "shown" : undefined);
      questions.forEach(show);
    });
    const line = element("p", { className: "ac-waits" }, link, button);
    folds[0].before(line);
    question.say = () => {
      line.hidden = folds[0].open && !(all && !answered(place));
      link.textContent = folds[0].open
        ? "The answer to the question above."
        : "Answered by your guess above.";
      button.textContent = all ? "Hide all answers" : "Show all answers on this page";
    };
    for (const fold of folds) {
      fold.addEventListener("toggle", () => {
        // a search on the page opens it, too
        if (fold.open) for (const other of folds) other.open = true;
        question.say();
      });
    }
  }

  function show(question, place) {
    const open = all || answered(place);
    if (open !== question.open) for (const fold of question.folds) fold.open = open;
    question.say();
    question.open = open;
  }

  /* A guess, which its widget keeps (kit/kept.js), gets the time at which it was made. */
  function date(question) {
    const guess = recall(question.key);
    if (guess === question.guess) return;
    keep(question.key);
    keep(question.key, guess);
    question.guess = guess;
  }

  for (const [place, question] of questions) {
    if (question.folds.length) cover(place, question);
    show(question, place);
    new MutationObserver(() => (date(question), show(question, place))).observe(place, {
      subtree: true,
      childList: true,
      attributeFilter: ["hidden", "data-ac-state"],
    });
  }
})();
