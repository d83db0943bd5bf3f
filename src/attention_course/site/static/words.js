/* An exercise in words: a field above its solution, and the points of a good answer to tick; where
 * a flaw is to be found, its sentences to mark, and where numbers are, a field for each.
 * What is typed, ticked and marked stays in this browser (storage.js). */
(() => {
  "use strict";
  const { keep, parsed } = globalThis.acStorage;
  const { element, button, lost, ownKeys } = globalThis.acPage;
  function prepare(fold) {
    const key = `attention-course: words: ${fold.dataset.key}`;
    const label = element("label", { className: "ac-words-field", textContent: "Your answer" });
    const field = label.appendChild(element("textarea", { rows: 3 }));
    const said = element("p", { className: "ac-words-said" });
    said.setAttribute("role", "status");
    const points = [...fold.querySelectorAll(".ac-points li")].map((point) => {
      const { text, box, around } = toTick(point.innerHTML);
      point.replaceChildren(around);
      return { text, box };
    });
    const count = element("output");
    if (points.length)
      fold.querySelector(".ac-points p").replaceChildren("Tick what your answer says. ", count);
    const { sentences = [], numbers = [] } = JSON.parse(fold.dataset.asks ?? "{}");
    const marks = sentences.map(([says, flaw, reply]) => {
      const said = element("output");
      const { text, box, around } = toTick(says);
      return { text, box, flaw, reply, said, row: element("div", {}, around, said) };
    });
    const fields = numbers.map(([asks, is, within]) => {
      const input = element("input", {
        inputMode: "decimal",
        autocomplete: "off",
        oninput: save,
      });
      const said = element("output");
      const asked = element("span", { innerHTML: asks });
      ownKeys(input);
      const row = element("div", {}, element("label", {}, asked, input), said);
      return { text: asked.textContent, input, is, within, said, row };
    });
    const legend = element("legend");
    const rows = [...marks, ...fields].map(({ row }) => row);
    if (rows.length)
      fold.before(element("fieldset", { className: "ac-words-asks" }, legend, ...rows));
    fold.before(label, said);

    /* A text with a box to tick. */
    function toTick(innerHTML) {
      const words = element("span", { innerHTML });
      const box = element("input", { type: "checkbox", onchange: save });
      return { text: words.textContent, box, around: element("label", {}, box, words) };
    }

    /* A point, sentence or number is known by its words: what has changed since is asked anew. */
    function show() {
      const kept = parsed(key);
      field.value = String(kept?.answer ?? "");
      for (const { text, box } of points) box.checked = [kept?.ticked].flat().includes(text);
      for (const { text, box } of marks) box.checked = [kept?.marked].flat().includes(text);
      for (const { text, input } of fields) input.value = String(kept?.numbers?.[text] ?? "");
      tell();
    }

    function tell() {
      count.value = `${ticked(points).length} of ${points.length}`;
      const flaws = marks.filter(({ flaw }) => flaw);
      legend.textContent = !marks.length
        ? "Your numbers"
        : `Mark each sentence in which a flaw lies: ${ticked(flaws).length} of ${flaws.length} found`;
      for (const { box, flaw, reply, said } of marks)
        said.innerHTML = box.checked ? `<b>${flaw ? "A flaw." : "No flaw."}</b> ${reply}` : "";
      for (const { input, is, within, said } of fields) {
        const typed = input.value.trim().replace(/[,\s]/g, "").replace("−", "-");
        const [over, under = 1] = typed.split("/").map(Number);
        if (!typed) said.value = "";
        else if (!Number.isFinite(over / under))
          said.value = `Expected a number, such as 0.5, 1/2 or 2,080; got “${input.value.trim()}”.`;
        else said.value = Math.abs(over / under - is) <= within ? `Right: ${is}.` : "Not that.";
      }
    }

    const ticked = (all) => all.filter(({ box }) => box.checked).map(({ text }) => text);

    function save() {
      const answer = field.value;
      const typed = fields.filter(({ input }) => input.value.trim());
      const kept = {
        answer,
        ticked: ticked(points),
        ...(marks.length && { marked: ticked(marks) }),
        ...(fields.length && {
          numbers: Object.fromEntries(typed.map(({ text, input }) => [text, input.value])),
        }),
      };
      const any = answer.trim() || ticked([...points, ...marks]).length || typed.length;
      const stays = keep(key, any ? JSON.stringify(kept) : undefined);
      said.textContent = stays ? "" : lost(", so your answer is gone when you leave");
      tell();
    }

    field.addEventListener("input", save);
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
