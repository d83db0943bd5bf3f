/* The review: asks again, when it is due, what a reader has met. ts-fsrs says when; what it knows
 * of a question is kept in this browser (storage.js), as is how long one was at it today. */
(() => {
  "use strict";
  const { recall, keep, parsed } = globalThis.acStorage;
  const { element, button, load, lost } = globalThis.acPage;
  const ROOT = new URL("../../", document.currentScript.src).pathname;
  const KEY = "attention-course: review: ";
  const TODAY = "attention-course: today";
  const ENOUGH = 300; // seconds a day
  const PAUSE = 60; // who takes longer for a question is away
  const GRADES = ["Again", "Hard", "Good", "Easy"];
  const place = document.getElementById("ac-review");

  const count = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

  // ---- what is due ----

  /* Whether a reader has met what a card asks: its page to the recap, its question with a guess. */
  function met({ id, page, question }) {
    const path = `${ROOT}book/${page}.html`;
    if (id.startsWith("quiz "))
      return parsed(`attention-course: quiz: ${path}`)?.[id.replace(" ", "-")] !== undefined;
    const key = question ? `${path}: ${question}` : `read: ${path}`;
    return recall(`attention-course: ${key}`) !== undefined;
  }

  /* What ts-fsrs knows of a card; nothing if it is new, or what is kept makes no sense. */
  function known({ id }) {
    const state = parsed(KEY + id);
    const dates = [state?.due, state?.last_review].map((date) => Date.parse(date));
    const numbers = [...dates, state?.stability, state?.difficulty, state?.scheduled_days];
    return numbers.every((n) => Number.isFinite(n)) && state.stability > 0 ? state : undefined;
  }

  /* What each grade leads to; what ts-fsrs cannot go on with begins anew. */
  function repeated(scheduler, one, now) {
    const fresh = globalThis.FSRS.createEmptyCard(now);
    try {
      const ways = scheduler.repeat(known(one) ?? fresh, now);
      if (GRADES.every((_, i) => ways[i + 1]?.card)) return ways;
    } catch {
      /* as below */
    }
    return scheduler.repeat(fresh, now);
  }

  const dayOf = (date) => new Date(date).toLocaleDateString("sv"); // 2026-11-30, of this place
  const spent = () => {
    const today = parsed(TODAY);
    return today?.day === dayOf(Date.now()) && today.seconds > 0 ? Number(today.seconds) : 0;
  };

  /* Cards to ask, those due first and longest ago, then new ones in the order of the book; and
   * the day on which the next is due. */
  function plan() {
    const now = dayOf(Date.now());
    const dated = globalThis.acCards
      .filter(met)
      .map((card) => ({ card, due: known(card)?.due }));
    const old = dated.filter(({ due }) => due);
    old.sort((a, b) => Date.parse(a.due) - Date.parse(b.due));
    const due = old.filter((one) => dayOf(one.due) <= now);
    const fresh = dated.filter((one) => !one.due);
    return { due, fresh, asked: [...due, ...fresh], next: old[due.length]?.due };
  }

  // ---- the page ----

  const status = element("p", { className: "ac-review-status", tabIndex: -1 });
  status.setAttribute("role", "status");
  const card = element("div", { className: "ac-card" });
  let enough = ENOUGH;

  const inDays = (days) =>
    days < 60 ? count(days, "day") : count(Math.round(days / 30), "month");

  function show(focus) {
    const { due, fresh, asked, next } = plan();
    const minutes = Math.floor(spent() / 60);
    card.replaceChildren();
    card.onkeydown = null;
    if (!asked.length) {
      status.textContent = next
        ? `Nothing is due today. The next question is due on ${new Date(next).toLocaleDateString("en-GB", { day: "numeric", month: "long" })}.`
        : "There is nothing to ask yet. Read a chapter to its recap, make a guess or answer a question of the quiz, and come back.";
      if (focus) status.focus();
      return;
    }
    const waiting = `${count(due.length, "question")} due, ${fresh.length} new`;
    if (spent() >= enough) {
      status.textContent = `${count(minutes, "minute")} today: that is enough. ${waiting}; they can wait.`;
      const on = button("Go on all the same", () => {
        enough = Infinity;
        show(true);
      });
      card.append(on);
      if (focus) on.focus();
      return;
    }
    status.textContent = `${waiting}. ${minutes ? `${count(minutes, "minute")} of five today.` : ""}`;
    ask(asked[0].card, focus);
  }

  function ask(one, focus) {
    const began = Date.now();
    const before = recall(KEY + one.id);
    const scheduler = globalThis.FSRS.fsrs({ enable_short_term: false });
    const kind = { term: "A term", guess: "A prediction", quiz: "A question" }[
      one.id.split(" ")[0]
    ];
    const from = element("p", { className: "ac-card-from" }, `${kind} of `);
    from.append(element("a", { href: `${one.page}.html`, textContent: one.title }));
    const asked = element("div", {
      className: "ac-card-ask",
      innerHTML: one.ask,
      tabIndex: -1,
    });
    const answer = element("div", { className: "ac-card-answer", hidden: true, tabIndex: -1 });
    const grades = element("div", { className: "ac-card-grades", hidden: true });
    grades.setAttribute("role", "group");
    grades.setAttribute("aria-label", "Did you know it?");
    const open = button("Show the answer", () => {
      const now = new Date();
      const ways = repeated(scheduler, one, now);
      answer.innerHTML = one.answer;
      // A table that is wider than the page is scrolled by keyboard, too.
      for (const table of answer.querySelectorAll("pre")) table.tabIndex = 0;
      answer.append(element("a", { href: one.at, textContent: "Where it stands" }));
      grades.replaceChildren(
        ...GRADES.map((grade, i) => {
          const next = ways[i + 1].card;
          const pressed = button(`${i + 1} ${grade}`, () => take(next));
          pressed.append(element("span", { textContent: ` ${inDays(next.scheduled_days)}` }));
          return pressed;
        }),
      );
      [open.hidden, answer.hidden, grades.hidden] = [true, false, false];
      answer.focus();
    });

    function take(next) {
      // Answered in another tab meanwhile, it has its next day already.
      if (recall(KEY + one.id) !== before) return show(true);
      const seconds = spent() + Math.min(PAUSE, (Date.now() - began) / 1000);
      const day = dayOf(Date.now());
      const stays = keep(KEY + one.id, JSON.stringify(next));
      keep(TODAY, JSON.stringify({ day, seconds: Math.round(seconds) }));
      show(true);
      if (!stays) status.append(` ${lost(", so this is gone when you leave")}`);
    }

    card.append(from, asked, open, answer, grades);
    card.onkeydown = ({ key, ctrlKey, metaKey, altKey }) => {
      if (!grades.hidden && !ctrlKey && !metaKey && !altKey)
        grades.children[Number(key) - 1]?.click();
    };
    if (focus) asked.focus();
  }

  /* Another tab, or a file (kept.js), may have changed what is due: a card that is being answered
   * stays, and what has the focus keeps it. */
  function again({ key = null }) {
    const ours = key === null || /^attention-course: (?:review|read|quiz|today|\/)/.test(key);
    if (ours && !card.querySelector(".ac-card-answer:not([hidden])"))
      show(card.contains(document.activeElement));
  }

  Promise.all([load("ts-fsrs.umd.js"), load("review-cards.js")]).then(
    () => {
      place.replaceChildren(status, card);
      show(false);
      addEventListener("storage", again);
      document.addEventListener("ac-kept", () => again({}));
    },
    () => place.replaceChildren("The questions could not be loaded. Reload the page."),
  );
})();
