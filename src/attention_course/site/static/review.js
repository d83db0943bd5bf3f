/* The review: asks again, when it is due, what a reader has met. ts-fsrs says when; what it knows
 * of a question is kept in this browser (storage.js), as is how long one was at it today. */
(() => {
  "use strict";
  const { recall, keep, changed, parsed } = globalThis.acStorage;
  const { element, button, load, lost } = globalThis.acPage;
  const ROOT = new URL("../../", document.currentScript.src).pathname;
  const KEY = "attention-course: review: ";
  const TODAY = "attention-course: today";
  const CHOICES = [5, 10, 20]; // minutes a day
  const DAY = 864e5; // in milliseconds
  const PAUSE = 60; // who takes longer for a question is away
  const GAPS = 3; // labels of a drawing that are asked at once, at most
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

  let fsrs;
  const scheduler = () => (fsrs ??= globalThis.FSRS.fsrs({ enable_short_term: false }));

  /* What is kept of a card; nothing if it is new, or ts-fsrs cannot go on with it. */
  function known({ id }) {
    const state = parsed(KEY + id);
    try {
      return scheduler().next(state, state.due, 3) && state;
    } catch {
      return undefined;
    }
  }

  const empty = (when) => globalThis.FSRS.createEmptyCard(when);

  /* What one has met counts as a first review: a guess that was right comes back later than a
   * wrong one, and what was read on the next day. Where the day is not known it is due at once. */
  function begun({ when, knew }) {
    if (!when || when > Date.now()) return undefined;
    if (knew === undefined) return { ...empty(when), due: new Date(when + DAY) };
    return scheduler().repeat(empty(when), when)[knew ? 3 : 1].card;
  }

  /* What each grade leads to; where the clock was set back, as if no time had passed. */
  function repeated(one, now) {
    const first = met(one); // unless the storage was switched off, or emptied, since
    const state = known(one) ?? (first && begun(first)) ?? empty(now);
    return scheduler().repeat(state, Math.max(now, Date.parse(state.last_review) || 0));
  }

  const dayOf = (date) => new Date(date).toLocaleDateString("sv"); // 2026-11-30, of this place

  /* The minutes a day that one chose, and of today: the seconds spent, of how many minutes. */
  function today() {
    const kept = parsed(TODAY);
    const day = dayOf(Date.now());
    const number = (n) => (kept?.day === day && n > 0 ? Math.round(n) : 0);
    const minutes = CHOICES.find((n) => n === kept?.minutes) ?? CHOICES[0];
    const until = Math.max(minutes, number(kept?.until));
    return { day, minutes, seconds: number(kept?.seconds), until };
  }

  const note = (more) => keep(TODAY, JSON.stringify({ ...today(), ...more }));

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

  const status = element("p", { className: "ac-review-status", tabIndex: -1, role: "status" });
  const card = element("div", { className: "ac-card" });
  const choice = element("select");
  choice.append(...CHOICES.map((n) => element("option", { textContent: n })));
  choice.onchange = () => {
    note({ minutes: Number(choice.value), until: 0 });
    again();
  };

  const inDays = (days) =>
    days < 60 ? count(days, "day") : count(Math.round(days / 30), "month");

  function show(focus) {
    const { due, fresh, asked, next } = plan();
    const { seconds, until, minutes } = today();
    choice.value = String(minutes);
    card.replaceChildren();
    card.onkeydown = null;
    const waiting = `${count(due.length, "question")} due, ${fresh.length} not asked yet`;
    const spent = count(Math.floor(seconds / 60), "minute");
    if (!asked.length) {
      status.textContent = next
        ? `Nothing is due today. The next question is due on ${new Date(next).toLocaleDateString("en-GB", { day: "numeric", month: "long" })}.`
        : "There is nothing to ask yet. Read a chapter to its recap, make a guess or answer a question of the quiz, and come back.";
    } else if (seconds >= 60 * until) {
      status.textContent = `${spent} today: that is enough. ${waiting}; they can wait.`;
      const more = { until: Math.floor(seconds / 60) + minutes };
      const on = () => (note(more), show(true));
      card.append(button(`Go on for another ${minutes} minutes`, on));
    } else {
      status.textContent = `${waiting}. ${spent} of ${until} today.`;
      ask(asked[0].card);
    }
    const first = /** @type {HTMLElement} */ (card.querySelector(".ac-card-ask, button"));
    if (focus) (first ?? status).focus();
  }

  /* The lines to choose from, in an order of the day: a reload shows the same. */
  function mixed({ id, ways = [] }) {
    const mix = (h, c) => Math.imul(h ^ c.codePointAt(0), 16777619);
    const drawn = ([line]) => [...`${dayOf(Date.now())} ${id} ${line}`].reduce(mix, 2166136261);
    return [...ways].sort((a, b) => drawn(a) - drawn(b));
  }

  function ask(one) {
    const began = Date.now();
    const turn = Math.abs(known(one)?.turn | 0); // how often it was known
    const labels = one.labels ?? [];
    const parts = Math.ceil(labels.length / GAPS);
    const gaps = [...labels.keys()].filter((i) => i % parts === turn % parts);
    const before = recall(KEY + one.id);
    const from = element("p", { className: "ac-card-from" }, `${KINDS[kindOf(one)]} of `);
    from.append(element("a", { href: `${one.page}.html`, textContent: one.title }));
    const asked = element("div", { className: "ac-card-ask", tabIndex: -1 });
    asked.innerHTML = one.ask;
    const answer = element("div", { className: "ac-card-answer", hidden: true, tabIndex: -1 });
    const group = { hidden: true, role: "group", ariaLabel: "Did you know it?" };
    const grades = element("div", { className: "ac-card-grades", ...group });
    const told = gaps.map((i) => `<li value="${i + 1}">${labels[i]}</li>`).join("");
    const open = button("Show the answer", () => tell(told && `<ol>${told}</ol>`));
    const ways = mixed(one).map(([line, hint], i) => {
      const said = hint ? `You chose <code>${line}</code>. ${hint}` : "That is the line.";
      const chosen = button("", () => tell(`<p>${said}</p>`, !hint));
      chosen.innerHTML = `${i + 1} <code>${line}</code>`;
      return chosen;
    });

    /* Show a drawing with gaps; who hears it hears its labels in order, and the gaps' numbers. */
    function draw(hidden) {
      for (const group of asked.querySelectorAll("[data-asked], [data-told]")) {
        const gap = hidden.includes(Number(group.dataset.asked ?? group.dataset.told) - 1);
        group.setAttribute("display", gap === "asked" in group.dataset ? "inline" : "none");
      }
      const heard = labels.map((label, i) => (hidden.includes(i) ? `(${i + 1})` : label));
      const text = element("p", { innerHTML: `A drawing: ${heard.join("; ")}.` }).textContent;
      if (parts) asked.querySelector("svg").setAttribute("aria-label", text);
    }

    /* Who chose a wrong line did not know it: the grades that do not fit are not offered. */
    function tell(said = "", right = undefined) {
      const led = repeated(one, Date.now());
      draw([]);
      answer.innerHTML = said + one.answer;
      answer.append(element("a", { href: one.at, textContent: "Where it stands" }));
      grades.replaceChildren(
        ...GRADES.map((grade, i) => {
          const { card: then } = led[i + 1];
          then.turn = turn + Math.sign(i);
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
      kinds.push(kindOf(one));
      // Answered in another tab meanwhile, it has its next day already.
      if (recall(KEY + one.id) !== before) return show(true);
      const stays = keep(KEY + one.id, JSON.stringify(then));
      note({ seconds: today().seconds + Math.min(PAUSE, (Date.now() - began) / 1000) });
      show(true);
      if (!stays) status.append(` ${lost(", so this is gone when you leave")}`);
    }

    card.append(from, asked, ...ways, open, answer, grades);
    draw(gaps);
    card.onkeydown = ({ key, target, repeat, ctrlKey, metaKey, altKey }) => {
      if (repeat || ctrlKey || metaKey || altKey) return;
      const pressed = (grades.hidden ? ways : grades.children)[Number(key) - 1];
      if (pressed && !pressed.hidden) pressed.click();
      if (key === "Enter" && target === asked && grades.hidden) open.click();
    };
  }

  /* Another tab, or a file (kept.js), may have changed what is due: an open answer stays, and what
   * has the focus keeps it. */
  function again() {
    if (!card.querySelector(".ac-card-answer:not([hidden])"))
      show(card.contains(document.activeElement));
  }

  Promise.all([load("ts-fsrs.umd.js"), load("review-cards.js")]).then(
    () => {
      place.replaceChildren(status, card, element("label", {}, "Minutes a day ", choice));
      show(false);
      addEventListener("storage", again);
      document.addEventListener("ac-kept", again);
    },
    () => place.replaceChildren("The questions could not be loaded. Reload the page."),
  );
})();
