/* An exercise in words: a field above its solution, and the points of a good answer to tick; where
 * a flaw is to be found, its sentences to mark, and where numbers are, a field for each.
 * What is typed, ticked and marked stays in this browser (storage.js). */
(() => {
  "use strict";
  const { keep, parsed } = globalThis.acStorage;
  const { element, button, lost, ownKeys } = globalThis.acPage;
  const wordsOf = (innerHTML) => element("span", { innerHTML });

  /* What is said of a number that was typed: 2,080 is a thousand and more, 0,5 a half. */
  function judged(typed, { is, within, often, reply }) {
    const plain = typed
      .replace(/\s|,(?=\d{3}(?!\d))/g, "")
      .replace(",", ".")
      .replace("−", "-");
    const [over, under = 1] = plain.split("/").map(Number);
    if (!Number.isFinite(over / under))
      return `Expected a number, such as 0.5, 1/2 or 2,080; got “${typed}”.`;
    const near = (to) => Math.abs(over / under - to) <= within;
    return near(is) ? `Right: ${is}.` : near(often) ? reply : "Not that.";
  }

  function prepare(fold) {
    const key = `attention-course: words: ${fold.dataset.key}`;
    const label = element("label", { className: "ac-words-field", textContent: "Your answer" });
    const field = label.appendChild(element("textarea", { rows: 3 }));
    const said = element("p", { className: "ac-words-said", role: "status" });
    const { sentences = [], numbers = [] } = JSON.parse(fold.dataset.asks ?? "{}");
    const points = [...fold.querySelectorAll(".ac-points li")].map((point) => {
      const [words, box] = [wordsOf(point.innerHTML), toTick()];
      point.replaceChildren(element("label", {}, box, words));
      return { text: words.textContent, box };
    });
    const marks = sentences.map(([says, flaw, reply]) => {
      const [words, box] = [wordsOf(says), toTick()];
      return { ...asking(words, box, words), box, flaw, reply };
    });
    const fields = numbers.map((number) => {
      const [words, input] = [wordsOf(number.asks), element("input", { inputMode: "decimal" })];
      input.oninput = save;
      ownKeys(input);
      return { ...asking(words, words, input), input, number };
    });
    const count = element("output");
    if (points.length)
      fold.querySelector(".ac-points p").replaceChildren("Tick what your answer says. ", count);
    const legend = element("legend");
    const rows = [...marks, ...fields].map(({ row }) => row);
    if (rows.length)
      fold.before(element("fieldset", { className: "ac-words-asks" }, legend, ...rows));
    fold.before(label, said);

    function toTick() {
      return element("input", { type: "checkbox", onchange: save });
    }

    /* A row that asks: a box and its words, or words and their field; and what is said of it. */
    function asking(words, first, last) {
      const said = element("output");
      const row = element("div", {}, element("label", {}, first, last), said);
      return { text: words.textContent, said, row };
    }

    const ticked = (some) => some.filter(({ box }) => box.checked).map(({ text }) => text);

    /* A point, sentence or number is known by its words: what has changed since is asked anew. */
    function show() {
      const kept = parsed(key);
      field.value = String(kept?.answer ?? "");
      for (const { text, box } of [...points, ...marks])
        box.checked = [kept?.ticked].flat().includes(text);
      for (const { text, input } of fields) input.value = String(kept?.numbers?.[text] ?? "");
      tell();
    }

    function tell() {
      count.value = `${ticked(points).length} of ${points.length}`;
      const flaws = marks.filter(({ flaw }) => flaw);
      const all = fold.open ? `of ${flaws.length} ` : ""; // how many is part of the answer
      legend.textContent = flaws.length
        ? `Mark each sentence in which a flaw lies: ${ticked(flaws).length} ${all}found`
        : "Your numbers";
      for (const { box, flaw, reply, said } of marks)
        said.innerHTML = box.checked ? `<b>${flaw ? "A flaw." : "No flaw."}</b> ${reply}` : "";
      for (const { input, number, said } of fields)
        said.value = input.value.trim() && judged(input.value.trim(), number);
    }

    function save() {
      const typed = fields.filter(({ input }) => input.value.trim());
      const kept = {
        answer: field.value,
        ticked: ticked([...points, ...marks]),
        numbers: Object.fromEntries(typed.map(({ text, input }) => [text, input.value])),
      };
      const any = kept.answer.trim() || kept.ticked.length || Object.keys(kept.numbers).length;
      const stays = keep(key, any ? JSON.stringify(kept) : undefined);
      said.textContent = stays ? "" : lost(", so your answer is gone when you leave");
      tell();
    }

    field.addEventListener("input", save);
    fold.addEventListener("toggle", tell);
    ownKeys(field);
    addEventListener("storage", ({ key: which }) => {
      if (which !== key && which !== null) return;
      if (![field, ...fields.map(({ input }) => input)].includes(document.activeElement))
        return show();
      const take = button("Take it over here", () => {
        show();
        said.textContent = "";
        field.focus();
      });
      said.replaceChildren("Your answer was changed in another tab. ", take);
    });
    addEventListener("pageshow", show);
    show();
  }

  document.querySelectorAll("details.ac-words").forEach(prepare);
})();
