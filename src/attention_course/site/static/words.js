/* An exercise in words: a field above its solution, and the points of a good answer to tick.
 * What is typed and ticked stays in this browser (storage.js). */
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
      const text = point.textContent;
      const box = element("input", { type: "checkbox", onchange: save });
      const around = element("label");
      around.append(box, element("span", { innerHTML: point.innerHTML }));
      point.replaceChildren(around);
      return { text, box };
    });
    const count = element("output");
    if (points.length)
      fold.querySelector(".ac-points p").replaceChildren("Tick what your answer says. ", count);
    fold.before(label, said);

    /* A point is known by its words: one that has changed since is ticked anew. */
    function show() {
      const kept = parsed(key);
      field.value = String(kept?.answer ?? "");
      for (const { text, box } of points) box.checked = [kept?.ticked].flat().includes(text);
      tell();
    }

    function tell() {
      const found = points.filter(({ box }) => box.checked).length;
      count.value = `${found} of ${points.length}`;
    }

    function save() {
      const ticked = points.filter(({ box }) => box.checked).map(({ text }) => text);
      const answer = field.value;
      const any = answer.trim() || ticked.length;
      const stays = keep(key, any ? JSON.stringify({ answer, ticked }) : undefined);
      said.textContent = stays ? "" : lost(", so your answer is gone when you leave");
      tell();
    }

    field.addEventListener("input", save);
    ownKeys(field);
    addEventListener("storage", ({ key: which }) => {
      if (which !== key && which !== null) return;
      if (document.activeElement !== field) return show();
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
