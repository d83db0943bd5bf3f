/* The review: asks again, when it is due, what a reader has met. ts-fsrs says when; what it knows
 * of a question is kept in this browser (storage.js), as is how long one was at it today. */
(() => {
  "use strict";
  const { recall, keep, changed, parsed } = globalThis.acStorage;
  const { element, button, load, lost } = globalThis.acPage;
  const ROOT = new URL("../../", document.currentScript.src).pathname;
  const KEY = "attention-course: review: ";
  const TODAY = "attention-course: today";
  const ENOUGH = 300; // seconds a day
  const DAY = 864e5; // in milliseconds
  const PAUSE = 60; // who takes longer for a question is away
  const GRADES = ["Again", "Hard", "Good", "Easy"];
  const KINDS = {
    term: "A term",
    guess: "A prediction",
    quiz: "A question",
    drawing: "A drawing",
    code: "A line of code",
  };
  const place = document.getElementById("ac-review");

  const count = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

  // ---- what is due ----

  /* When a reader met what a card asks, if ever (0: it is not known when), and whether it was
   * known then, where that was asked. */
  function met({ id, page, question, right, within }) {
    const path = `${ROOT}book/${page}.html`;
    const [kind, name] = id.split(" ");
    if (kind === "quiz") {
      const chosen = parsed(`attention-course: quiz: ${path}`)?.[`quiz-${name}`];
      return chosen === undefined ? undefined : { when: 0, knew: undefined };
    }
    if (kind === "code") {
      const tried = [parsed(`attention-course: attempts: ${name}`)].flat();
      const solved = tried.find((one) => one?.held === "right");
      return solved && { when: Date.parse(solved.when) || 0, knew: true };
    }
    const key = `attention-course: ${question ? `${path}: ${question}` : `read: ${path}`}`;
    if (recall(key) === undefined) return undefined;
    const guess = parsed(key)?.guess;
    const near = (x, i) => Math.abs(x - right[i]) <= within;
    const knew = Array.isArray(guess) && guess.length === right?.length && guess.every(near);
    return { when: changed(key), knew: question && knew };
  }

  /* What ts-fsrs knows of a card; nothing if it is new, or what is kept makes no sense. */
  function known({ id }) {
    const state = parsed(KEY + id);
    const dates = [state?.due, state?.last_review].map((date) => Date.parse(date));
    const numbers = [...dates, state?.stability, state?.difficulty, state?.scheduled_days];
    return numbers.every((n) => Number.isFinite(n)) && state.stability > 0 ? state : undefined;
  }

  const scheduler = () => globalThis.FSRS.fsrs({ enable_short_term: false });
  const empty = (when) => globalThis.FSRS.createEmptyCard(when);

  /* What one has met counts as a first review: a guess that was right comes back later than a
   * wrong one, and what was read on the next day. Where the day is not known it is due at once. */
  function begun({ when, knew }) {
    if (!when || when > Date.now()) return undefined;
    if (knew === undefined) return { ...empty(when), due: new Date(when + DAY) };
    return scheduler().repeat(empty(when), when)[knew ? 3 : 1].card;
  }

  /* What each grade leads to; what ts-fsrs cannot go on with begins anew. */
  function repeated(one, now) {
    const fresh = empty(now);
    try {
      const ways = scheduler().repeat(known(one) ?? begun(met(one)) ?? fresh, now);
      if (GRADES.every((_, i) => ways[i + 1]?.card)) return ways;
    } catch {
      /* as below */
    }
    return scheduler().repeat(fresh, now);
  }

  const dayOf = (date) => new Date(date).toLocaleDateString("sv"); // 2026-11-30, of this place
  const spent = () => {
    const today = parsed(TODAY);
    return today?.day === dayOf(Date.now()) && today.seconds > 0 ? Number(today.seconds) : 0;
  };

  const kindOf = ({ id }) => id.split(" ")[0];
  /** @type {string[]} */
  const kinds = []; // of what was asked here

  /* Cards to ask, those due first and longest ago, then new ones, of the kinds in turn, what was
   * met last before what has waited; and the day on which the next is due. */
  function plan() {
    const now = dayOf(Date.now());
    const dated = globalThis.acCards.flatMap((card) => {
      const first = met(card);
      if (!first) return [];
      const old = known(card);
      const due = Date.parse((old ?? begun(first))?.due) || 0;
      const last = kinds.lastIndexOf(kindOf(card));
      return { card, old, due, asked: dayOf(due) <= now, last };
    });
    const sorted = [...dated].sort((a, b) => a.due - b.due);
    const due = sorted.filter(({ old, asked }) => old && asked);
    const fresh = dated.filter(({ old, asked }) => !old && asked);
    fresh.sort((a, b) => a.last - b.last || b.due - a.due);
    const next = sorted.find((one) => !one.asked)?.due;
    return { due, fresh, asked: [...due, ...fresh], next };
  }

  // ---- the page ----

  const said = { className: "ac-review-status", tabIndex: -1, role: "status" };
  const status = element("p", said);
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
    const many = fresh.length > 20 ? "more than 20" : fresh.length;
    const waiting = `${count(due.length, "question")} due, ${many} new`;
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
    kinds.push(kindOf(one));
    const before = recall(KEY + one.id);
    const from = element("p", { className: "ac-card-from" }, `${KINDS[kindOf(one)]} of `);
    from.append(element("a", { href: `${one.page}.html`, textContent: one.title }));
    const question = { className: "ac-card-ask", innerHTML: one.ask, tabIndex: -1 };
    const asked = element("div", question);
    const answer = element("div", { className: "ac-card-answer", hidden: true, tabIndex: -1 });
    const group = { hidden: true, role: "group", ariaLabel: "Did you know it?" };
    const grades = element("div", { className: "ac-card-grades", ...group });
    const open = button("Show the answer", () => tell());
    const told = element("ol", { className: "ac-card-told", ariaLive: "polite" });
    const ways = (one.ways ?? []).map(([line, hint], i) => {
      const chosen = button("", () =>
        tell(hint ? `You chose <code>${line}</code>. ${hint}` : "That is the line.", !hint),
      );
      chosen.innerHTML = `${i + 1} <code>${line}</code>`;
      return chosen;
    });

    /* A drawing tells its labels one by one, and then is answered. */
    function next() {
      const at = told.childElementCount;
      for (const group of asked.querySelectorAll(`[data-asked="${at}"], [data-told="${at}"]`))
        group.setAttribute("display", "asked" in group.dataset ? "none" : "inline");
      for (const group of asked.querySelectorAll("[data-asked]"))
        group.setAttribute("opacity", group.dataset.asked === `${at + 1}` ? "1" : "0.45");
      if (at === one.labels.length) return tell();
      open.textContent = `Show label ${at + 1} of ${one.labels.length}`;
      open.onclick = () => {
        told.append(element("li", { innerHTML: one.labels[at] }));
        next();
      };
    }

    /* Who chose a wrong line did not know it: the grades that do not fit are not offered. */
    function tell(said = "", right = undefined) {
      const now = new Date();
      const led = repeated(one, now);
      answer.innerHTML = (said && `<p>${said}</p>`) + one.answer;
      // A table that is wider than the page is scrolled by keyboard, too.
      for (const table of answer.querySelectorAll("pre")) table.tabIndex = 0;
      answer.append(element("a", { href: one.at, textContent: "Where it stands" }));
      grades.replaceChildren(
        ...GRADES.map((grade, i) => {
          const { card: then } = led[i + 1];
          const pressed = button(`${i + 1} ${grade}`, () => take(then));
          pressed.append(element("span", { textContent: ` ${inDays(then.scheduled_days)}` }));
          pressed.hidden = right === (i === 0);
          return pressed;
        }),
      );
      for (const pressed of [open, ...ways]) pressed.hidden = true;
      answer.hidden = grades.hidden = false;
      answer.focus();
    }

    function take(then) {
      // Answered in another tab meanwhile, it has its next day already.
      if (recall(KEY + one.id) !== before) return show(true);
      const seconds = spent() + Math.min(PAUSE, (Date.now() - began) / 1000);
      const day = dayOf(Date.now());
      const stays = keep(KEY + one.id, JSON.stringify(then));
      keep(TODAY, JSON.stringify({ day, seconds: Math.round(seconds) }));
      show(true);
      if (!stays) status.append(` ${lost(", so this is gone when you leave")}`);
    }

    card.append(from, asked, told, ...ways, open, answer, grades);
    if (one.labels) next();
    card.onkeydown = ({ key, target, repeat, ctrlKey, metaKey, altKey }) => {
      if (repeat || ctrlKey || metaKey || altKey) return;
      const pressed = (grades.hidden ? ways : grades.children)[Number(key) - 1];
      if (pressed && !pressed.hidden) pressed.click();
      if (key === "Enter" && target === asked && grades.hidden) open.click();
    };
    if (focus) asked.focus();
  }

  /* Another tab, or a file (kept.js), may have changed what is due: a card that is being answered
   * stays, and what has the focus keeps it. */
  function again({ key = null }) {
    const ours =
      key === null || /^attention-course: (?:review|read|quiz|attempts|today|\/)/.test(key);
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
